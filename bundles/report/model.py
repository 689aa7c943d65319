"""The one input of every renderer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Place = tuple[str, str, str]
"""A check's id, and the stage and profile that ran it, "" where the report has no stages."""


def place_of(entry: Mapping[str, Any], *, check: str) -> Place:
    """Where an outcome (`check="id"`) or a finding (`check="check_id"`) belongs."""
    return str(entry[check]), str(entry.get("stage") or ""), str(entry.get("profile") or "")


@dataclass(frozen=True, slots=True)
class Report:
    """What a command or a run has to show. Plain JSON values, so a stored run renders as well.

    Attributes:
        title: what was done: "bundle lint", "conformance", "run run_01…".
        subject: what it was done to: a path, a URL, a candidate.
        verdict: PASS, FAIL or INCONCLUSIVE (`bundles.verdict.of_run`).
        outcomes: one a check, `Outcome.to_dict()`: {"id", "verdict", "reason_code"?, "message"}; of
            a run also {"stage", "profile"}, for two of its stages may run the same check.
        findings: every violation, `Finding.to_dict()`; of a run with the same two members.
        not_covered: what was absent and therefore not looked at, one sentence each.
        facts: what else the reader should know (digest, target, revision), in the order shown.
    """

    title: str
    subject: str
    verdict: str
    outcomes: Sequence[Mapping[str, Any]] = ()
    findings: Sequence[Mapping[str, Any]] = ()
    not_covered: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
