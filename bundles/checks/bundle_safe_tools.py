"""Safe tools: what the harness may call must exist, with arguments its schema accepts."""

from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract, tools_in
from bundles.manifest import MANIFEST_FILE, SafeTool
from bundles.verdict import Layer, Severity, Stage

_NOTHING = NotApplicable("the bundle marks no tool as safe, or has no snapshot to compare with")


def _safe(*entries: object) -> Contract:
    schema = {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }
    return files_contract(
        {"t.json": [{"name": "echo", "inputSchema": schema}]},
        {"declarations": {"mcp_tools": "t.json"}, "safe_tools": list(entries)},
    )


_SOUND = _safe("echo", {"tool": "echo", "arguments": {"text": "hello"}})


@check(
    id="bundle.safe-tools.exist",
    reason_code="SAFE_TOOL_UNKNOWN",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, safe_tools",
    accepts=[_SOUND],
    rejects=[_safe("ecko"), _safe("echo", {"tool": "other", "arguments": {}})],
)
def safe_tools_exist(contract: Contract) -> Iterator[Said]:
    """A tool marked safe is one that a snapshot of the bundle declares.

    Why: permission to call belongs to a tool somebody described.
    Fix: correct the name, or add the tool to the snapshot.
    """
    if not contract.snapshots or not contract.manifest.safe_tools:
        yield _NOTHING
        return
    for safe in contract.manifest.safe_tools:
        if safe.tool not in contract.tool_names:
            yield _violation(contract, safe, "no snapshot declares this tool")


@check(
    id="bundle.safe-tools.arguments-valid",
    reason_code="SAFE_TOOL_ARGUMENTS_INVALID",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="bundle format, safe_tools",
    accepts=[_SOUND],
    rejects=[_safe({"tool": "echo", "arguments": {"text": 7}}), _safe({"tool": "echo"})],
)
def arguments_valid(contract: Contract) -> Iterator[Said]:
    """Arguments given for a safe tool are valid under its inputSchema in every snapshot.

    Why: the call is to show that the tool works, not that it refuses.
    Fix: correct the arguments.
    """
    if not contract.snapshots or not contract.manifest.safe_tools:
        yield _NOTHING
        return
    for safe in contract.manifest.safe_tools:
        if safe.arguments is None:
            continue
        for schema in _input_schemas(contract, safe.tool):
            for error in _errors(schema, safe.arguments):
                yield _violation(contract, safe, f"the arguments are not valid: {error}")


def _input_schemas(contract: Contract, tool: str) -> Iterator[Any]:
    for _, document in contract.snapshots.values():
        for listed in tools_in(document)[0]:
            if isinstance(listed, dict) and listed.get("name") == tool and "inputSchema" in listed:
                yield listed["inputSchema"]


def _errors(schema: Any, arguments: Mapping[str, Any]) -> list[str]:
    """What is wrong with arguments; nothing when the schema itself is (other checks say so)."""
    try:
        validator = jsonschema_rs.Draft202012Validator(schema, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError):
        return []
    return [error.message[:300] for error in validator.iter_errors(dict(arguments))][:5]


def _violation(contract: Contract, safe: SafeTool, message: str) -> Violation:
    return Violation(
        message,
        path=MANIFEST_FILE,
        pointer=safe.pointer,
        line=contract.line_of(MANIFEST_FILE, safe.pointer),
        seen=safe.tool[:100],
        expected=sorted(contract.tool_names)[:20],
    )
