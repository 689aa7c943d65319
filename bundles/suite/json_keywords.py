"""The keywords of JSON Schema 2020-12, and what in a schema is none.

The standard lets a reader pass over names it does not know. A suite cannot afford that: `requried`
would assert nothing, and no run would ever say so. Nor can it afford `"format": "datetime"`, which
the standard passes over as well. Names that begin with `x-` are for notes.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.key_order import key_order
from bundles.suite.issues import IssueCode, Issues
from bundles.suite.javascript import sorted_names
from bundles.suite.nearest import did_you_mean
from bundles.suite.paths import Path

_ONE = (
    *("not", "if", "then", "else", "items", "contains", "additionalProperties"),
    *("propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)
_MANY = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("$defs", "definitions", "properties", "patternProperties", "dependentSchemas")
_OTHERS = (
    *("$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$comment"),
    *("$vocabulary", "type", "const", "enum", "multipleOf", "maximum", "exclusiveMaximum"),
    *("minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems"),
    *("uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties", "required"),
    *("dependentRequired", "format", "contentEncoding", "contentMediaType", "title"),
    *("description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
)
KEYWORDS = (*_ONE, *_MANY, *_NAMED, *_OTHERS)

FORMATS = (
    *("date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname"),
    *("ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template"),
    *("json-pointer", "relative-json-pointer", "regex"),
)
"""The formats of JSON Schema 2020-12 (validation, section 7.3); each of them is asserted."""

_NOTES = frozenset(
    (
        *("$id", "$schema", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary", "$defs"),
        *("definitions", "contentEncoding", "contentMediaType", "contentSchema", "title"),
        *("description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
    )
)


def asserts_something(schema: Mapping[str, Any]) -> bool:
    """Whether a JSON Schema has any keyword that can tell one value from another."""
    return any(name not in _NOTES and not name.startswith("x-") for name in schema)


def validate_keywords(schema: Mapping[str, Any], path: Path, issues: Issues) -> None:
    """Add an issue for every name in a JSON Schema, and in the schemas inside it, that is none."""
    frames: list[tuple[Any, Path]] = [(schema, path)]
    while frames:
        node, place = frames.pop()
        if not isinstance(node, dict):
            continue
        for name in sorted_names(key for key in node if key not in KEYWORDS):
            if not name.startswith("x-"):
                issues.add(
                    IssueCode.UNSUPPORTED_SCHEMA_KEYWORD,
                    place.field(name),
                    f"no keyword of JSON Schema 2020-12{did_you_mean(name, KEYWORDS)}; "
                    "a note begins with 'x-'",
                )
        named = node.get("format")
        if isinstance(named, str) and named not in FORMATS:
            issues.add(
                IssueCode.INVALID_VALUE,
                place.field("format"),
                f"no format of JSON Schema 2020-12, so that nothing would be asserted"
                f"{did_you_mean(named, FORMATS)}; a note begins with 'x-'",
            )
        frames.extend(reversed(list(_inside(node, place))))


def _inside(node: Mapping[str, Any], path: Path) -> Iterator[tuple[Any, Path]]:
    for name in key_order(node):
        value, place = node[name], path.field(name)
        if name in _ONE:
            yield value, place
        elif name in _MANY and isinstance(value, list):
            yield from ((item, place.item(index)) for index, item in enumerate(value))
        elif name in _NAMED and isinstance(value, dict):
            yield from ((value[key], place.field(key)) for key in key_order(value))
