"""Static judgement of a bundle: every check in one pass, ordered, and what may not be stored."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bundles.check import Finding, Outcome, Subject, checks_for
from bundles.contract import Contract
from bundles.errors import Refused
from bundles.reasons import next_step
from bundles.verdict import Stage

REFUSING_FAMILIES = (
    "bundle.readable.",
    "bundle.safe.",
    "bundle.pinned.",
    "bundle.secret-free.",
)
"""Families of check ids whose findings mean that the bundle is refused and nothing is stored."""


class RefusedBundle(Refused):
    """A bundle that is not stored. It reads as its first finding and carries all of them."""

    def __init__(self, findings: tuple[dict[str, Any], ...]) -> None:
        first = findings[0]
        super().__init__(
            first["reason_code"],
            first["message"] + (f" (and {len(findings) - 1} more)" if findings[1:] else ""),
            path=first.get("path", ""),
            pointer=first.get("pointer", ""),
            line=first.get("line"),
            seen=first.get("seen"),
            expected=first.get("expected"),
            next_steps=[first.get("next_step") or next_step(first["reason_code"])],
        )
        self.findings = findings

    def to_dict(self) -> dict[str, Any]:
        """The first finding as a refusal, and every refusing finding under `findings`."""
        return {**super().to_dict(), "findings": list(self.findings)}


def judge_bundle(contract: Contract) -> list[Outcome]:
    """Run every static check.

    Returns:
        One outcome a check, in id order; the findings of each ordered by path, line and pointer.
    """
    outcomes = (check.judge(contract) for check in checks_for(Subject.BUNDLE, Stage.STATIC))
    return [
        replace(outcome, findings=tuple(sorted(outcome.findings, key=_place)))
        for outcome in outcomes
    ]


def findings_of(outcomes: Iterable[Outcome]) -> tuple[Finding, ...]:
    """All findings of a judgement, ordered by path, line, pointer and check id."""
    found = (finding for outcome in outcomes for finding in outcome.findings)
    return tuple(sorted(found, key=_place))


def refusal_of(outcomes: Iterable[Outcome]) -> RefusedBundle | None:
    """The refusal, when a bundle is unreadable, unsafe, unpinned or secret-bearing; else None."""
    found = tuple(
        finding.to_dict()
        for finding in findings_of(outcomes)
        if finding.check_id.startswith(REFUSING_FAMILIES)
    )
    return RefusedBundle(found) if found else None


def _place(finding: Finding) -> tuple[str, int, str, str, str]:
    return (
        finding.path,
        finding.line or 0,
        finding.pointer,
        finding.check_id,
        finding.message,
    )
