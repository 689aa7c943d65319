"""Snapshots of MCP tools: what the server promised to list, per profile."""

from collections.abc import Iterator
from typing import Any

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract, tools_in
from bundles.verdict import Layer, Severity, Stage

_SPEC = "bundle format, declarations.mcp_tools; MCP 2026-07-28, server/tools"
_ABSENT = NotApplicable("the bundle has no tool snapshot")


def _snapshot(document: object) -> Contract:
    return files_contract({"tools.json": document}, {"declarations": {"mcp_tools": "tools.json"}})


def _tool(name: str = "echo", **members: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **members}


@check(
    id="bundle.snapshot.shape",
    reason_code="SNAPSHOT_MALFORMED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[
        _snapshot([]),
        _snapshot([_tool()]),
        _snapshot({"tools": [_tool(description="Says it again", outputSchema={})]}),
    ],
    rejects=[
        _snapshot(b'"tools"'),
        _snapshot({"tool": []}),
        _snapshot({"tools": {}}),
        _snapshot(["echo"]),
        _snapshot([{"inputSchema": {"type": "object"}}]),
        _snapshot([_tool(name="")]),
        _snapshot([{"name": "echo"}]),
        _snapshot([_tool(description=7)]),
        _snapshot([_tool(annotations=[])]),
    ],
)
def snapshot_shape(contract: Contract) -> Iterator[Said]:
    """A snapshot is an array of tools, or a tools/list answer that holds one.

    Why: it is compared with what the live server lists, tool by tool.
    Fix: take it with `bundlegate snapshot take`.
    """
    if not contract.snapshots:
        yield _ABSENT
    for path, document in contract.snapshots.values():
        tools = document.get("tools") if isinstance(document, dict) else document
        if not isinstance(tools, list):
            yield Violation(
                "expected an array of tools, or an object with a `tools` array", path=path, line=1
            )
            continue
        listed, at = tools_in(document)
        for index, tool in enumerate(listed):
            for pointer, message, seen in _faults(tool, f"{at}/{index}"):
                yield Violation(
                    message,
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    seen=seen,
                )


@check(
    id="bundle.snapshot.unique-names",
    reason_code="SNAPSHOT_TOOL_DUPLICATE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_snapshot([_tool("a"), _tool("b")])],
    rejects=[_snapshot([_tool("a"), _tool("b"), _tool("a")])],
)
def unique_names(contract: Contract) -> Iterator[Said]:
    """A snapshot names each tool once.

    Why: a call reaches one of two tools of the same name, and nobody can say which.
    Fix: rename or remove one.
    """
    if not contract.snapshots:
        yield _ABSENT
    for path, document in contract.snapshots.values():
        listed, at = tools_in(document)
        seen: set[str] = set()
        for index, tool in enumerate(listed):
            name = tool.get("name") if isinstance(tool, dict) else None
            if isinstance(name, str) and name in seen:
                pointer = f"{at}/{index}/name"
                yield Violation(
                    f"tool {name[:100]!r} is listed twice",
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    seen=name[:100],
                )
            elif isinstance(name, str):
                seen.add(name)


@check(
    id="bundle.snapshot.tool-count",
    reason_code="SNAPSHOT_TOO_MANY_TOOLS",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, limits",
    accepts=[_snapshot([_tool(f"t{n}") for n in range(500)])],
    rejects=[_snapshot([_tool(f"t{n}") for n in range(501)])],
)
def tool_count(contract: Contract) -> Iterator[Said]:
    """A snapshot lists at most 500 tools.

    Why: verification calls and compares every one of them.
    Fix: split the surface over profiles or servers.
    """
    if not contract.snapshots:
        yield _ABSENT
    for path, document in contract.snapshots.values():
        count = len(tools_in(document)[0])
        if count > contract.limits.tools:
            yield Violation(
                "more tools than the limit", path=path, seen=count, expected=contract.limits.tools
            )


@check(
    id="bundle.snapshot.input-schema-is-object",
    reason_code="SNAPSHOT_INPUT_SCHEMA_NOT_OBJECT",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/tools: inputSchema",
    accepts=[_snapshot([_tool()])],
    rejects=[
        _snapshot([_tool(inputSchema={"type": "string"})]),
        _snapshot([_tool(inputSchema={})]),
    ],
)
def input_schema_is_object(contract: Contract) -> Iterator[Said]:
    """A tool's inputSchema is a JSON Schema whose type is "object".

    Why: MCP sends arguments as an object, and clients refuse any other schema.
    Fix: set "type": "object" at the root of the inputSchema.
    """
    if not contract.snapshots:
        yield _ABSENT
    for path, document in contract.snapshots.values():
        listed, at = tools_in(document)
        for index, tool in enumerate(listed):
            schema = tool.get("inputSchema") if isinstance(tool, dict) else None
            if isinstance(schema, dict) and schema.get("type") != "object":
                pointer = f"{at}/{index}/inputSchema"
                yield Violation(
                    'the inputSchema\'s type is not "object"',
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    seen=str(schema.get("type"))[:80],
                    expected="object",
                )


def _faults(tool: object, at: str) -> Iterator[tuple[str, str, Any]]:
    """(pointer, message, seen) of everything wrong with the shape of one tool."""
    if not isinstance(tool, dict):
        yield at, "a tool is an object", type(tool).__name__
        return
    name = tool.get("name")
    if not isinstance(name, str) or not name:
        yield f"{at}/name", "a tool has a name", None if name is None else str(name)[:100]
    if not isinstance(tool.get("inputSchema"), dict):
        yield f"{at}/inputSchema", "a tool has an inputSchema object", None
    kinds = {"description": str, "title": str, "annotations": dict, "outputSchema": dict}
    for member, kind in kinds.items():
        if member in tool and not isinstance(tool[member], kind):
            seen = type(tool[member]).__name__
            yield f"{at}/{member}", f"{member} has the wrong type", seen
