"""Entries of an archive or a folder, and the one set of rules by which they become files."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from bundles.errors import LimitExceeded, Refused
from bundles.limits import DEFAULT_LIMITS, Limits
from bundles.paths import PathSet, clean_path
from bundles.reasons import reason

TOO_MANY_FILES = reason(
    "TOO_MANY_FILES", "A bundle holds more entries than the limit.", "Remove what is not needed."
)
FILE_TOO_LARGE = reason(
    "FILE_TOO_LARGE", "A file is larger than the limit.", "Split the file or shorten it."
)
BUNDLE_TOO_LARGE = reason(
    "BUNDLE_TOO_LARGE",
    "All files together are larger than the limit.",
    "Remove what is not needed.",
)
ENTRY_LINK = reason(
    "ENTRY_LINK",
    "An entry is a symbolic or hard link, which could lead out of the bundle.",
    "Replace the link by the file it points to.",
)
ENTRY_DEVICE = reason(
    "ENTRY_DEVICE",
    "An entry is a device, a pipe or a socket.",
    "Pack regular files and folders only.",
)
ENTRY_NESTED_ARCHIVE = reason(
    "ENTRY_NESTED_ARCHIVE",
    "A file is itself an archive or compressed, so its content cannot be judged.",
    "Unpack it and include its files.",
)

_PACKED = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b\x08",
    *(b"BZh%d1AY&SY" % level for level in range(1, 10)),
    b"\xfd7zXZ\x00",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
    b"\x28\xb5\x2f\xfd",
)
_PACKED_SUFFIXES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar", ".zst", ".jar")
TAR_MAGIC = b"ustar"
TAR_MAGIC_AT = 257


class EntryKind(StrEnum):
    """What an entry is."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    DEVICE = "device"  # devices, pipes, sockets


def no_chunks() -> Iterable[bytes]:
    """The content of what is not a file."""
    return ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry to collect.

    Attributes:
        path: its name as found.
        kind: what it is.
        size: declared bytes; judged before reading, never believed.
        chunks: yields the content; called at most once, and only for files within the limits.
    """

    path: str
    kind: EntryKind = EntryKind.FILE
    size: int = 0
    chunks: Callable[[], Iterable[bytes]] = no_chunks


def collect(entries: Iterable[Entry], limits: Limits = DEFAULT_LIMITS) -> dict[str, bytes]:
    """Read entries under the rules of a bundle.

    Returns:
        path → content, in the order of the paths' UTF-8 bytes.

    Raises:
        Refused, LimitExceeded: the first entry that breaks a rule (PATH_*, ENTRY_*, FILE_TOO_LARGE,
            BUNDLE_TOO_LARGE, TOO_MANY_FILES).
    """
    paths = PathSet()
    files: dict[str, bytes] = {}
    total = 0
    for count, entry in enumerate(entries, 1):
        if count > limits.files:
            raise LimitExceeded(
                TOO_MANY_FILES,
                f"more than {limits.files} entries",
                path=entry.path[:200],
                seen=count,
                expected=limits.files,
            )
        path = _judge_name(entry, limits)
        if entry.kind is EntryKind.FOLDER:
            paths.add_folder(path)
            continue
        paths.add_file(path)
        files[path] = _content(entry, path, total, limits)
        total += len(files[path])
        _refuse_packed(path, files[path])
    return dict(sorted(files.items(), key=lambda item: item[0].encode("utf-8")))


def _judge_name(entry: Entry, limits: Limits) -> str:
    name = entry.path
    if entry.kind is EntryKind.FOLDER:
        name = name.removesuffix("/")
        if name in ("", "."):
            return ""  # the bundle's own root, as `tar -c .` names it
    path = clean_path(name, limits)
    if entry.kind is EntryKind.LINK:
        raise Refused(ENTRY_LINK, "this entry is a link", path=path)
    if entry.kind is EntryKind.DEVICE:
        raise Refused(ENTRY_DEVICE, "this entry is no regular file", path=path)
    return path


def _content(entry: Entry, path: str, total: int, limits: Limits) -> bytes:
    """Read a file, stopping at the first byte over a limit, whatever size it declared."""
    _within(entry.size, total, path, limits)
    content = bytearray()
    for chunk in entry.chunks():
        content += chunk
        _within(len(content), total, path, limits)
    return bytes(content)


def _within(size: int, total: int, path: str, limits: Limits) -> None:
    if size > limits.file_bytes:
        raise LimitExceeded(
            FILE_TOO_LARGE,
            "a file is larger than the limit",
            path=path,
            seen=size,
            expected=limits.file_bytes,
        )
    if total + size > limits.expanded_bytes:
        raise LimitExceeded(
            BUNDLE_TOO_LARGE,
            "all files together are larger than the limit",
            path=path,
            seen=total + size,
            expected=limits.expanded_bytes,
        )


def _refuse_packed(path: str, content: bytes) -> None:
    is_tar = content[TAR_MAGIC_AT : TAR_MAGIC_AT + len(TAR_MAGIC)] == TAR_MAGIC
    if content.startswith(_PACKED) or is_tar or path.lower().endswith(_PACKED_SUFFIXES):
        raise Refused(ENTRY_NESTED_ARCHIVE, "this file is an archive", path=path)
