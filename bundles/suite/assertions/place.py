"""`in` and `pointer`: the part of a result that an assertion or a capture looks at."""

from collections.abc import Mapping
from typing import Any

from bundles.report.cut import cut, escaped
from bundles.suite.assertions.seen import SOURCES, Seen
from bundles.suite.extraction import NotExtracted
from bundles.suite.issues import Issues
from bundles.suite.paths import Path
from bundles.suite.pointer import ABSENT, is_pointer, lookup
from bundles.suite.redaction import quoted

POINTER: Mapping[str, Any] = {"$ref": "#/$defs/pointer"}
SOURCE: Mapping[str, Any] = {"enum": list(SOURCES)}

HAS_BODY = ("callTool", "readResource")
"""Operations whose result may be one text, which is then the body."""

POINTER_EXPECTS = 'a JSON pointer: "" or steps that begin with "/"'


def validate_place(given: Mapping[str, Any], path: Path, issues: Issues) -> None:
    """The issues of `in` and `pointer`, where they are there."""
    source = given.get("in", SOURCES[0])
    if not isinstance(source, str):
        issues.wrong_type(path.field("in"), " or ".join(SOURCES), source)
    elif source not in SOURCES:
        issues.wrong_value(path.field("in"), " or ".join(SOURCES), source)
    pointer = given.get("pointer", "")
    if not isinstance(pointer, str):
        issues.wrong_type(path.field("pointer"), POINTER_EXPECTS, pointer)
    elif not is_pointer(pointer):
        issues.wrong_value(path.field("pointer"), POINTER_EXPECTS, pointer)


def validate_source(
    given: Mapping[str, Any], operation: str | None, path: Path, issues: Issues
) -> None:
    """The issue of looking into the body of an operation that has none."""
    if given.get("in") == "body" and operation is not None and operation not in HAS_BODY:
        expects = f"result: operation {operation!r} has no body"
        issues.wrong_value(path.field("in"), expects, "body")


def found_at(source: str, pointer: str, seen: Seen) -> Any:
    """What is there: a value, ABSENT, or NotExtracted where there is no body to look into."""
    extracted = seen.value(source)
    return extracted if isinstance(extracted, NotExtracted) else lookup(extracted.value, pointer)


def nothing_there(source: str, pointer: str, found: Any, seen: Seen) -> str:
    """Why there is no value, in one sentence."""
    if found is ABSENT:
        return f"there is nothing at {shown_place(source, pointer)}"
    return f"the result has no body: {found.code}, found {quoted(found.actual, seen.secrets)}"


def shown_place(source: str, pointer: str) -> str:
    """A place as a report names it: `/structuredContent/id`, `the body at /id`."""
    if not pointer:
        return f"the {source}"
    shown = escaped(cut(pointer))
    return shown if source == "result" else f"the {source} at {shown}"
