"""Measuring what a launcher is about to start: the digest that ties a server to an artifact.

A file is measured by its bytes, a folder by the bundle digest rule (`bundles.digest`), so that it
can be recomputed with `bundlegate bundle digest`. Measured right before the start.
"""

import hashlib
from pathlib import Path

from bundles.digest import bundle_digest
from bundles.errors import Conflict, LimitExceeded, Refused
from bundles.reasons import reason

ARTIFACT_DIGEST_MISMATCH = reason(
    "ARTIFACT_DIGEST_MISMATCH",
    "What the launcher would start is not the artifact the candidate was registered with.",
    "deploy that artifact where the launcher measures, or register a candidate with this digest",
)
ARTIFACT_UNMEASURABLE = reason(
    "ARTIFACT_UNMEASURABLE",
    "What a launcher is to measure is missing, unreadable, or holds links or devices.",
    "correct the `measure` path of the launcher; measure a file, or a folder of plain files",
)
ARTIFACT_TOO_LARGE = reason(
    "ARTIFACT_TOO_LARGE",
    "A folder to measure holds more than the limit.",
    "measure a single packed file instead, or a folder without what the build does not need",
)

MAX_FILES = 20_000
MAX_BYTES = 512 << 20
"""Bounds of a folder; a single file has none."""

_CHUNK = 1 << 20


def measure(path: Path) -> str:
    """The digest of a file or a folder, "sha256:<64 hex>".

    Raises:
        Refused: ARTIFACT_UNMEASURABLE.
        LimitExceeded: ARTIFACT_TOO_LARGE.
    """
    try:
        if path.is_file():
            return _file(path)
        if path.is_dir():
            return bundle_digest(_folder(path))
    except OSError as error:
        raise Refused(
            ARTIFACT_UNMEASURABLE, error.strerror or "unreadable", path=path.name
        ) from error
    raise Refused(ARTIFACT_UNMEASURABLE, "there is no such file or folder", path=path.name)


def require_artifact(path: Path, expected: str) -> str:
    """Measure, and insist on the digest that was registered.

    Raises:
        Conflict: ARTIFACT_DIGEST_MISMATCH, with both digests.
        Refused, LimitExceeded: it could not be measured.
    """
    measured = measure(path)
    if measured != expected:
        raise Conflict(
            ARTIFACT_DIGEST_MISMATCH,
            f"the launcher would start {measured}, the candidate is {expected}",
            seen=measured,
            expected=expected,
        )
    return measured


def _file(path: Path) -> str:
    made = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            made.update(chunk)
    return f"sha256:{made.hexdigest()}"


def _folder(top: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    folders = [top]
    while folders:
        for entry in folders.pop().iterdir():
            name = entry.relative_to(top).as_posix()
            if entry.is_symlink() or not (entry.is_dir() or entry.is_file()):
                raise Refused(
                    ARTIFACT_UNMEASURABLE, "a link or device may change unseen", path=name
                )
            if entry.is_dir():
                folders.append(entry)
                continue
            left -= entry.stat().st_size
            if left < 0 or len(files) == MAX_FILES:
                raise LimitExceeded(
                    ARTIFACT_TOO_LARGE,
                    "the folder is too large to measure",
                    path=name,
                    expected={"files": MAX_FILES, "bytes": MAX_BYTES},
                )
            files[name] = entry.read_bytes()
    return files
