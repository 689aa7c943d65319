"""Observers: what the harness sees beside the answer, before and after a call.

The `files` observer looks at a folder the operator named in a launcher. It is bounded, and a look
that could not be complete is a failure: half a look proves nothing.
"""

import asyncio
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MAX_ENTRIES = 5_000
"""Files and folders below a watched folder."""

MAX_BYTES = 256 << 20
"""Bytes read in one look."""

_CHUNK = 1 << 20


class _Incomplete(Exception):
    """The look could not be complete, and why."""


async def look(watched: Mapping[str, Path]) -> dict[str, Any]:
    """What each watched folder holds now.

    Returns:
        {observer: {path: what}} or {observer: "why not"}. Paths are relative, with "/". What: the
        "sha256:…" of a file's bytes, "folder", "link:<target>" or "special".
    """
    return {name: await asyncio.to_thread(_look, folder) for name, folder in watched.items()}


def observed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Two looks as `Exchange.observed`: {observer: {"before", "after"}} or {"failed": why}."""
    joined: dict[str, Any] = {}
    for name, first in before.items():
        second = after[name]
        failed = [look for look in (first, second) if isinstance(look, str)]
        joined[name] = {"failed": failed[0]} if failed else {"before": first, "after": second}
    return joined


def _look(folder: Path) -> dict[str, str] | str:
    try:
        return dict(sorted(_seen_below(folder).items()))
    except _Incomplete as why:
        return str(why)
    except OSError as error:
        # only the system's words: the path they are about is the operator's business
        return error.strerror or type(error).__name__


def _seen_below(top: Path) -> dict[str, str]:
    seen: dict[str, str] = {}
    if top.is_symlink():
        seen["."] = f"link:{_printable(str(top.readlink()))}"  # put in the folder's place, it shows
    left = MAX_BYTES
    folders = [(top, "")]
    while folders:
        folder, prefix = folders.pop()
        for entry in folder.iterdir():
            path = prefix + _printable(entry.name)
            if len(seen) >= MAX_ENTRIES:
                raise _Incomplete(f"more than {MAX_ENTRIES} files and folders")
            mode = entry.lstat().st_mode
            if stat.S_ISLNK(mode):
                seen[path] = f"link:{_printable(str(entry.readlink()))}"
            elif stat.S_ISDIR(mode):
                seen[path] = "folder"
                folders.append((entry, f"{path}/"))
            elif stat.S_ISREG(mode):
                seen[path], left = _digest(entry, left)
            else:
                seen[path] = "special"
    return seen


def _printable(name: str) -> str:
    """A file name as text: bytes that are not UTF-8 are escaped, so that it can be stored."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _digest(path: Path, left: int) -> tuple[str, int]:
    made = hashlib.sha256()
    # whoever owns the folder may put a link or a pipe here since we looked: a pipe would hold us
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _Incomplete("a file was replaced while it was looked at")
        while chunk := file.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise _Incomplete(f"more than {MAX_BYTES} bytes")
            made.update(chunk)
    return f"sha256:{made.hexdigest()}", left
