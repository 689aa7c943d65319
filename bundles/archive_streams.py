"""Bounded byte streams under the archive readers: every byte in and out is counted."""

import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from bundles.errors import LimitExceeded, Refused
from bundles.limits import Limits
from bundles.reasons import reason

ARCHIVE_TOO_LARGE = reason(
    "ARCHIVE_TOO_LARGE",
    "The archive itself is larger than the limit.",
    "Remove what is not needed, or compress the archive.",
)
ARCHIVE_EXPANDS_TOO_FAR = reason(
    "ARCHIVE_EXPANDS_TOO_FAR",
    "The archive expands beyond the limit on size or on the ratio of expanded to packed bytes.",
    "Remove very large or very repetitive files.",
)
ARCHIVE_DAMAGED = reason(
    "ARCHIVE_DAMAGED",
    "The archive is cut short, or a checksum, size or structure in it is wrong.",
    "Pack the bundle again.",
)
ARCHIVE_TRAILING_BYTES = reason(
    "ARCHIVE_TRAILING_BYTES",
    "Bytes precede or follow the archive, which another reader could take for content.",
    "Pack the bundle again, into a new file.",
)

_CHUNK = 64 << 10
# headers and padding of a tar beside its files' bytes: at most a header, a pax header with its
# records, and two paddings for each entry
_TAR_OVERHEAD = 4096


def bounded(stream: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """The bytes of an archive in chunks.

    Raises:
        LimitExceeded: ARCHIVE_TOO_LARGE, at the first byte over the limit.
    """
    total = 0
    while chunk := stream.read(_CHUNK):
        total += len(chunk)
        if total > limits.archive_bytes:
            raise LimitExceeded(
                ARCHIVE_TOO_LARGE,
                "the archive is larger than the limit",
                seen=total,
                expected=limits.archive_bytes,
            )
        yield chunk


class ExpansionGuard:
    """Counts packed and expanded bytes and refuses the moment they are out of proportion."""

    def __init__(self, limits: Limits, allowance: int = 0) -> None:
        self._limits = limits
        self._most = limits.expanded_bytes + allowance
        self._packed = 0
        self._expanded = 0

    def packed(self, count: int) -> None:
        """Count bytes taken from the archive."""
        self._packed += count

    def expanded(self, count: int, path: str = "") -> None:
        """Count bytes that came out.

        Raises:
            LimitExceeded: ARCHIVE_EXPANDS_TOO_FAR.
        """
        self._expanded += count
        if self._expanded > self._most:
            raise LimitExceeded(
                ARCHIVE_EXPANDS_TOO_FAR,
                "the archive expands beyond the limit",
                path=path,
                seen=self._expanded,
                expected=self._most,
            )
        if (
            self._expanded > self._limits.ratio_floor_bytes
            and self._expanded > self._packed * self._limits.ratio
        ):
            raise LimitExceeded(
                ARCHIVE_EXPANDS_TOO_FAR,
                f"the archive expands more than {self._limits.ratio} times",
                path=path,
                seen=self._expanded // max(self._packed, 1),
                expected=self._limits.ratio,
            )


def gunzip(chunks: Iterable[bytes], limits: Limits) -> Iterator[bytes]:
    """Expand one gzip member, a bounded piece at a time.

    Raises:
        LimitExceeded: ARCHIVE_EXPANDS_TOO_FAR.
        Refused: ARCHIVE_DAMAGED, or ARCHIVE_TRAILING_BYTES for anything after the member.
    """
    guard = ExpansionGuard(limits, limits.files * _TAR_OVERHEAD)
    inflate = zlib.decompressobj(wbits=31)
    for chunk in chunks:
        if inflate.eof:
            raise Refused(ARCHIVE_TRAILING_BYTES, "bytes follow the gzip member")
        guard.packed(len(chunk))
        rest = chunk
        while rest and not inflate.eof:
            try:
                piece = inflate.decompress(rest, _CHUNK)
            except zlib.error as error:
                raise Refused(ARCHIVE_DAMAGED, f"gzip: {error}") from None
            rest = inflate.unconsumed_tail
            if piece:
                guard.expanded(len(piece))
                yield piece
        if inflate.unused_data:
            raise Refused(ARCHIVE_TRAILING_BYTES, "bytes follow the gzip member")
    yield from _remaining(inflate, guard)


def _remaining(inflate: "zlib._Decompress", guard: ExpansionGuard) -> Iterator[bytes]:
    """What the decompressor still holds after the last input, in bounded pieces."""
    while not inflate.eof:
        piece = inflate.decompress(b"", _CHUNK)
        if not piece:
            raise Refused(ARCHIVE_DAMAGED, "gzip: the stream is cut short")
        guard.expanded(len(piece))
        yield piece


class Feed:
    """Exact reads over an iterable of chunks."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._buffer = b""

    def read(self, size: int) -> bytes:
        """Exactly `size` bytes, fewer only at the end."""
        if len(self._buffer) >= size:
            taken, self._buffer = self._buffer[:size], self._buffer[size:]
            return taken
        pieces, held = [self._buffer], len(self._buffer)
        for chunk in self._chunks:
            pieces.append(chunk)
            held += len(chunk)
            if held >= size:
                break
        joined = b"".join(pieces)
        taken, self._buffer = joined[:size], joined[size:]
        return taken

    def pieces(self, size: int) -> Iterator[bytes]:
        """`size` bytes in bounded pieces.

        Raises:
            Refused: ARCHIVE_DAMAGED when the archive ends before.
        """
        while size > 0:
            piece = self.read(min(size, _CHUNK))
            if not piece:
                raise Refused(ARCHIVE_DAMAGED, "the archive is cut short")
            size -= len(piece)
            yield piece
