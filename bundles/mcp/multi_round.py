"""Tools that ask for input before they answer, as a profile declares them (MCP 2026-07-28).

Such a tool is called like a safe tool: only where it is declared. The declaration says what the
harness answers when it is asked; what it leaves out is derived from what the tool asks for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bundles.mcp.problem import Problem
from bundles.mcp.schema import value_problems

METHODS: Mapping[str, str] = MappingProxyType(
    {
        "elicitation": "elicitation/create",
        "sampling": "sampling/createMessage",
        "roots": "roots/list",
    }
)
"""Client capability → the one request a server may make of a client that declares it."""

_CAPABILITY = {"enum": list(METHODS)}
_MOST_SECONDS = 60

SHAPE: dict[str, Any] = {
    "type": "object",
    "maxProperties": 20,
    "propertyNames": {"minLength": 1},
    "additionalProperties": {
        "type": ["string", "object"],
        "if": {"type": "string"},
        "then": _CAPABILITY,
        "else": {
            "additionalProperties": False,
            "properties": {
                "arguments": {"type": "object"},
                "capabilities": {"type": "array", "items": _CAPABILITY, "minItems": 1},
                "answers": {"type": "object", "additionalProperties": {"type": "object"}},
                "state_expires_s": {
                    "type": "number",
                    "exclusiveMinimum": 0,
                    "maximum": _MOST_SECONDS,
                },
                "state_is_harmless": {"type": "boolean"},
            },
        },
    },
}
"""The form of `mrtr_tools`: tool → a capability, or a mapping of the members of `MrtrTool`."""

FORM = (
    f"tool → one of {', '.join(METHODS)}; or a mapping of arguments, capabilities, answers, "
    "state_expires_s and state_is_harmless"
)
"""The same in words, for refusals and findings."""


@dataclass(frozen=True, slots=True)
class MrtrTool:
    """One tool that asks for input before it answers.

    Attributes:
        arguments: of the call; None: derived from the tool's inputSchema.
        capabilities: what the client that calls it declares.
        answers: key of an input request, or its method → the response to give; what is not here is
            derived from the request.
        state_expires_s: seconds after which the tool refuses a requestState; None: not said.
        state_is_harmless: a changed requestState can cause nothing worse than a failed request,
            where the specification allows it to be unprotected.
    """

    arguments: Mapping[str, Any] | None = None
    capabilities: tuple[str, ...] = tuple(METHODS)
    answers: Mapping[str, Any] = field(default_factory=dict)
    state_expires_s: float | None = None
    state_is_harmless: bool = False


def problems_of(document: object) -> tuple[Problem, ...]:
    """What keeps a value from being the `mrtr_tools` of a profile."""
    return value_problems(SHAPE, document)


def read_mrtr_tools(document: Mapping[str, Any]) -> dict[str, MrtrTool]:
    """The declared tools by name, from a document `problems_of` finds nothing wrong in."""
    return {name: _read(stated) for name, stated in document.items()}


def _read(stated: str | Mapping[str, Any]) -> MrtrTool:
    if isinstance(stated, str):
        return MrtrTool(capabilities=(stated,))
    return MrtrTool(
        arguments=stated.get("arguments"),
        capabilities=tuple(stated.get("capabilities", METHODS)),
        answers=stated.get("answers", {}),
        state_expires_s=stated.get("state_expires_s"),
        state_is_harmless=stated.get("state_is_harmless", False),
    )
