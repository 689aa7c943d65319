"""Reading the files that suite commands are given."""

from pathlib import Path
from typing import Any


def read_file(file: Path) -> tuple[str, Any]:
    """Text and document of a JSON file.

    Raises:
        Refused: SUITE_READ_FAILED, or what is wrong with its JSON.
    """
    from bundles.errors import Refused
    from bundles.suite.reading import SUITE_READ_FAILED, read_json

    try:
        data = file.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(SUITE_READ_FAILED, f"cannot read it: {why}", path=str(file)) from error
    document = read_json(data, path=str(file))
    return data.decode("utf-8-sig"), document
