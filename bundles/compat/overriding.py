"""Overrides of rules, as a document: what a policy makes of a rule, and why."""

from typing import Any

from bundles.compat.change import Compatibility
from bundles.compat.rule import Override, Overrides, rules
from bundles.errors import Refused
from bundles.mcp.problem import pointer_of
from bundles.reasons import reason

OVERRIDE_INVALID = reason(
    "OVERRIDE_INVALID",
    "An override of a compatibility rule is not one.",
    'write {"RULE": {"verdict": "compatible|risk|conditional|breaking", "reason": "…"}}, with a '
    "rule of docs/compatibility.md",
)

_WORDS = tuple(each.word for each in Compatibility if each is not Compatibility.IDENTICAL)


def read_overrides(document: Any, path: str = "") -> Overrides:
    """The overrides in a document: {rule id: {"verdict", "reason"}}.

    Raises:
        Refused: OVERRIDE_INVALID: an unknown rule or verdict, or no reason.
    """
    if not isinstance(document, dict):
        raise Refused(OVERRIDE_INVALID, "overrides are an object", path=path)
    return {str(name): _override(name, entry, path) for name, entry in document.items()}


def _override(name: str, entry: Any, path: str) -> Override:
    at = pointer_of([name])
    if name not in rules():
        raise Refused(OVERRIDE_INVALID, "there is no such rule", path=path, pointer=at, seen=name)
    if not isinstance(entry, dict) or entry.keys() != {"verdict", "reason"}:
        what = "an override has a verdict and a reason, and nothing else"
        raise Refused(OVERRIDE_INVALID, what, path=path, pointer=at)
    verdict, why = entry["verdict"], entry["reason"]
    if verdict not in _WORDS:
        raise Refused(
            OVERRIDE_INVALID,
            "there is no such verdict",
            path=path,
            pointer=f"{at}/verdict",
            seen=verdict,
            expected=list(_WORDS),
        )
    if not isinstance(why, str) or not why.strip():
        what = "an override says why"
        raise Refused(OVERRIDE_INVALID, what, path=path, pointer=f"{at}/reason", seen=why)
    return Override(Compatibility[verdict.upper()], why)
