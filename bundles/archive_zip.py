"""A strict zip reader: the central directory and the local headers must tell one story.

Stored and deflated entries only. Refused: encryption, zip64, several disks, overlapping or
unaccounted bytes, names that differ between the two headers, sizes and checksums that lie.
"""

import stat
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bundles.archive_entries import TOO_MANY_FILES, Entry, EntryKind
from bundles.archive_streams import (
    ARCHIVE_DAMAGED,
    ARCHIVE_TRAILING_BYTES,
    ExpansionGuard,
)
from bundles.archive_tar import ENTRY_UNSUPPORTED
from bundles.errors import LimitExceeded, Refused
from bundles.limits import Limits
from bundles.paths import PATH_MALFORMED
from bundles.reasons import reason

ENTRY_ENCRYPTED = reason(
    "ENTRY_ENCRYPTED", "An entry is encrypted.", "Pack the bundle without a password."
)

_END = struct.Struct("<4s4H2LH")
_CENTRAL = struct.Struct("<4s4B4H3L5H2L")
_LOCAL = struct.Struct("<4s2B4HLLLHH")
_CHUNK = 64 << 10
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_DESCRIPTOR = 0x8
_UTF8 = 0x800
_UNICODE_PATH = 0x7075  # an extra field that renames the entry
_STORED, _DEFLATED = 0, 8


class _Central(NamedTuple):
    """A central directory header, in the order of its fields on the wire."""

    signature: bytes
    made_version: int
    made_system: int
    needed_version: int
    needed_system: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    packed: int
    size: int
    name_length: int
    extra_length: int
    comment_length: int
    disk: int
    internal: int
    external: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Member:
    header: _Central
    raw_name: bytes
    name: str
    kind: EntryKind


def zip_entries(chunks: Iterable[bytes], limits: Limits) -> Iterator[Entry]:
    """The entries of a zip, in the order of its central directory.

    Raises:
        Refused: ARCHIVE_DAMAGED, ARCHIVE_TRAILING_BYTES, ENTRY_ENCRYPTED, ENTRY_UNSUPPORTED or
            PATH_MALFORMED.
        LimitExceeded: TOO_MANY_FILES or ARCHIVE_EXPANDS_TOO_FAR.
    """
    content = b"".join(chunks)  # bounded by the archive limit; the directory is at the end
    members = list(_members(content, limits))
    guard = ExpansionGuard(limits)
    guard.packed(len(content))
    for member, start in zip(members, _data_starts(content, members), strict=True):
        yield _as_entry(content, member, start, guard)


def _members(content: bytes, limits: Limits) -> Iterator[_Member]:
    count, size, offset, end = _end_record(content)
    if count > limits.files:
        raise LimitExceeded(
            TOO_MANY_FILES, "more entries than the limit", seen=count, expected=limits.files
        )
    if offset + size != end:
        raise Refused(ARCHIVE_TRAILING_BYTES, "bytes lie between or before the zip's parts")
    at = offset
    for _ in range(count):
        if at + _CENTRAL.size > end:
            raise Refused(ARCHIVE_DAMAGED, "the zip directory is cut short")
        header = _Central._make(_CENTRAL.unpack_from(content, at))
        after_name = at + _CENTRAL.size + header.name_length
        after_extra = after_name + header.extra_length
        at, raw_name = (
            after_extra + header.comment_length,
            content[after_name - header.name_length : after_name],
        )
        if header.signature != b"PK\x01\x02" or at > end:
            raise Refused(ARCHIVE_DAMAGED, "the zip directory is malformed")
        yield _judged(header, raw_name, content[after_name:after_extra])
    if at != end:
        raise Refused(ARCHIVE_DAMAGED, "the zip directory does not end where it says")


def _end_record(content: bytes) -> tuple[int, int, int, int]:
    """(entries, directory size, directory offset, offset of the end record)."""
    at = content.rfind(b"PK\x05\x06", max(0, len(content) - _END.size - 0xFFFF))
    if at < 0 or at + _END.size > len(content):
        raise Refused(ARCHIVE_DAMAGED, "the zip has no end record")
    _, disk, first_disk, here, count, size, offset, comment = _END.unpack_from(content, at)
    if at + _END.size + comment != len(content):
        raise Refused(ARCHIVE_TRAILING_BYTES, "bytes follow the end of the zip")
    if 0xFFFF in (here, count, disk) or 0xFFFFFFFF in (size, offset):
        raise Refused(ENTRY_UNSUPPORTED, "a zip64 archive")
    if disk or first_disk or here != count:
        raise Refused(ENTRY_UNSUPPORTED, "a zip over several disks")
    return count, size, offset, at


def _judged(header: _Central, raw_name: bytes, extra: bytes) -> _Member:
    name = _name(raw_name, header.flags)
    shown = name[:200]
    if header.flags & _ENCRYPTED:
        raise Refused(ENTRY_ENCRYPTED, "this entry is encrypted", path=shown)
    if header.method not in (_STORED, _DEFLATED):
        raise Refused(
            ENTRY_UNSUPPORTED, "an unsupported compression method", path=shown, seen=header.method
        )
    if 0xFFFFFFFF in (header.size, header.packed, header.offset) or header.disk:
        raise Refused(ENTRY_UNSUPPORTED, "a zip64 entry", path=shown)
    if _UNICODE_PATH in _extra_ids(extra):
        raise Refused(ENTRY_UNSUPPORTED, "a second name in an extra field", path=shown)
    kind = _kind(header, name)
    if kind is EntryKind.FOLDER and header.size:
        raise Refused(ARCHIVE_DAMAGED, "a folder has content", path=shown)
    return _Member(header, raw_name, name, kind)


