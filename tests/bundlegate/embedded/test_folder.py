"""The data folder: private, and never used twice at once."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bundlegate.embedded.folder import private_folder, take
from bundles.errors import Conflict, Refused


def test_a_folder_is_made_private_and_an_open_one_is_closed_to_others(tmp_path: Path) -> None:
    made = tmp_path / "a" / "b"
    private_folder(made)
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    made.chmod(0o755)
    private_folder(made)
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("file", "link"):
        with pytest.raises(Refused, match="DATA_FOLDER_UNUSABLE"):
            private_folder(tmp_path / name)


def test_a_second_claim_is_refused_and_names_the_first(tmp_path: Path) -> None:
    claim = take(tmp_path)
    with pytest.raises(Conflict, match=f"process {os.getpid()}") as refused:
        take(tmp_path)
    assert refused.value.reason_code == "DATA_FOLDER_IN_USE"
    os.close(claim)
    os.close(take(tmp_path))


def test_a_claim_waits_for_survivors_of_a_killed_holder(tmp_path: Path) -> None:
    """The holder is gone, its child still holds the descriptor and ends by itself."""
    story = (
        "import os, subprocess, sys\n"
        "from pathlib import Path\n"
        "from bundlegate.embedded.folder import take\n"
        "claim = take(Path(sys.argv[1]))\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(0.5)'],"
        " pass_fds=(claim,), stdin=subprocess.DEVNULL)\n"
        "os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", story, str(tmp_path)], check=False)
    os.close(take(tmp_path))
