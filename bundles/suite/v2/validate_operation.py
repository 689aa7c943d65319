"""Validation of what a version-2 case asks the server."""

from collections.abc import Mapping
from typing import Any

from bundles.key_order import key_order
from bundles.suite.issues import Issues
from bundles.suite.model import METHODS
from bundles.suite.paths import Path
from bundles.suite.v2.scope import Scope
from bundles.suite.v2.variables import VARIABLE
from bundles.suite.validate import validate_call

FIELDS: Mapping[str, tuple[str, ...]] = dict.fromkeys(METHODS, ("type",)) | {
    "callTool": ("type", "tool", "input"),
    "getPrompt": ("type", "prompt", "arguments"),
    "readResource": ("type", "uri"),
}
"""The members of each operation."""

_OPERATIONS = ", ".join(METHODS)


def validate_operation(
    case: Mapping[str, Any], path: Path, scope: Scope, issues: Issues
) -> str | None:
    """Add the issues of a case's operation; its type, known or not, None when it names none."""
    if "operation" not in case:
        issues.missing(path, f"an operation: {_OPERATIONS}")
        return None
    operation = case["operation"]
    if not isinstance(operation, dict):
        issues.wrong_type(path, "an operation object", operation)
        return None
    if "type" not in operation:
        issues.missing(path.field("type"), _OPERATIONS)
        return None
    kind = operation["type"]
    if not isinstance(kind, str) or kind not in FIELDS:
        issues.wrong_choice(path.field("type"), tuple(METHODS), kind)
        issues.unknown(operation, ("type",), path)
        return kind if isinstance(kind, str) else None
    if kind == "callTool":
        validate_call(operation, path, issues)
        scope.check(operation.get("input"), path.field("input"), issues)
    elif kind == "getPrompt":
        issues.required_name(operation, "prompt", path, "the name of a prompt")
        _arguments(operation, path.field("arguments"), scope, issues)
    elif kind == "readResource":
        issues.required_name(operation, "uri", path, "the URI of a resource")
        scope.check(operation.get("uri"), path.field("uri"), issues)
    issues.unknown(operation, FIELDS[kind], path)
    return kind


def _arguments(operation: Mapping[str, Any], path: Path, scope: Scope, issues: Issues) -> None:
    """MCP gives prompts strings only; a variable may stand for one."""
    if "arguments" not in operation:
        return
    arguments = operation["arguments"]
    if not isinstance(arguments, dict):
        issues.wrong_type(path, "an object of strings", arguments)
        return
    if arguments.keys() != {VARIABLE}:
        for name in key_order(arguments):
            value = arguments[name]
            if not (isinstance(value, str) or (isinstance(value, dict) and len(value) == 1)):
                issues.wrong_type(path.field(name), "a string", value)
    scope.check(arguments, path, issues)
