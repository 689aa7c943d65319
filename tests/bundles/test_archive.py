"""Archives: read the same in every format, or refused by name before they are expanded."""

import gzip
import io
import tarfile
import tracemalloc
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.archive import Entry, EntryKind, collect, read_archive, write_tar, write_tar_gz
from bundles.errors import LimitExceeded, Refused
from bundles.limits import Limits
from bundles.reasons import reasons
from tests.bundles.archives import (
    END,
    pax,
    tar_block,
    tar_gz_of,
    tar_member,
    tar_of,
    zip_entry,
    zip_of,
)

FILES = {
    "bundle.yaml": b"contract_bundle: {}\n",
    "deep/er/a.json": b"{}",
    "deep/er/b.json": b"[1]" * 5000,
    "empty.txt": b"",
    "n\u00e4me/\u65e5\u672c.txt": b"text",
    "long/" + "x" * 180 + "/y.txt": b"y",
}
SMALL = Limits(
    archive_bytes=200_000,
    expanded_bytes=50_000,
    ratio_floor_bytes=20_000,
    files=5,
    path_bytes=40,
    file_bytes=30_000,
)


def read(data, limits=SMALL):
    return read_archive(io.BytesIO(data), limits)


@pytest.mark.parametrize(
    "packed",
    [
        tar_of(FILES),
        tar_of(FILES, form=tarfile.GNU_FORMAT),
        tar_of(FILES, prefix="./", mtime=1_700_000_000.5, owner="someone"),
        tar_of(dict(reversed(FILES.items()))),
        tar_gz_of(FILES),
        zip_of(FILES),
        zip_of(FILES, method=zipfile.ZIP_STORED, when=(2026, 1, 2, 3, 4, 6)),
        zip_of(FILES, streamed=True),
        write_tar(FILES),
        write_tar_gz(FILES),
    ],
    ids=range(10),
)
def test_every_format_gives_the_same_files_in_path_order(packed):
    read_back = read_archive(io.BytesIO(packed))
    assert read_back == FILES
    assert list(read_back) == sorted(FILES, key=str.encode)


def test_folders_named_by_entries_are_no_files():
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        for name in (".", "./a"):
            member = tarfile.TarInfo(name)
            member.type = tarfile.DIRTYPE
            archive.addfile(member)
        archive.addfile(tarfile.TarInfo("./a/b.txt"))
    assert read(sink.getvalue()) == {"a/b.txt": b""}
    assert read(zip_of({"a/": b"", "a/b.txt": b"x"})) == {"a/b.txt": b"x"}


def test_a_tar_of_git_archive_with_a_comment_is_read():
    comment = pax((b"comment", b"0" * 40))
    start = tar_block(b"pax_global_header", kind=b"g", size=len(comment), content=comment)
    assert read(start + tar_block(b"a.txt") + END) == {"a.txt": b""}


