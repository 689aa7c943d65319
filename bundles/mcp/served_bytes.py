"""The very text of each tool in a document, so that two spellings of one tool can be told apart.

A semantic digest says that two tools mean the same; only the bytes say that they are the same.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from bundles.digest import raw_digest

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=False)


def tool_texts(text: str, path: Sequence[str] = ()) -> dict[str, str]:
    """Tool name → its JSON exactly as it stands in a well-formed document.

    Args:
        text: an array of tools, or an object that holds one under `tools`.
        path: members that lead to that object, as ("result",) in a JSON-RPC response.

    Returns:
        Empty where there is no such array; of two tools with one name the first.
    """
    try:
        found = _array_at(text, _skip(text, 0), [*path, "tools"])
        return {} if found is None else _texts(text, found)
    except (ValueError, IndexError, RecursionError):
        return {}


def byte_digests(texts: Mapping[str, str]) -> dict[str, str]:
    """Tool name → "sha256:…" of the bytes of its text in UTF-8."""
    return {name: raw_digest(text.encode("utf-8", "surrogatepass")) for name, text in texts.items()}


def _array_at(text: str, at: int, path: Sequence[str]) -> int | None:
    """Where the array at a path begins, None where there is none; a root array needs no path."""
    if text[at] == "[":
        return at
    if text[at] != "{" or not path:
        return None
    for name, start in _members(text, at):
        if name == path[0]:
            return _array_at(text, start, path[1:])
    return None


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Names of the members of the object at a place, with the places of their values."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # the colon
        yield str(name), at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        at = _skip(text, at + 1) if text[at] == "," else at


def _texts(text: str, at: int) -> dict[str, str]:
    texts: dict[str, str] = {}
    at = _skip(text, at + 1)
    while text[at] != "]":
        tool, end = _DECODER.raw_decode(text, at)
        if isinstance(tool, dict):
            texts.setdefault(str(tool.get("name", "")), text[at:end])
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return texts


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()
