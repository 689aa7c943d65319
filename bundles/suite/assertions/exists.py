"""toolExists, promptExists, resourceExists, resourceTemplateExists: a list has an entry."""

from collections.abc import Mapping
from typing import Any

from bundles.report.cut import cut, escaped
from bundles.suite.assertions.kind import Kind
from bundles.suite.assertions.seen import Seen
from bundles.suite.diagnostics import SHOWN_KEYS
from bundles.suite.issues import Issues
from bundles.suite.model import Assertion
from bundles.suite.outcomes import (
    PROMPT_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    RESOURCE_TEMPLATE_NOT_FOUND,
    TOOL_NOT_FOUND,
    AssertionOutcome,
)
from bundles.suite.paths import Path

_NAME = {"$ref": "#/$defs/filled"}


def _kind(
    name: str, operation: str, *, what: str, member: str, key: str, code: str, variables: bool
) -> Kind:
    """A type that looks in the list of an operation.

    Args:
        name: of the type.
        operation: that lists.
        what: an entry is called.
        member: of the assertion, that says which one.
        key: of an entry, that is compared with it.
        code: the reason when none is there.
        variables: whether the member takes variables.
    """

    def judge(assertion: Assertion, seen: Seen) -> AssertionOutcome:
        wanted = assertion.given[member] if assertion.given else assertion.tool
        found = seen.names(key)
        if wanted in found:
            return AssertionOutcome(name, "passed")
        listed = ", ".join(f"'{escaped(cut(each))}'" for each in found[:SHOWN_KEYS]) or "none"
        if len(found) > SHOWN_KEYS:
            listed = f"{listed} and {len(found) - SHOWN_KEYS} more"
        message = f"{what} '{escaped(wanted)}' not found. Found {what}s: {listed}"
        return AssertionOutcome(name, "failed", code, message, wanted, found)

    def validate(given: Mapping[str, Any], path: Path, issues: Issues) -> None:
        if member in given:
            issues.filled(path.field(member), f"the name of a {what}", given[member])

    return Kind(
        type=name,
        operations=(operation,),
        members={member: _NAME},
        required={member: f"the {key} of a {what}"},
        judge=judge,
        validate=validate,
        variables_in=(member,) if variables else (),
    )


TOOL_EXISTS = _kind(
    "toolExists",
    "listTools",
    what="tool",
    member="tool",
    key="name",
    code=TOOL_NOT_FOUND,
    variables=False,
)
PROMPT_EXISTS = _kind(
    "promptExists",
    "listPrompts",
    what="prompt",
    member="prompt",
    key="name",
    code=PROMPT_NOT_FOUND,
    variables=False,
)
RESOURCE_EXISTS = _kind(
    "resourceExists",
    "listResources",
    what="resource",
    member="uri",
    key="uri",
    code=RESOURCE_NOT_FOUND,
    variables=True,
)
RESOURCE_TEMPLATE_EXISTS = _kind(
    "resourceTemplateExists",
    "listResourceTemplates",
    what="resource template",
    member="uriTemplate",
    key="uriTemplate",
    code=RESOURCE_TEMPLATE_NOT_FOUND,
    variables=False,
)
