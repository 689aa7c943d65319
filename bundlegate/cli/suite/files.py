"""Reading and writing the files that suite commands are given."""

import shutil
import tempfile
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

from bundlegate.cli.given_file import content_of
from bundles.reasons import reason

SUITE_WRITE_FAILED = reason(
    "SUITE_WRITE_FAILED",
    "The file cannot be written.",
    "check the permissions of the file and its folder, and the space left",
)


def read_file(file: Path) -> tuple[str, Any]:
    """Text and document of a JSON file.

    Raises:
        Refused: SUITE_READ_FAILED, or what is wrong with its JSON.
    """
    from bundles.errors import Refused
    from bundles.suite.reading import SUITE_READ_FAILED, read_json

    try:
        data = content_of(file)
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(SUITE_READ_FAILED, f"cannot read it: {why}", path=str(file)) from error
    document = read_json(data, path=str(file))
    return data.decode("utf-8-sig"), document


def write_file(file: Path, text: str) -> None:
    """Replace the text of a file that exists; readers see the old one or the new one, whole.

    A byte-order mark stays, and so do the file's permissions and the links that lead to it.

    Raises:
        Refused: SUITE_WRITE_FAILED; the file is as it was.
    """
    from bundles.errors import Refused

    target = file.resolve()
    draft: Path | None = None
    try:
        encoding = "utf-8-sig" if target.read_bytes().startswith(BOM_UTF8) else "utf-8"
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as opened:
            draft = Path(opened.name)
            opened.write(text.encode(encoding))
        shutil.copymode(target, draft)
        draft.replace(target)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        why = error.strerror or str(error)
        raise Refused(SUITE_WRITE_FAILED, f"cannot write it: {why}", path=str(file)) from error
