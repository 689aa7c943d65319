"""Archives for tests: well formed in every format, and broken one byte at a time."""

import gzip
import io
import struct
import tarfile
import zipfile
import zlib


def tar_of(files, *, form=tarfile.PAX_FORMAT, prefix="", mtime=0, owner=""):
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w", format=form) as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(prefix + path)
            member.size, member.mtime, member.uname = len(content), mtime, owner
            archive.addfile(member, io.BytesIO(content))
    return sink.getvalue()


def tar_gz_of(files, **options):
    return gzip.compress(tar_of(files, **options), mtime=options.get("mtime", 0))


def zip_of(files, *, method=zipfile.ZIP_DEFLATED, when=(1980, 1, 1, 0, 0, 0), streamed=False):
    sink = io.BytesIO()
    target = Unseekable(sink) if streamed else sink
    with zipfile.ZipFile(target, "w", method) as archive:
        for path, content in files.items():
            info = zipfile.ZipInfo(path, when)
            info.compress_type = method
            archive.writestr(info, content)
    return sink.getvalue()


class Unseekable(io.RawIOBase):
    """A sink that cannot seek: zip writers then put sizes behind the data."""

    def __init__(self, sink):
        self.sink = sink

    def writable(self):
        return True

    def write(self, chunk):
        return self.sink.write(chunk)


def tar_member(name, kind, *, size=0, link=""):
    """A tar with one entry of any kind."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, link
        archive.addfile(member)
    return sink.getvalue()


def tar_block(name=b"a", *, size=None, kind=b"0", content=b"", magic=b"ustar\x0000"):
    """One raw tar entry, so that anything can be wrong with it."""
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108] = b"0000644\0"
    block[124:136] = b"%011o\0" % (len(content) if size is None else size)
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[257 : 257 + len(magic)] = magic
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + content + bytes(-len(content) % 512)


END = bytes(1024)


def pax(*records):
    """The content of a pax header: records of (key, value)."""
    written = b""
    for key, value in records:
        body = b" %b=%b\n" % (key, value)
        length = len(body) + 1
        while len(b"%d" % length) + len(body) != length:
            length += 1
        written += b"%d" % length + body
    return written


def zip_entry(
    name=b"a.txt",
    content=b"hello",
    *,
    method=8,
    flags=0,
    local=None,
    size=None,
    crc=None,
    external=0,
    extra=b"",
    data=None,
):
    """A zip of one entry, with any header field overridden; `local` overrides the local one's."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(content) + deflate.flush() if method == 8 else content
    packed = packed if data is None else data
    told = {
        "flags": flags,
        "method": method,
        "crc": zlib.crc32(content) if crc is None else crc,
        "packed": len(packed),
        "size": len(content) if size is None else size,
        "name": name,
        "extra": extra,
    }
    here = {**told, **(local or {})}
    header = struct.pack(
        "<4s5H3L2H",
        b"PK\x03\x04",
        20,
        here["flags"],
        here["method"],
        0,
        0x21,
        here["crc"],
        here["packed"],
        here["size"],
        len(here["name"]),
        len(here["extra"]),
    )
    body = header + here["name"] + here["extra"] + packed
    central = struct.pack(
        "<4s6H3L5H2L",
        b"PK\x01\x02",
        (3 << 8) | 20,
        20,
        told["flags"],
        told["method"],
        0,
        0x21,
        told["crc"],
        told["packed"],
        told["size"],
        len(name),
        len(extra),
        0,
        0,
        0,
        external,
        0,
    )
    central += name + extra
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(central), len(body), 0)
    return body + central + end