def _name(raw: bytes, flags: int) -> str:
    try:
        return raw.decode("utf-8" if flags & _UTF8 else "ascii")
    except UnicodeDecodeError:
        shown = raw[:200].decode("ascii", "backslashreplace")
        raise Refused(PATH_MALFORMED, "a name is not marked as UTF-8", path=shown) from None


def _extra_ids(extra: bytes) -> Iterator[int]:
    at = 0
    while at + 4 <= len(extra):
        found, length = struct.unpack_from("<HH", extra, at)
        yield found
        at += 4 + length


def _kind(header: _Central, name: str) -> EntryKind:
    """By the unix mode where there is one, else by the trailing slash."""
    mode = header.external >> 16
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_IFMT(mode) and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return EntryKind.DEVICE
    is_folder = name.endswith("/")
    if stat.S_IFMT(mode) and stat.S_ISDIR(mode) != is_folder:
        raise Refused(PATH_MALFORMED, "the name and mode disagree on a folder", path=name[:200])
    return EntryKind.FOLDER if is_folder else EntryKind.FILE


def _data_starts(content: bytes, members: list[_Member]) -> list[int]:
    """Where each member's data starts; local headers must agree and cover every byte once."""
    _, _, directory, _ = _end_record(content)
    starts = {m.header.offset: _local_start(content, m, directory) for m in members}
    if len(starts) != len(members):
        raise Refused(ARCHIVE_DAMAGED, "two zip entries share their bytes")
    expected = 0
    for member in sorted(members, key=lambda m: m.header.offset):
        if member.header.offset != expected:
            raise Refused(
                ARCHIVE_TRAILING_BYTES, "unaccounted bytes before an entry", path=member.name[:200]
            )
        expected = starts[member.header.offset] + member.header.packed
        expected += _descriptor_length(content, member, expected)
    if expected != directory:
        raise Refused(ARCHIVE_TRAILING_BYTES, "unaccounted bytes before the zip directory")
    return [starts[m.header.offset] for m in members]


def _local_start(content: bytes, member: _Member, directory: int) -> int:
    at, header, shown = member.header.offset, member.header, member.name[:200]
    if at + _LOCAL.size > directory:
        raise Refused(ARCHIVE_DAMAGED, "a zip entry lies outside the archive", path=shown)
    signature, _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = (
        _LOCAL.unpack_from(content, at)
    )
    name_at = at + _LOCAL.size
    name_end = name_at + int(name_length)
    start = name_end + int(extra_length)
    told = (crc, packed, size)
    streamed = bool(header.flags & _DESCRIPTOR)
    if (
        signature != b"PK\x03\x04"
        or content[name_at:name_end] != member.raw_name
        or (flags, method) != (header.flags, header.method)
        or not (
            told == (header.crc, header.packed, header.size) or (streamed and told == (0, 0, 0))
        )
        or start + header.packed > directory
    ):
        raise Refused(
            ARCHIVE_DAMAGED, "the two headers of a zip entry tell different stories", path=shown
        )
    if _UNICODE_PATH in _extra_ids(content[name_end:start]):
        raise Refused(ENTRY_UNSUPPORTED, "a second name in an extra field", path=shown)
    return start


def _descriptor_length(content: bytes, member: _Member, at: int) -> int:
    """Length of the data descriptor that a streaming writer leaves after the data."""
    header = member.header
    if not header.flags & _DESCRIPTOR:
        return 0
    sizes = struct.pack("<3L", header.crc, header.packed, header.size)
    for form in (b"PK\x07\x08" + sizes, sizes):
        if content.startswith(form, at):
            return len(form)
    raise Refused(ARCHIVE_DAMAGED, "a zip data descriptor is wrong", path=member.name[:200])


def _as_entry(content: bytes, member: _Member, start: int, guard: ExpansionGuard) -> Entry:
    if member.kind is not EntryKind.FILE:
        return Entry(member.name, member.kind)
    packed = memoryview(content)[start : start + member.header.packed]
    # the declared sizes are judged before a byte is inflated
    guard.expanded(member.header.size, member.name[:200])

    def chunks() -> Iterator[bytes]:
        return _checked(_inflated(packed, member), member)

    return Entry(member.name, member.kind, member.header.size, chunks)


def _inflated(packed: memoryview, member: _Member) -> Iterator[bytes]:
    if member.header.method == _STORED:
        yield bytes(packed)
        return
    inflate = zlib.decompressobj(wbits=-15)
    rest: bytes | memoryview = packed
    try:
        while not inflate.eof:
            piece = inflate.decompress(rest, _CHUNK)
            if not piece and not inflate.eof:
                raise Refused(ARCHIVE_DAMAGED, "a zip entry is cut short", path=member.name[:200])
            rest = inflate.unconsumed_tail
            yield piece
    except zlib.error as error:
        raise Refused(ARCHIVE_DAMAGED, f"zip: {error}", path=member.name[:200]) from None
    if inflate.unused_data or rest:
        raise Refused(
            ARCHIVE_TRAILING_BYTES, "bytes follow a zip entry's data", path=member.name[:200]
        )


def _checked(pieces: Iterable[bytes], member: _Member) -> Iterator[bytes]:
    """Pass pieces on while they stay within the declared size; check size and CRC at the end."""
    size, crc, shown = 0, 0, member.name[:200]
    for piece in pieces:
        size += len(piece)
        crc = zlib.crc32(piece, crc)
        if size > member.header.size:
            raise Refused(
                ARCHIVE_DAMAGED,
                "a zip entry is larger than it says",
                path=shown,
                expected=member.header.size,
            )
        yield piece
    if size != member.header.size or crc != member.header.crc:
        raise Refused(ARCHIVE_DAMAGED, "a zip entry's size or checksum is wrong", path=shown)
