"""A streaming tar reader that understands exactly what a bundle needs, and refuses the rest.

POSIX ustar, with pax `path` and `size` records and GNU long names. Links, devices, sparse files,
other record types, and anything two readers could read differently are refused.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bundles.archive_entries import Entry, EntryKind
from bundles.archive_streams import ARCHIVE_DAMAGED, ARCHIVE_TRAILING_BYTES, Feed
from bundles.errors import Refused
from bundles.paths import PATH_MALFORMED
from bundles.reasons import reason

ENTRY_UNSUPPORTED = reason(
    "ENTRY_UNSUPPORTED",
    "An archive entry uses a feature that readers disagree on: sparse files, multi-volume parts, "
    "unknown records or compression methods.",
    "Pack the bundle with a plain `tar` or `zip` command.",
)

_BLOCK = 512
_ZERO = bytes(_BLOCK)
_MAX_RECORD = 64 << 10  # one pax header or long name
_MAX_RECORDS = 4  # between two entries
_KINDS = {
    b"0": EntryKind.FILE,
    b"\0": EntryKind.FILE,
    b"5": EntryKind.FOLDER,
    b"1": EntryKind.LINK,
    b"2": EntryKind.LINK,
    b"K": EntryKind.LINK,
    b"3": EntryKind.DEVICE,
    b"4": EntryKind.DEVICE,
    b"6": EntryKind.DEVICE,
}
_READ_PAX = {"path", "size"}
# times, owners and comments: no part of a bundle
_PAX_WITHOUT_MEANING = {
    "atime", "ctime", "mtime", "uid", "gid", "uname", "gname", "comment", "charset", "hdrcharset",
}  # fmt: skip
_PAX_VENDORS = ("SCHILY.xattr.", "LIBARCHIVE.xattr.", "LIBARCHIVE.creationtime", "SCHILY.fflags")


@dataclass(frozen=True, slots=True)
class _Header:
    name: str
    size: int
    kind: bytes


def tar_entries(chunks: Iterable[bytes]) -> Iterator[Entry]:
    """The entries of a tar, each readable once and in turn.

    Raises:
        Refused: ARCHIVE_DAMAGED, ARCHIVE_TRAILING_BYTES, ENTRY_UNSUPPORTED or PATH_MALFORMED.
    """
    feed = Feed(chunks)
    overrides: dict[str, str] = {}
    records = 0
    while True:
        block = feed.read(_BLOCK)
        if block == _ZERO:
            if records:
                raise Refused(ARCHIVE_DAMAGED, "a header record belongs to no entry")
            _expect_end(feed)
            return
        header = _header(block)
        if header.kind in (b"x", b"g", b"L"):
            records += 1
            if records > _MAX_RECORDS:
                raise Refused(ENTRY_UNSUPPORTED, "too many header records before one entry")
            _take_record(header, feed, overrides)
            continue
        yield from _entry(header, feed, overrides)
        overrides, records = {}, 0


def _entry(header: _Header, feed: Feed, overrides: dict[str, str]) -> Iterator[Entry]:
    name = overrides.get("path", header.name)
    size = _pax_size(overrides["size"]) if "size" in overrides else header.size
    kind = _KINDS.get(header.kind)
    if kind is None:
        raise Refused(
            ENTRY_UNSUPPORTED,
            "an unsupported kind of tar entry",
            path=name[:200],
            seen=header.kind.decode("latin-1"),
        )
    if kind is EntryKind.FILE and name.endswith("/"):
        raise Refused(PATH_MALFORMED, "a file's name ends with a slash", path=name[:200])
    if kind is not EntryKind.FILE:
        if size:
            raise Refused(ARCHIVE_DAMAGED, "an entry that is no file has content", path=name[:200])
        yield Entry(name, kind)
        return
    read = False

    def chunks() -> Iterator[bytes]:
        nonlocal read
        read = True
        return feed.pieces(size)

    yield Entry(name, kind, size, chunks)
    if not read:
        for _ in feed.pieces(size):
            pass
    _skip_padding(feed, size)


def _take_record(header: _Header, feed: Feed, overrides: dict[str, str]) -> None:
    """Read a pax header or GNU long name and keep what it says about the next entry."""
    if header.size > _MAX_RECORD:
        raise Refused(ENTRY_UNSUPPORTED, "a header record is too large", seen=header.size)
    content = b"".join(feed.pieces(header.size))
    _skip_padding(feed, header.size)
    if header.kind == b"L":
        named = {"path": _text(content.rstrip(b"\0"))}
    else:
        named = dict(_pax_records(content))
        if header.kind == b"g" and named.keys() & _READ_PAX:
            raise Refused(ENTRY_UNSUPPORTED, "a global header that names paths or sizes")
    for key, value in named.items():
        if key not in _READ_PAX:
            continue
        if key in overrides:
            raise Refused(ENTRY_UNSUPPORTED, f"two header records give one entry's {key}")
        overrides[key] = value


def _pax_records(content: bytes) -> Iterator[tuple[str, str]]:
    """Each record is `<length> <key>=<value>`, a newline after it; the length counts it all."""
    known: set[str] = set()
    while content:
        digits, space, _ = content[:10].partition(b" ")
        length = int(digits) if space and digits.isdigit() else 0
        record = content[:length]
        key, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        if not equals or not record.endswith(b"\n") or len(record) != length:
            raise Refused(ARCHIVE_DAMAGED, "a malformed pax record")
        name = _text(key)
        meaningless = name in _PAX_WITHOUT_MEANING or name.startswith(_PAX_VENDORS)
        if name in known or not (meaningless or name in _READ_PAX):
            raise Refused(ENTRY_UNSUPPORTED, "an unsupported pax record", seen=name[:80])
        known.add(name)
        if not meaningless:
            yield name, _text(value)
        content = content[length:]


def _header(block: bytes) -> _Header:
    if len(block) < _BLOCK:
        raise Refused(ARCHIVE_DAMAGED, "the tar is cut short")
    checksum = sum(block) - sum(block[148:156]) + 8 * 0x20
    if _octal(block[148:156]) != checksum:
        raise Refused(ARCHIVE_DAMAGED, "a tar header's checksum is wrong")
    name = _text(block[:100].partition(b"\0")[0])
    if block[257:263] == b"ustar\0":  # POSIX; in GNU's form the prefix bytes mean other things
        prefix = _text(block[345:500].partition(b"\0")[0])
        name = f"{prefix}/{name}" if prefix else name
    return _Header(name, _octal(block[124:136]), block[156:157])


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not digits or len(digits) > 12 or any(byte not in b"01234567" for byte in digits):
        raise Refused(ARCHIVE_DAMAGED, "a number in a tar header is malformed")
    return int(digits, 8)


def _pax_size(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 15):
        raise Refused(ARCHIVE_DAMAGED, "a pax size is malformed", seen=value[:40])
    return int(value)


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        shown = raw[:200].decode("utf-8", "backslashreplace")
        raise Refused(PATH_MALFORMED, "a name is not UTF-8", path=shown) from None


def _skip_padding(feed: Feed, size: int) -> None:
    padding = -size % _BLOCK
    if len(feed.read(padding)) != padding:
        raise Refused(ARCHIVE_DAMAGED, "the tar is cut short")


def _expect_end(feed: Feed) -> None:
    """After the end marker only zeros may follow: writers pad to a record of blocks."""
    while block := feed.read(_BLOCK):
        if block.count(0) != len(block):
            raise Refused(ARCHIVE_TRAILING_BYTES, "bytes follow the end of the tar")
