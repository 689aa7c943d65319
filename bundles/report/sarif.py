"""A report as SARIF 2.1.0, for code scanning."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from bundles.plan import HARNESS_VERSION
from bundles.report.model import Report
from bundles.report.text import sentence
from bundles.verdict import Severity, Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS: Mapping[str, str] = {
    Severity.MUST: "error",
    Severity.SHOULD: "warning",
    Severity.POLICY: "note",
}


_KINDS: Mapping[str, str] = {
    Verdict.INCONCLUSIVE: "open",
    Verdict.NOT_APPLICABLE: "notApplicable",
}


def render(report: Report) -> str:
    """The report as one SARIF log with one run."""
    return json.dumps(document(report), indent=2, ensure_ascii=True) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The log as plain JSON: a result for each finding, and one with the reason for each check that
    could not tell, or did not apply.
    """
    results = [*map(_violated, report.findings), *_unjudged(report)]
    rules: dict[str, dict[str, Any]] = {}
    for result in results:
        rules.setdefault(result["ruleId"], {"id": result["ruleId"]})
    names = list(rules)
    for finding in report.findings:
        rules[str(finding["check_id"])]["name"] = str(finding["reason_code"])
    for result in results:
        result["ruleIndex"] = names.index(result["ruleId"])
    driver = {"name": "Bundlegate", "version": HARNESS_VERSION, "rules": list(rules.values())}
    invocation = {"executionSuccessful": report.verdict != Verdict.INCONCLUSIVE}
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "properties": {"verdict": str(report.verdict), "subject": report.subject},
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _violated(finding: Mapping[str, Any]) -> dict[str, Any]:
    text = sentence(finding["message"])
    if finding.get("next_step"):
        text = f"{text} Next: {sentence(finding['next_step'])}"
    result: dict[str, Any] = {
        "ruleId": str(finding["check_id"]),
        "level": _LEVELS.get(str(finding.get("severity")), "error"),
        "message": {"text": text},
        "properties": {
            name: finding[name]
            for name in ("reason_code", "layer", "blocks", "stage", "profile")
            if finding.get(name) is not None
        },
    }
    location = _location(finding)
    if location:
        result["locations"] = [location]
    return result


def _location(finding: Mapping[str, Any]) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if finding.get("path"):
        # Quoted whole: a path is a relative reference, and a probe id must not read as a scheme.
        uri = quote(str(finding["path"]), safe="/", errors="surrogatepass")
        location["physicalLocation"] = {"artifactLocation": {"uri": uri}}
        if finding.get("line"):
            location["physicalLocation"]["region"] = {"startLine": int(finding["line"])}
    if finding.get("pointer"):
        location["logicalLocations"] = [{"fullyQualifiedName": str(finding["pointer"])}]
    return location


def _unjudged(report: Report) -> Iterator[dict[str, Any]]:
    for outcome in report.outcomes:
        if kind := _KINDS.get(str(outcome["verdict"])):
            properties = {name: outcome[name] for name in ("stage", "profile") if outcome.get(name)}
            yield {
                "ruleId": str(outcome["id"]),
                "kind": kind,
                "level": "none",
                "message": {"text": sentence(outcome.get("message", ""))},
            } | ({"properties": properties} if properties else {})
