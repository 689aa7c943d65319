"""Values without members that tell two schemas apart: what they name, and what is just outside."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from bundles.errors import Refused
from bundles.suite.generate.pattern import shortest_match

_LONGEST = 5_000
_PLAIN: tuple[Any, ...] = (None, True, False, 0, 1, -1, 2, 1.5, "", "a", "b", "0", "A1", " ", "é")
_OF_FORMAT = {
    "date": "2026-01-15",
    "date-time": "2026-01-15T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "person@example.com",
    "idn-email": "person@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uri-reference": "/a",
    "iri": "https://example.com/",
    "iri-reference": "/a",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "json-pointer": "/a",
    "relative-json-pointer": "0",
    "uri-template": "/{a}",
    "regex": "a",
}


def named(rules: Mapping[str, Any]) -> Iterator[Any]:
    """The values a subschema writes down itself."""
    if "const" in rules:
        yield rules["const"]
    listed = rules.get("enum")
    yield from listed if isinstance(listed, list) else ()
    examples = rules.get("examples")
    yield from examples if isinstance(examples, list) else ()
    if "default" in rules:
        yield rules["default"]


def near(rules: Mapping[str, Any]) -> Iterator[Any]:
    """Numbers and texts at the bounds of a subschema and just beyond them."""
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        bound = rules.get(keyword)
        if is_number(bound):
            whole = int(bound) if abs(bound) < 1e300 else 0
            yield from (bound, whole, whole + 1, whole - 1, bound + 0.5, bound - 0.5)
    step = rules.get("multipleOf")
    if is_number(step) and step > 0:
        yield from (step, 2 * step, step / 2, step * 1.5, step + 1, -step)
    for text in patterns(rules):
        yield from (text, f"{text}a", f"a{text}", text[:-1], text.upper())
    made = _OF_FORMAT.get(str(rules.get("format")))
    if made is not None:
        yield made
    for keyword in ("minLength", "maxLength"):
        length = rules.get(keyword)
        if is_count(length):
            yield from ("a" * wanted for wanted in (length, length + 1, length - 1) if wanted >= 0)


def patterns(rules: Mapping[str, Any]) -> Iterator[str]:
    """Texts that match the pattern of a subschema, and its lengths where it has any."""
    pattern = rules.get("pattern")
    if isinstance(pattern, str):
        yield from matching(pattern, rules)


def matching(pattern: str, rules: Mapping[str, Any]) -> Iterator[str]:
    """Texts that match a pattern: the shortest, and one as long as the lengths ask for."""
    least = rules.get("minLength")
    for wanted in {None, least if is_count(least) else None}:
        try:
            yield shortest_match(pattern, wanted, _LONGEST, "")
        except Refused:  # written in a way that cannot be followed: other values have to do
            continue


def plain() -> tuple[Any, ...]:
    """One or two values of every type that has no members."""
    return _PLAIN


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a JSON number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value is a length or size small enough to be made."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LONGEST
