"""Safe tools: what the harness may call must exist, with arguments its schema accepts."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import jsonschema_rs

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract, tools_in
from bundles.json_walk import escape_pointer
from bundles.manifest import MANIFEST_FILE, SafeTool
from bundles.report.cut import compact
from bundles.verdict import Layer, Severity, Stage

_MOST_ERRORS = 5  # of one argument object
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
    validators = {
        tool: [validator for validator in map(_validator, schemas) if validator is not None]
        for tool, schemas in _input_schemas(contract).items()
    }
    for safe in contract.manifest.safe_tools:
        if safe.arguments is None:
            continue
        for validator in validators.get(safe.tool, ()):
            for error in islice(validator.iter_errors(dict(safe.arguments)), _MOST_ERRORS):
                pointer = safe.pointer + "/arguments"
                at = "".join(f"/{escape_pointer(str(step))}" for step in error.instance_path)
                yield Violation(
                    f"the arguments are not valid: {error.message[:300]}",
                    path=MANIFEST_FILE,
                    pointer=pointer + at,
                    line=contract.line_of(MANIFEST_FILE, pointer),
                    seen=compact(error.instance, limit=200),
                    expected=error.kind.as_dict(),
                )


def _input_schemas(contract: Contract) -> dict[str, list[Any]]:
    """The inputSchemas of the tools marked safe, by tool, over all snapshots."""
    wanted = {safe.tool for safe in contract.manifest.safe_tools if safe.arguments is not None}
    found: dict[str, list[Any]] = {}
    for _, document in contract.snapshots.values():
        for tool in tools_in(document)[0][: contract.limits.tools]:
            name = tool.get("name") if isinstance(tool, dict) else None
            if isinstance(name, str) and name in wanted and "inputSchema" in tool:
                found.setdefault(name, []).append(tool["inputSchema"])
    return found


def _validator(schema: Any) -> jsonschema_rs.Draft202012Validator | None:
    """None for a schema that is itself wrong: other checks say so."""
    try:
        return jsonschema_rs.Draft202012Validator(schema, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError):
        return None


def _violation(contract: Contract, safe: SafeTool, message: str) -> Violation:
    return Violation(
        message,
        path=MANIFEST_FILE,
        pointer=safe.pointer,
        line=contract.line_of(MANIFEST_FILE, safe.pointer),
        seen=safe.tool[:100],
        expected=contract.tools_shown,
    )
