"""A report as JUnit XML, for CI systems that show tests.

A violation is a failure; what could not be told is an error; what did not apply or did not run is
skipped. So a build that gates on JUnit alone never takes an unknown for a pass.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from bundles.report.cut import cut, escaped
from bundles.report.model import Place, Report, place_of
from bundles.report.text import where
from bundles.verdict import Verdict

# Everything XML 1.0 has no way to write, not even as a reference.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SKIPPED = (Verdict.NOT_APPLICABLE, Verdict.NOT_RUN)
_MESSAGE = 1000


def render(report: Report) -> str:
    """The report as one JUnit test suite. No clock: times are those the outcomes carry."""
    verdicts = [str(outcome["verdict"]) for outcome in report.outcomes]
    counts = {
        "tests": len(verdicts),
        "failures": verdicts.count(Verdict.FAIL),
        "errors": verdicts.count(Verdict.INCONCLUSIVE),
        "skipped": sum(verdicts.count(verdict) for verdict in _SKIPPED),
    }
    seconds = sum(float(outcome.get("seconds", 0)) for outcome in report.outcomes)
    head = _attributes(
        {"name": f"{report.title} {report.subject}", **counts, "time": _time(seconds)}
    )
    body = "".join(f"{line}\n" for line in _cases(report))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite{head}>\n{body}</testsuite>\n'


def _cases(report: Report) -> Iterator[str]:
    by_check: dict[Place, list[Mapping[str, Any]]] = defaultdict(list)
    for finding in report.findings:
        by_check[place_of(finding, check="check_id")].append(finding)
    for outcome in report.outcomes:
        place = place_of(outcome, check="id")
        named = {
            # written out, not dropped: two names that differ stay two tests
            "classname": escaped(" ".join(piece for piece in (report.title, *place[1:]) if piece)),
            "name": escaped(place[0]),
            "time": _time(float(outcome.get("seconds", 0))),
        }
        inside = _inside(outcome, by_check[place])
        if inside:
            yield f"  <testcase{_attributes(named)}>\n    {inside}\n  </testcase>"
        else:
            yield f"  <testcase{_attributes(named)}/>"


def _inside(outcome: Mapping[str, Any], findings: Sequence[Mapping[str, Any]]) -> str:
    verdict, message = str(outcome["verdict"]), cut(str(outcome.get("message", "")), _MESSAGE)
    said = _attributes({"message": message, "type": str(outcome.get("reason_code", verdict))})
    details = escape(_legal("\n".join(_detail(finding) for finding in findings)))
    if verdict == Verdict.PASS:
        return ""
    if verdict in _SKIPPED:
        return f"<skipped{_attributes({'message': message})}/>"
    if verdict == Verdict.WARN:
        return f"<system-out>{details or escape(_legal(message))}</system-out>"
    # A verdict this version does not know is an error, never a pass.
    tag = "failure" if verdict == Verdict.FAIL else "error"
    return f"<{tag}{said}>{details}</{tag}>"


def _detail(finding: Mapping[str, Any]) -> str:
    pieces = (
        where(finding),
        cut(str(finding["message"]), _MESSAGE),
        str(finding.get("next_step", "")),
    )
    return " | ".join(piece for piece in pieces if piece)


def _attributes(values: Mapping[str, object]) -> str:
    return "".join(f" {name}={quoteattr(_legal(str(value)))}" for name, value in values.items())


def _legal(text: str) -> str:
    return _ILLEGAL.sub("", text)


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"
