"""Reports of a suite's run for programs: the forms that `bundlegate suite run` writes.

from bundlegate.suite import run_suite
from bundlegate.suite.reporting import as_html, as_text

report = run_suite("suites/weather.json", url="http://127.0.0.1:8000/mcp")
print(as_text(report))
"""

from typing import Any, Literal

from bundles.report import Report, html, junit, sarif
from bundles.suite.judge import SuiteReport
from bundles.suite.language import LANGUAGES
from bundles.suite.report import SuiteRun, common_report, render_text

Reported = SuiteReport | SuiteRun
"""How the cases went; as a `SuiteRun` together with what was found out around them."""


def as_text(made: Reported, lang: Literal["en", "ko"] = "en") -> str:
    """The documented text, ending in a newline."""
    return render_text(_run(made), LANGUAGES[lang])


def as_document(made: Reported) -> dict[str, Any]:
    """The document of `--format json`: plain JSON."""
    return _run(made).to_dict()


def as_junit(made: Reported, *, path: str) -> str:
    """JUnit XML. `path` names the suite's file."""
    return junit.render(_common(made, path))


def as_sarif(made: Reported, *, path: str) -> str:
    """A SARIF 2.1.0 log whose findings point to the suite's file, relative to the repository."""
    return sarif.render(_common(made, path))


def as_html(made: Reported, *, path: str) -> str:
    """One page of HTML that needs nothing else. `path` names the suite's file."""
    return html.render(_common(made, path))


def _run(made: Reported) -> SuiteRun:
    return SuiteRun(made) if isinstance(made, SuiteReport) else made


def _common(made: Reported, path: str) -> Report:
    return common_report(_run(made), path=path)
