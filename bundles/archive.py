"""Archives in, files out: tar, tar.gz and zip, streamed under limits; and a deterministic tar out.

Sizes, counts, the ratio and every name are judged before content is expanded, and declared sizes
are never believed: what is read is counted.
"""

import gzip
import io
import tarfile
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO

from bundles.archive_entries import TAR_MAGIC, TAR_MAGIC_AT, Entry, EntryKind, collect
from bundles.archive_streams import bounded, gunzip
from bundles.archive_tar import tar_entries
from bundles.archive_zip import zip_entries
from bundles.errors import Refused
from bundles.limits import DEFAULT_LIMITS, Limits
from bundles.reasons import reason

__all__ = ["Entry", "EntryKind", "collect", "read_archive", "write_tar", "write_tar_gz"]

ARCHIVE_UNKNOWN_FORMAT = reason(
    "ARCHIVE_UNKNOWN_FORMAT",
    "The bytes are no tar, tar.gz or zip archive.",
    "Pack the folder with `tar -czf bundle.tar.gz -C FOLDER .`",
)


def read_archive(stream: BinaryIO, limits: Limits = DEFAULT_LIMITS) -> dict[str, bytes]:
    """Read a tar, tar.gz or zip, told apart by its first bytes.

    Args:
        stream: the archive; need not be seekable. At most one chunk beyond
            `limits.archive_bytes` is read.
        limits: the bounds.

    Returns:
        path → content, in the order of the paths' UTF-8 bytes.

    Raises:
        Refused: an ARCHIVE_*, ENTRY_* or PATH_* code.
        LimitExceeded: ARCHIVE_TOO_LARGE, ARCHIVE_EXPANDS_TOO_FAR, BUNDLE_TOO_LARGE,
            FILE_TOO_LARGE, PATH_TOO_LONG or TOO_MANY_FILES.
    """
    chunks = bounded(stream, limits)
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= TAR_MAGIC_AT + len(TAR_MAGIC):
            break
    return collect(_entries(head, chain((head,), chunks), limits), limits)


def _entries(head: bytes, chunks: Iterator[bytes], limits: Limits) -> Iterator[Entry]:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return zip_entries(chunks, limits)
    if head.startswith(b"\x1f\x8b"):
        return tar_entries(gunzip(chunks, limits))
    if head[TAR_MAGIC_AT : TAR_MAGIC_AT + len(TAR_MAGIC)] == TAR_MAGIC:
        return tar_entries(chunks)
    raise Refused(
        ARCHIVE_UNKNOWN_FORMAT,
        "this is no tar, tar.gz or zip",
        seen=head[:8].hex(),
        expected=["tar", "tar.gz", "zip"],
    )


def write_tar(files: Mapping[str, bytes]) -> bytes:
    """A deterministic tar: sorted by path, no times, no owners, mode 0644."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(files, key=lambda path: path.encode("utf-8")):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(files[path]), 0o644
            archive.addfile(member, io.BytesIO(files[path]))
    return sink.getvalue()


def write_tar_gz(files: Mapping[str, bytes]) -> bytes:
    """`write_tar`, compressed, without a time."""
    return gzip.compress(write_tar(files), mtime=0)
