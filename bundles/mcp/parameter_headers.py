"""`x-mcp-header`: parameters of a tool that clients repeat in HTTP headers (SEP-2243). Pure.

Source: MCP 2026-07-28, basic/transports/streamable-http, custom headers from tool parameters.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bundles.mcp.problem import Problem, pointer_of

ANNOTATION = "x-mcp-header"

_PLAIN = re.compile(r"([!-~]+( +[!-~]+)*)?")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TYPES = ("integer", "string", "boolean")
_ONE = (
    *("items", "contains", "unevaluatedItems", "additionalProperties", "propertyNames"),
    *("unevaluatedProperties", "not", "if", "then", "else", "contentSchema"),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("patternProperties", "dependentSchemas", "$defs", "definitions")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Annotated:
    """One annotation.

    Attributes:
        pointer: JSON pointer of the schema that carries it.
        names: the properties that lead to it from the root, None where something else does too.
        header: its value, whatever that is.
        type: the `type` beside it.
    """

    pointer: str
    names: tuple[str, ...] | None
    header: Any
    type: Any


def annotations(schema: object) -> Iterator[Annotated]:
    """Every annotation in an inputSchema, in the order of the document, wherever it stands."""
    waiting: list[tuple[Path, tuple[str, ...] | None, object]] = [((), (), schema)]
    while waiting:
        path, names, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        if ANNOTATION in node:
            yield Annotated(pointer_of([*path]), names, node[ANNOTATION], node.get("type"))
        waiting.extend(reversed(list(_inside(path, names, node))))


def _inside(
    path: Path, names: tuple[str, ...] | None, node: dict[str, Any]
) -> Iterator[tuple[Path, tuple[str, ...] | None, object]]:
    for word, inner in node.items():
        if word == "properties" and isinstance(inner, dict):
            for name, one in inner.items():
                yield (*path, word, name), None if names is None else (*names, name), one
        elif word in _MAPS and isinstance(inner, dict):
            yield from (((*path, word, name), None, one) for name, one in inner.items())
        elif word in _LISTS and isinstance(inner, list):
            yield from (((*path, word, at), None, one) for at, one in enumerate(inner))
        elif word in _ONE:
            yield (*path, word), None, inner


def annotation_problems(schema: object) -> Iterator[Problem]:
    """What makes clients leave a tool alone because of its annotations."""
    taken: dict[str, str] = {}
    for found in annotations(schema):
        message = _problem(found)
        if not message and found.header.lower() in taken:
            message = f"{taken[found.header.lower()]} is mirrored into the same header"
        if message:
            yield Problem(found.pointer, message, found.header)
        else:
            taken[found.header.lower()] = found.pointer


def _problem(found: Annotated) -> str:
    if not found.names:
        return "the annotation stands where no chain of `properties` alone leads"
    if not isinstance(found.header, str) or not _TOKEN.fullmatch(found.header):
        return "the name of the header is no token of RFC 9110"
    if found.type not in _TYPES:
        return "only integers, strings and booleans can be mirrored"
    return ""


def mirrored(schema: object, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The headers a client repeats arguments in, lower-case names; none where it must leave the
    tool alone. What is absent, null, or no plain value is repeated in none.
    """
    if next(annotation_problems(schema), None) is not None:
        return {}
    headers: dict[str, str] = {}
    for found in annotations(schema):
        value: Any = arguments
        for name in found.names or ():
            value = value.get(name) if isinstance(value, Mapping) else None
        written = _written(value)
        if written is not None:
            headers[f"mcp-param-{found.header.lower()}"] = as_field_value(written)
    return headers


def as_field_value(text: str) -> str:
    """A text as it can stand in a header: plain, or in base64 where that would change it."""
    if _PLAIN.fullmatch(text) and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    return in_base64(text)


def in_base64(text: str) -> str:
    """A text in the sentinel `=?base64?…?=`."""
    encoded = base64.b64encode(text.encode("utf-8", "surrogatepass"))
    return f"=?base64?{encoded.decode()}?="


def _written(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        return None
    try:
        return str(value)
    except ValueError:  # more digits than Python writes
        return None


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRETS = frozenset(
    {"apikey", "credential", "credentials", "passphrase", "passwd", "password", "secret", "token"}
)
_KEYS_OF = frozenset({"access", "api", "auth", "encryption", "private", "secret", "signing"})
_NO_SECRET = frozenset({"continuation", "count", "cursor", "limit", "next", "page", "sync"})


def sounds_secret(name: str) -> bool:
    """True for the name of a parameter, or header, that reads like a credential.

    A key counts with the word that makes it one, or alone; the token of a page is none.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    key = words == ["key"] or ("key" in words and not _KEYS_OF.isdisjoint(words))
    return key or (not _SECRETS.isdisjoint(words) and _NO_SECRET.isdisjoint(words))
