"""From a folder or an archive on disk to the files of a bundle, under the rules of archives."""

import os
import stat
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from bundles.archive import Entry, EntryKind, collect, read_archive
from bundles.errors import Refused
from bundles.limits import DEFAULT_LIMITS, Limits
from bundles.reasons import reason

BUNDLE_PATH_UNREADABLE = reason(
    "BUNDLE_PATH_UNREADABLE",
    "A bundle's folder, archive or file cannot be read from disk.",
    "Name a folder, .tar, .tar.gz or .zip that you may read.",
)
BUNDLE_NOT_WRITTEN = reason(
    "BUNDLE_NOT_WRITTEN",
    "A file of a bundle cannot be written to disk, or is there already.",
    "name a new or empty folder that you may write to; existing files are never overwritten",
)

_CHUNK = 64 << 10


def read_bundle(path: Path, limits: Limits = DEFAULT_LIMITS) -> dict[str, bytes]:
    """The files of a bundle: a folder, or an archive told apart by its content.

    Raises:
        Refused, LimitExceeded: as `bundles.archive`, or BUNDLE_PATH_UNREADABLE.
    """
    try:
        if path.is_dir():
            return collect(_entries(path), limits)
        with path.open("rb") as stream:
            return read_archive(stream, limits)
    except OSError as error:
        raise Refused(
            BUNDLE_PATH_UNREADABLE,
            f"cannot read it: {error.strerror or error}",
            path=os.fspath(error.filename or path),
        ) from error


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files of a bundle under a new folder.

    The paths were judged when the bundle was read: none can lead out of the folder.

    Raises:
        Refused: BUNDLE_NOT_WRITTEN, also when one of the files exists; then none is written.
    """
    try:
        for name in files:
            if os.path.lexists(folder / name):
                raise Refused(BUNDLE_NOT_WRITTEN, "it is there already", path=str(folder / name))
        for name, content in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as sink:
                sink.write(content)
    except OSError as error:
        raise Refused(
            BUNDLE_NOT_WRITTEN,
            f"cannot write it: {error.strerror or error}",
            path=os.fspath(error.filename or folder),
        ) from error


def _entries(root: Path) -> Iterator[Entry]:
    """Everything under a folder, links not followed, in the order of names."""
    pending = [root]
    while pending:
        folder = pending.pop()
        with os.scandir(folder) as found:
            listed = sorted(found, key=lambda item: item.name)
        for item in listed:
            path = Path(item.path)
            name = path.relative_to(root).as_posix()
            if item.is_symlink():
                yield Entry(name, EntryKind.LINK)
            elif item.is_dir(follow_symlinks=False):
                yield Entry(name, EntryKind.FOLDER)
                pending.append(path)
            elif item.is_file(follow_symlinks=False):
                size = item.stat(follow_symlinks=False).st_size
                yield Entry(name, EntryKind.FILE, size, partial(_chunks, path))
            else:
                yield Entry(name, EntryKind.DEVICE)


def _chunks(path: Path) -> Iterator[bytes]:
    """The content of a regular file; one that became a link or a device meanwhile is refused."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Refused(BUNDLE_PATH_UNREADABLE, "no longer a regular file", path=str(path))
        while chunk := stream.read(_CHUNK):
            yield chunk