FAR = {"a.txt": b"\0" * 40_000}
PAIR = {"a.txt": b"1", "A.txt": b"2"}
REFUSALS = {
    "ARCHIVE_UNKNOWN_FORMAT": [b"", b"hello", b"\0" * 2048, b"7z\xbc\xaf'\x1c"],
    "ARCHIVE_TOO_LARGE": [tar_block(size=0) + bytes(1024) + bytes(200_000)],
    "ARCHIVE_EXPANDS_TOO_FAR": [
        tar_gz_of({"a.txt": b"\0" * 29_000, "b.txt": b"\0" * 20_000}),
        zip_of({"a.txt": b"\0" * 29_000, "b.txt": b"\0" * 20_000}),
        gzip.compress(b"\0" * 50_000_000),
    ],
    "BUNDLE_TOO_LARGE": [tar_of({"a.txt": b"a" * 29_000, "b.txt": b"b" * 29_000})],
    "FILE_TOO_LARGE": [tar_of({"a.txt": b"a" * 30_001}), tar_block(b"a", size=8**10) + END],
    "TOO_MANY_FILES": [
        tar_of({f"{n}.txt": b"" for n in range(6)}),
        zip_of(dict.fromkeys("abcdef", b"")),
    ],
    "PATH_TOO_LONG": [tar_of({"x" * 41: b""}), zip_of({"x" * 41: b""})],
    "PATH_ABSOLUTE": [
        tar_of({"/etc/passwd": b""}),
        zip_entry(b"/a"),
        zip_entry(b"C:/a"),
        zip_entry(b"\\a"),
    ],
    "PATH_TRAVERSAL": [
        tar_of({"../a": b""}),
        tar_of({"a/../../b": b""}),
        zip_entry(b"a/../b"),
        zip_entry(b"..\\a"),
        tar_member("..", tarfile.DIRTYPE),
    ],
    "PATH_MALFORMED": [
        tar_of({"a//b": b""}),
        tar_of({"a/./b": b""}),
        tar_of({"a\nb": b""}),
        zip_entry(b"a\\b"),
        zip_entry(b"\xe9.txt"),
        tar_block(b"\xff.txt") + END,
        tar_block(b"a/", kind=b"0") + END,
        tar_block(b"") + END,
        zip_entry(b"folder", external=0o040755 << 16),
    ],
    "PATH_NOT_NFC": [tar_of({"e\u0301.txt": b""}), zip_of({"\u212b.txt": b""})],
    "PATH_DUPLICATE": [
        tar_block(b"a") + tar_block(b"a") + END,
        tar_block(b"a") + tar_block(b"./a") + END,
        tar_of({"a": b"", "a/b": b""}),
        tar_of({"a/b": b"", "a": b""}),
    ],
    "PATH_CASE_COLLISION": [
        tar_of(PAIR),
        zip_of(PAIR),
        tar_of({"D/a": b"", "d/b": b""}),
        tar_of({"stra\u00dfe": b"", "STRASSE": b""}),
    ],
    "ENTRY_LINK": [
        tar_member("a", tarfile.SYMTYPE, link="/etc/passwd"),
        tar_member("a", tarfile.LNKTYPE, link="b"),
        zip_entry(external=0o120777 << 16),
    ],
    "ENTRY_DEVICE": [
        tar_member("a", tarfile.CHRTYPE),
        tar_member("a", tarfile.BLKTYPE),
        tar_member("a", tarfile.FIFOTYPE),
        zip_entry(external=0o010644 << 16),
    ],
    "ENTRY_ENCRYPTED": [zip_entry(flags=1), zip_entry(flags=0x2000), zip_entry(flags=0x41)],
    "ENTRY_NESTED_ARCHIVE": [
        tar_of({"a.bin": zip_of({"b": b""})}),
        tar_of({"a.bin": gzip.compress(b"x")}),
        tar_of({"a.bin": tar_of({"b": b""})}),
        zip_of({"inner.zip": b"not even one"}),
    ],
    "ENTRY_UNSUPPORTED": [
        tar_block(b"a", kind=b"S") + END,
        tar_block(b"a", kind=b"7") + END,
        tar_block(b"h", kind=b"x", content=pax((b"GNU.sparse.map", b"0,1"))) + END,
        tar_block(b"h", kind=b"g", content=pax((b"path", b"x"))) + tar_block() + END,
        tar_block(b"h", kind=b"x", content=pax((b"path", b"x"), (b"path", b"y"))) + END,
        tar_block(b"h", kind=b"L", content=b"x\0")
        + tar_block(b"h", kind=b"x", content=pax((b"path", b"y")))
        + tar_block()
        + END,
        tar_block(b"h", kind=b"x", size=1 << 20) + END,
        tar_block(b"h", kind=b"x") * 9 + END,
        zip_entry(method=12),
        zip_entry(size=0xFFFFFFFF),
        zip_entry(extra=b"\x75\x70\x04\x00abcd"),
    ],
    "ARCHIVE_DAMAGED": [
        tar_of(FILES)[:600],
        tar_block(b"a", size=10) + END[:0],
        tar_block(b"a"),
        tar_block(b"a")[:148] + b"0000000\0" + tar_block(b"a")[156:] + END,
        tar_block(b"d", kind=b"5", size=3, content=b"abc") + END,
        tar_block(b"h", kind=b"x", content=b"9 a=b\n") + tar_block() + END,
        tar_block(b"h", kind=b"x", content=pax((b"path", b"x"))) + END,
        tar_gz_of({"a": b"1" * 9000})[:60],
        gzip.compress(tar_block(b"a") + END)[:-9] + b"\0" * 9,
        zip_of({"a.txt": b"1"})[:-30],
        zip_entry(size=4),
        zip_entry(size=6),
        zip_entry(crc=1),
        zip_entry(local={"name": b"b.txt"}),
        zip_entry(local={"size": 4}),
        zip_entry(local={"method": 0}),
        zip_entry(data=b"\xff\xff\xff"),
        zip_entry(b"folder/", b"x", external=0o040755 << 16),
        zip_entry(flags=8, local={"size": 0, "packed": 0, "crc": 0}),
    ],
    "ARCHIVE_TRAILING_BYTES": [
        tar_of({"a": b""}) + b"more",
        gzip.compress(tar_of({"a": b""})) + b"more",
        gzip.compress(tar_of({"a": b""})) * 2,
        zip_of({"a.txt": b"1"}) + b"more",
        zip_entry(data=b"\xcb\x48\xcd\xc9\xc9\x07\x00" + b"more"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "packed"),
    [
        pytest.param(code, bad, id=f"{code}-{number}")
        for code, all_ in REFUSALS.items()
        for number, bad in enumerate(all_)
    ],
)
def test_an_unsafe_archive_is_refused_by_name(code, packed):
    with pytest.raises(Refused) as refusal:
        read(packed)
    assert refusal.value.reason_code == code
    assert refusal.value.next_steps


def test_bytes_before_a_zip_are_refused():
    inner = zip_of({"a.txt": b"1"})
    with pytest.raises(Refused) as refusal:
        read(b"PK\x03\x04 stub" + inner)
    assert refusal.value.reason_code == "ARCHIVE_TRAILING_BYTES"


def test_a_limit_says_what_it_is_and_what_was_met():
    with pytest.raises(LimitExceeded) as refusal:
        read(tar_of({"a.txt": b"a" * 30_001}))
    assert (refusal.value.path, refusal.value.seen, refusal.value.expected) == (
        "a.txt", 30_001, 30_000,
    )  # fmt: skip


class Endless(io.RawIOBase):
    """A stream that never ends and counts what is taken from it."""

    def __init__(self, start):
        self.start, self.taken = start, 0

    def read(self, size=-1):
        chunk = (self.start + b"\x01" * size)[:size] if self.taken == 0 else b"\x01" * size
        self.taken += len(chunk)
        return chunk


def test_an_endless_stream_is_left_at_the_limit():
    for start in (b"PK\x03\x04", tar_block(b"a", size=8**10)):
        stream = Endless(start)
        with pytest.raises(LimitExceeded):
            read_archive(stream, SMALL)
        assert stream.taken <= SMALL.archive_bytes + 64 * 1024


@pytest.mark.parametrize(
    "bomb",
    [
        gzip.compress(b"\0" * 60_000_000),
        tar_gz_of({"a.txt": b"\0" * 60_000_000}),
        zip_of({"a.txt": b"\0" * 60_000_000}),
        zip_entry(content=b"\0" * 60_000_000, size=100, local={"size": 100}),
    ],
    ids=["gzip", "tar.gz", "zip", "zip that lies"],
)
def test_a_bomb_is_refused_before_it_is_expanded(bomb):
    tracemalloc.start()
    try:
        with pytest.raises(Refused):
            read_archive(io.BytesIO(bomb))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000


def test_a_lying_size_is_not_believed_by_collect():
    entries = [Entry("a", EntryKind.FILE, 1, lambda: iter([b"x" * 20_000, b"x" * 20_000]))]
    with pytest.raises(LimitExceeded) as refusal:
        collect(entries, SMALL)
    assert refusal.value.reason_code == "FILE_TOO_LARGE"


def outcome_of(packed):
    """Either "read" or "refused"; any other exception is a crash."""
    try:
        files = read_archive(io.BytesIO(packed))
    except Refused as refusal:
        return "refused" if refusal.reason_code in reasons() else "refused without a reason"
    return "read" if all(isinstance(c, bytes) for c in files.values()) else "misread"


whole = {"tar": tar_of(FILES), "tar.gz": tar_gz_of(FILES), "zip": zip_of(FILES)}


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(sorted(whole)), st.data())
def test_a_damaged_archive_gives_the_same_files_or_is_refused(form, data):
    packed = bytearray(whole[form])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(packed) - 1))
        packed[at] = data.draw(st.integers(0, 255))
    assert outcome_of(bytes(packed)) in ("read", "refused")


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([b"", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\x00"]),
    st.binary(max_size=700),
)
def test_any_bytes_are_read_or_refused(start, rest):
    with pytest.raises(Refused):
        read_archive(io.BytesIO(start + rest))
