"""A report for machines: one JSON document."""

from collections import Counter
from typing import Any

from bundles.report.model import Report


def document(report: Report) -> dict[str, Any]:
    """The report as plain JSON.

    {"title", "subject", "verdict", …facts, "checks": [{"id", "verdict", "reason_code"?,
    "message"}], "findings": […], "not_covered": […], "summary": {verdict: count}}

    Raises:
        ValueError: a fact has the name of a member of the document.
    """
    fixed: dict[str, Any] = {
        "title": report.title,
        "subject": report.subject,
        "verdict": str(report.verdict),
    }
    listed: dict[str, Any] = {
        "checks": [dict(outcome) for outcome in report.outcomes],
        "findings": [dict(finding) for finding in report.findings],
        "not_covered": list(report.not_covered),
        "summary": dict(Counter(str(outcome["verdict"]) for outcome in report.outcomes)),
    }
    taken = sorted(set(report.facts) & (fixed.keys() | listed.keys()))
    if taken:
        msg = f"facts named like members of the document: {', '.join(taken)}"
        raise ValueError(msg)
    return fixed | dict(report.facts) | listed
