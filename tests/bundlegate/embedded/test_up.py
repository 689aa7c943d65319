"""`bundlegate up`, whole: real broker, real API, real worker."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from bundlegate.cli.output import Exit
from tests.fixtures.processes import until
from tests.fixtures.up import StartUp


def _get(url: str) -> int:
    """HTTP status; patient, for a request waits while the API is started again."""
    return httpx2.get(url, timeout=60).status_code


def _up(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bundlegate", "up", *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_ready_means_that_database_and_broker_answer(start_up: StartUp) -> None:
    up = start_up()
    answer = httpx2.get(f"{up.ready['url']}/readyz")
    assert (answer.status_code, answer.json()) == (200, {"database": True, "broker": True})
    assert up.ready["pid"] == up.pid


def test_key_and_folder_are_private_and_key_and_token_are_made_once(start_up: StartUp) -> None:
    up = start_up()
    assert stat.S_IMODE(up.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((up.folder / "signing.key").stat().st_mode) == 0o600
    first = up.ready
    assert first["admin_token"]
    assert up.stop() == 0
    second = up.start()
    assert "admin_token" not in second
    assert second["key_id"] == first["key_id"]
    with up.client() as client:
        assert [token["name"] for token in client.tokens()] == ["admin"]
    assert first["admin_token"] not in up.errors()


def test_ctrl_c_or_a_kill_leaves_no_process_and_the_next_start_works(start_up: StartUp) -> None:
    """`stop` itself waits until no process is left."""
    up = start_up()
    assert up.stop(signal.SIGKILL) == -signal.SIGKILL
    up.start()
    with up.client() as client:
        assert list(client.candidates()) == []
    assert up.stop(signal.SIGINT) == 0


def test_a_second_one_on_the_same_folder_is_refused_with_the_reason(start_up: StartUp) -> None:
    up = start_up()
    refused = _up("--data-dir", str(up.folder), "--port", "0")
    assert refused.returncode == Exit.NO
    assert "DATA_FOLDER_IN_USE" in refused.stderr
    assert str(up.pid) in refused.stderr
    assert httpx2.get(f"{up.ready['url']}/healthz").status_code == 200


def test_a_taken_port_is_refused_with_the_reason(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = _up("--data-dir", str(tmp_path / "data"), "--port", port)
    assert refused.returncode == Exit.UNREACHABLE
    assert "ADDRESS_UNUSABLE" in refused.stderr


def test_killed_servers_come_back_and_requests_made_meanwhile_are_answered(
    start_up: StartUp,
) -> None:
    up = start_up()
    dead = {name: up.server(name) for name in ("valkey-server", "bg-api", "bg-worker")}
    for pid in dead.values():
        os.kill(pid, signal.SIGKILL)
    assert _get(f"{up.ready['url']}/healthz") == 200

    def are_back() -> bool:
        try:
            return all(up.server(name) != pid for name, pid in dead.items())
        except (AssertionError, FileNotFoundError):
            return False

    until("all three are back", are_back)
    until("all answers", lambda: _get(f"{up.ready['url']}/readyz") == 200)
    for name in ("broker", "api", "worker"):
        assert f"{name} was ended by SIGKILL" in up.errors()


def test_a_long_data_folder_works_too(start_up: StartUp) -> None:
    up = start_up(name="d" * 120)
    assert _get(f"{up.ready['url']}/readyz") == 200


def test_print_config_shows_settings_in_effect_and_starts_nothing(tmp_path: Path) -> None:
    shown = _up("--data-dir", str(tmp_path / "new"), "--port", "99", "--print-config")
    settings = json.loads(shown.stdout)
    assert settings["BUNDLEGATE_PORT"] == 99
    assert settings["BUNDLEGATE_DATABASE_URL"] == f"sqlite:///{tmp_path}/new/bundlegate.db"
    assert not (tmp_path / "new").exists()


def test_a_mistyped_setting_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUNDLEGATE_LEASE", "60")
    refused = _up("--data-dir", str(tmp_path / "new"))
    assert refused.returncode == Exit.USAGE
    assert "did you mean BUNDLEGATE_LEASE_S?" in refused.stderr
    assert not (tmp_path / "new").exists()


def test_an_open_launchers_file_or_egress_entry_that_cannot_be_used_stops_the_start(
    tmp_path: Path,
) -> None:
    refused = _up("--data-dir", str(tmp_path / "new"), "--port", "0", "--allow-egress", "10.0.0/8/")
    assert refused.returncode != Exit.YES
    assert "EGRESS_ALLOW_INVALID" in refused.stderr
