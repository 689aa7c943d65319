"""The schemas of tools beyond validity: whole, of bearable size, read by every client.

What they ask is policy, not MCP: a schema that breaks one is valid, and some clients fail on it.
"""

from collections.abc import Iterator
from typing import Any

from bundles.canonical import canonical_bytes
from bundles.check import Said, Subject, Violation, check
from bundles.checks.mcp_tools import each_tool, of_tool
from bundles.errors import Refused
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.portability import PortabilityRule, extent_of, unportable
from bundles.mcp.problem import Kind
from bundles.mcp.reading import needs_the_server
from bundles.mcp.schema import schema_problems
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_MOST_BYTES = 256 << 10
_MOST_SUBSCHEMAS = 5_000
_DEEPEST = 64
_MISREAD = frozenset({PortabilityRule.BOOLEAN_SCHEMA, PortabilityRule.UNTYPED_SCHEMA})
"""Arrays of types are left to `bundlegate smoke`: a good half of all servers writes them."""


def _with_id(schema: Any, **members: Any) -> Transcript:
    """With another schema for the id of an alert, and further members of the inputSchema."""
    properties = {"type": "object", "properties": {"id": schema}, **members}
    return ex.relisting(_HEALTHY, lambda tools: tools[1].update(inputSchema=properties))


def _nested(levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


def _schemas(transcript: Transcript) -> Iterator[tuple[str, str, Any] | Said]:
    """(tool, member, schema) of every schema that is an object."""
    for entry in each_tool(transcript):
        if not isinstance(entry, tuple):
            yield entry
            continue
        name, tool = entry
        for member in ("inputSchema", "outputSchema"):
            if isinstance(tool.get(member), dict):
                yield name, member, tool[member]


@check(
    id="mcp.tools.schema-references-local",
    reason_code="TOOL_SCHEMA_REFERENCE_UNRESOLVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28, server/tools: references are not fetched; JSON Schema 2020-12, 8.2.3",
    accepts=[
        _HEALTHY,
        _with_id({"$ref": "#/$defs/id"}, **{"$defs": {"id": {"type": "string"}}}),
        _with_id({"$ref": "id.json"}, **{"$defs": {"id": {"$id": "id.json", "type": "string"}}}),
    ],
    rejects=[
        _with_id({"$ref": "https://example.com/id.json"}),
        _with_id({"$ref": "#/$defs/id"}),
        _with_id({"$ref": "#id"}),
    ],
)
@needs_the_server
def schema_references_local(transcript: Transcript) -> Iterator[Said]:
    """Every reference in a tool's schema leads to a place in that schema.

    Why: clients fetch no schemas, since an address in one can point at anything inside their
    network; a tool whose schema is not whole cannot be called with checked arguments. Fix: put what
    is referred to under $defs.
    """
    for entry in _schemas(transcript):
        if not isinstance(entry, tuple):
            yield entry
            continue
        name, member, schema = entry
        for problem in schema_problems(schema):
            if problem.kind is Kind.REFERENCE:
                yield of_tool(name, member, problem)


@check(
    id="mcp.tools.schemas-bounded",
    reason_code="TOOL_SCHEMA_TOO_LARGE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.POLICY,
    spec="policy of this harness: 64 levels, 5,000 subschemas, 256 KiB",
    accepts=[_HEALTHY, _with_id(_nested(_DEEPEST - 2))],
    rejects=[
        _with_id(_nested(_DEEPEST)),
        _with_id({"enum": ["x" * _MOST_BYTES]}),
        _with_id({"anyOf": [{"const": n} for n in range(_MOST_SUBSCHEMAS)]}),
    ],
)
@needs_the_server
def schemas_bounded(transcript: Transcript) -> Iterator[Said]:
    """A tool's schema has at most 64 levels, 5,000 subschemas and 256 KiB.

    Why: every client compiles it, and every model that may call the tool is sent it. Fix: say less;
    what a caller looks up belongs into a tool or a resource, not into an enum.
    """
    for entry in _schemas(transcript):
        if not isinstance(entry, tuple):
            yield entry
            continue
        name, member, schema = entry
        for what, seen, most in _excess(schema):
            yield Violation(
                f"tool {name}: {member} has {what}",
                path=probes.TOOLS_LIST,
                pointer=f"/{member}",
                seen=seen,
                expected=f"at most {most}",
                witness={"tool": name},
            )


def _excess(schema: Any) -> Iterator[tuple[str, int, int]]:
    """What there is too much of, how much there is, and how much there may be."""
    extent = extent_of(schema, _MOST_SUBSCHEMAS + 1)
    if extent.subschemas > _MOST_SUBSCHEMAS:
        yield "too many subschemas", extent.subschemas, _MOST_SUBSCHEMAS
    if extent.levels > _DEEPEST:
        yield "too many levels", extent.levels, _DEEPEST
    try:
        length = len(canonical_bytes(schema))
    except Refused:  # no canonical form: no length to compare, and no tool digest either
        return
    if length > _MOST_BYTES:
        yield "too many bytes", length, _MOST_BYTES


@check(
    id="mcp.tools.schemas-portable",
    reason_code="TOOL_SCHEMA_NOT_PORTABLE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.POLICY,
    spec="MCP Inspector 2.12, --strict: boolean-schema, untyped-schema",
    accepts=[
        _HEALTHY,
        _with_id({"type": ["string", "null"]}, additionalProperties=False),
    ],
    rejects=[_with_id(schema) for schema in (True, False, {}, {"description": "Any id."})],
)
@needs_the_server
def schemas_portable(transcript: Transcript) -> Iterator[Said]:
    """A property's schema is an object that says what the value is.

    Why: clients and model interfaces refuse a bare true or false, and an empty schema, or drop the
    tool. Fix: name the type the value really has.
    """
    for entry in _schemas(transcript):
        if not isinstance(entry, tuple):
            yield entry
            continue
        name, member, schema = entry
        if any(problem.kind is Kind.INVALID for problem in schema_problems(schema)):
            continue
        for spelling in unportable(schema):
            # a root without a type is the business of the checks of validity
            if spelling.rule in _MISREAD and spelling.pointer:
                yield Violation(
                    f"tool {name}: {member}: {spelling.message}",
                    path=probes.TOOLS_LIST,
                    pointer=f"/{member}{spelling.pointer}",
                    seen=spelling.seen,
                    witness={"tool": name},
                    next_step=spelling.instead,
                )
