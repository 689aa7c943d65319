"""JSON Schemas of a bundle: valid under 2020-12, closed over the bundle, and bounded."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import jsonschema_rs

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.json_walk import escape_pointer
from bundles.report.cut import compact
from bundles.schema_index import Fault, Node
from bundles.verdict import Layer, Severity, Stage

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SPELLINGS = {DIALECT, DIALECT + "#"}  # an empty fragment is the same identifier
_SPEC = "bundle format, static checks; JSON Schema 2020-12"
_MOST_ERRORS = 20  # shown of one schema
_MOST_COMPARED = 1_000  # errors looked at; one fault is often reported several times
_NONE = NotApplicable("the bundle has no schemas")


def _schemas(**files: Any) -> Contract:
    return files_contract(
        {f"schemas/{name}.json": schema for name, schema in files.items()},
        {"schemas": "schemas/"},
    )


def _tool_schema(schema: object) -> Contract:
    return files_contract(
        {"t.json": [{"name": "a", "inputSchema": schema}]},
        {"declarations": {"mcp_tools": "t.json"}},
    )


_TREE = {
    "$schema": DIALECT,
    "$id": "https://example.com/tree.json",
    "type": "object",
    "properties": {"left": {"$ref": "#"}, "note": {"$ref": "note.json#/$defs/n"}},
}
_SOUND = _schemas(
    tree=_TREE,
    note={"$id": "https://example.com/note.json", "$defs": {"n": {"type": "string"}}},
    plain={"$ref": "other.json#word"},
    other={"$schema": DIALECT + "#", "$defs": {"w": {"$anchor": "word", "pattern": "^a$"}}},
    anything=True,
)


_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"]


@check(
    id="bundle.schemas.valid",
    reason_code="SCHEMA_INVALID",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND, _tool_schema({"type": "object"})],
    rejects=[
        _schemas(a={"type": "objekt"}),
        _schemas(a={"properties": {"x": {"minimum": "1"}}}),
        _schemas(a={"pattern": "("}),
        _schemas(a=[]),
        _tool_schema({"type": "object", "required": "name"}),
    ],
)
def schemas_valid(contract: Contract) -> Iterator[Said]:
    """Every schema is valid under the 2020-12 meta-schema, regular expressions included.

    Why: an invalid schema is read differently, or not at all, by each validator.
    Fix: correct the keyword at the pointer.
    """
    if not contract.schemas.sources:
        yield _NONE
    for source in contract.schemas.sources:
        if _meta_schema().is_valid(source.schema):
            continue
        seen: dict[tuple[str, str], str] = {}
        for error in islice(_meta_schema().iter_errors(source.schema), _MOST_COMPARED):
            at = "".join(f"/{escape_pointer(str(token))}" for token in error.instance_path)
            seen[at, error.message] = compact(error.instance, limit=200)
        for (at, message), value in list(seen.items())[:_MOST_ERRORS]:
            pointer = source.pointer + at
            expected = _TYPES if at.endswith("/type") else None
            yield _at(contract, source.path, pointer, message[:300], seen=value, expected=expected)
        if len(seen) > _MOST_ERRORS:
            message = f"more than {_MOST_ERRORS} errors in this schema"
            yield _at(contract, source.path, source.pointer, message)


@check(
    id="bundle.schemas.dialect",
    reason_code="SCHEMA_DIALECT_UNKNOWN",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[
        _schemas(a={"$schema": "http://json-schema.org/draft-07/schema#"}),
        _schemas(a={"$schema": 7}),
        _schemas(a={"$defs": {"x": {"$schema": "https://example.com/mine"}}}),
        _tool_schema({"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}),
    ],
)
def dialect_known(contract: Contract) -> Iterator[Said]:
    """A schema that names a dialect names JSON Schema 2020-12.

    Why: the same keywords mean other things in other drafts, and this harness judges by 2020-12.
    Fix: migrate the schema and name that dialect, or leave $schema out.
    """
    if not contract.schemas.sources:
        yield _NONE
    for node, dialect in contract.schemas.dialects:
        if not isinstance(dialect, str) or dialect not in _SPELLINGS:
            yield _violation(
                contract,
                node,
                "the schema names another dialect",
                member="$schema",
                seen=dialect[:200] if isinstance(dialect, str) else type(dialect).__name__,
                expected=DIALECT,
            )


@check(
    id="bundle.safe.schema-references-inside",
    reason_code="SCHEMA_REFERENCE_EXTERNAL",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[
        _schemas(a={"$ref": "https://example.com/elsewhere.json"}),
        _schemas(a={"items": {"$ref": "file:///etc/passwd"}}),
        _schemas(a={"$dynamicRef": "http://example.com/x#y"}),
        _schemas(a={"$id": "https://example.com/a.json", "$ref": "b.json"}),
    ],
)
def reference_inside(contract: Contract) -> Iterator[Said]:
    """No reference leads out of the bundle.

    Why: what lies elsewhere is not pinned by the digest, can change after admission, and fetching
    it would let a bundle make this service call any address.
    Fix: copy the schema into the bundle and refer to it by relative path or by its $id.
    """
    yield from _faulty(contract, Fault.EXTERNAL, "the reference leads out of the bundle")


@check(
    id="bundle.schemas.reference-resolves",
    reason_code="SCHEMA_REFERENCE_UNRESOLVED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[
        _schemas(a={"$ref": "#/$defs/missing"}),
        _schemas(a={"$ref": "missing.json"}),
        _schemas(a={"$ref": "#nowhere"}),
        _schemas(a={"$ref": 7}),
        _schemas(a={"$ref": "#/x-components/y", "x-components": {"y": {}}}),
        _tool_schema({"type": "object", "properties": {"a": {"$ref": "other.json"}}}),
    ],
)
def reference_resolves(contract: Contract) -> Iterator[Said]:
    """Every reference leads to a subschema.

    Why: a validator that meets a dangling reference fails, or accepts everything.
    Fix: correct the reference; a pointer must lead through schema keywords such as $defs.
    """
    yield from _faulty(contract, Fault.UNRESOLVED, "the reference leads to no subschema")


@check(
    id="bundle.safe.schema-references-end",
    reason_code="SCHEMA_REFERENCE_CYCLE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="JSON Schema 2020-12 core, 9.4.1: schemas must not make use of infinite recursion",
    accepts=[_SOUND],
    rejects=[
        _schemas(a={"$ref": "#"}),
        _schemas(a={"allOf": [{"$ref": "b.json"}]}, b={"not": {"$ref": "a.json"}}),
        _schemas(a={"$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}}}),
    ],
)
def reference_ends(contract: Contract) -> Iterator[Said]:
    """No schema refers to itself for the very same value.

    Why: a validator would never finish. (A schema that recurs for a part of the value, such as a
    tree, is fine.)
    Fix: put a keyword that descends, such as properties or items, between the two.
    """
    if not contract.schemas.sources:
        yield _NONE
    for node in contract.schemas.endless():
        yield _violation(contract, node, "the reference leads back to itself")


@check(
    id="bundle.schemas.identifiers-unique",
    reason_code="SCHEMA_ID_DUPLICATE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="JSON Schema 2020-12 core, 8.2.1",
    accepts=[_SOUND],
    rejects=[_schemas(a={"$id": "https://example.com/x"}, b={"$id": "https://example.com/x"})],
)
def identifiers_unique(contract: Contract) -> Iterator[Said]:
    """No two schemas have the same $id.

    Why: a reference to it would have two meanings.
    Fix: give each its own.
    """
    if not contract.schemas.sources:
        yield _NONE
    for node, identifier in contract.schemas.repeated_ids:
        yield _violation(
            contract, node, "another schema has this $id", member="$id", seen=identifier[:200]
        )


@check(
    id="bundle.safe.schema-limits",
    reason_code="SCHEMA_LIMIT_EXCEEDED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="bundle format, limits",
    accepts=[_SOUND, _schemas(a={"anyOf": [{"const": n} for n in range(64)]})],
    rejects=[
        _schemas(a={"anyOf": [{"const": n} for n in range(65)]}),
        _schemas(a={"$id": "https://example.com/" + "x" * 5000}),
        _schemas(a={"enum": ["x" * 1000 + str(n) for n in range(300)]}),
        _schemas(
            a={"$defs": {f"d{n}": {"items": {"$ref": f"#/$defs/d{n + 1}"}} for n in range(60)}}
            | {"$ref": "#/$defs/d0"}
        ),
    ],
)
def schema_limits(contract: Contract) -> Iterator[Said]:
    """A schema is at most 256 KiB, 100 subschemas deep, with 64 branches a combinator.

    Why: every call's validation costs what the schema costs.
    Fix: split or flatten the schema; use enum instead of many const branches.
    """
    limits, index = contract.limits, contract.schemas
    if not index.sources and not contract.oversized_schemas:
        yield _NONE
    for node, keyword, count in index.branches:
        if count > limits.schema_branches:
            yield _violation(
                contract,
                node,
                f"{keyword} has too many branches",
                member=keyword,
                seen=count,
                expected=limits.schema_branches,
            )
    for node in index.overlong_ids:
        yield _violation(contract, node, "the $id is too long", member="$id")
    for source in contract.oversized_schemas:
        yield _at(
            contract,
            source.path,
            source.pointer,
            "the schema is too large",
            seen=contract.schema_size(source),
            expected=limits.schema_bytes,
        )
    deep = index.too_deep(limits.schema_depth)
    if deep is not None:
        yield _violation(
            contract,
            deep[1],
            "the schema is too deep",
            seen=deep[0],
            expected=limits.schema_depth,
        )


@cache
def _meta_schema() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(
        {"$ref": DIALECT}, validate_formats=True, offline=True
    )


def _faulty(contract: Contract, fault: Fault, message: str) -> Iterator[Said]:
    if not contract.schemas.sources:
        yield _NONE
    for ref in contract.schemas.refs:
        if ref.fault is fault:
            seen = ref.value[:200] if isinstance(ref.value, str) else type(ref.value).__name__
            yield _violation(contract, ref.node, message, member=ref.keyword, seen=seen)


def _violation(
    contract: Contract,
    node: Node,
    message: str,
    *,
    member: str = "",
    seen: Any = None,
    expected: Any = None,
) -> Violation:
    path, pointer = contract.schemas.place(node, member)
    return _at(contract, path, pointer, message, seen=seen, expected=expected)


def _at(
    contract: Contract,
    path: str,
    pointer: str,
    message: str,
    *,
    seen: Any = None,
    expected: Any = None,
) -> Violation:
    line = contract.line_of(path, pointer)
    return Violation(message, path=path, pointer=pointer, line=line, seen=seen, expected=expected)
