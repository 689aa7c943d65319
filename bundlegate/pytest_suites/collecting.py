"""Suite files and their cases, as pytest's nodes."""

from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bundlegate.pytest_suites.background import BackgroundRun
from bundlegate.suite.server import Server
from bundles.errors import BundlegateError, Invalid
from bundles.reasons import reason
from bundles.report.cut import counted, escaped
from bundles.suite.judge import SuiteReport, verdict_of
from bundles.suite.model import Case, Suite, load_suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus
from bundles.suite.reading import read_json
from bundles.suite.report.text import case_lines
from bundles.suite.selection import select
from bundles.suite.validate import validate_suite
from bundles.verdict import Verdict

SUITE_WITHOUT_SERVER = reason(
    "SUITE_WITHOUT_SERVER",
    "Nothing names the server that a suite is to be run on.",
    "give --suite-url or --suite-command, set suite_url or suite_command in the configuration "
    "file, or implement pytest_bundlegate_server in conftest.py",
)

_DIAGNOSTICS = 20
"""Last lines of a server's stderr that are shown."""


class CaseFailed(Exception):
    """What an answer fails for certain: the test fails."""


class CaseUndecided(Exception):
    """What no answer decided (no answer in time, no server): the test is in error."""


class SuiteFile(pytest.File):
    """A suite: one session, opened at its first case and closed after its last."""

    suite: Suite
    _run: BackgroundRun | None = None

    def collect(self) -> Iterator["CaseItem"]:
        """A test for every case. A file that is not valid is an error that names every issue."""
        whole = self._read()
        _show_as_a_report_does(self.config)
        profile = self.config.option.suite_profile or self.config.getini("suite_profile")
        chosen = select(whole, profile=profile)
        self.suite = chosen.suite
        left_out = {case.id: case.why for case in chosen.left_out}
        for case in whole.cases:
            item = CaseItem.from_parent(self, name=escaped(case.id), case=case)
            if case.id in left_out:
                item.add_marker(pytest.mark.skip(reason=left_out[case.id]))
            yield item

    def _read(self) -> Suite:
        try:
            document = read_json(self.path.read_bytes(), path=str(self.path))
        except (OSError, BundlegateError) as error:
            raise self.CollectError(f"{self.path}: {error}") from None
        issues = validate_suite(document)
        if issues:
            told = [f"{self.path}: {counted(len(issues), 'issue')}"]
            told += (f"    {i.code}  {escaped(i.path)}  {escaped(i.message)}" for i in issues)
            raise self.CollectError("\n".join(told))
        return load_suite(document, path=str(self.path))

    def setup(self) -> None:
        """Begin the run. What keeps it from beginning is an error of every case."""
        if self._run is None:
            server = self.config.hook.pytest_bundlegate_server(config=self.config, path=self.path)
            if server is None:
                raise Invalid(SUITE_WITHOUT_SERVER, f"no server for {self.path.name}")
            if not isinstance(server, Server):
                why = f"pytest_bundlegate_server gives a {type(server).__name__}"
                raise Invalid(SUITE_WITHOUT_SERVER, f"{why}, no bundlegate.suite.Server")
            self._run = BackgroundRun(self._chosen(), server.endpoint())
            self.config.add_cleanup(self._run.close)

    def _chosen(self) -> Suite:
        """The suite with the cases that this pytest run wants, whatever chose them."""
        wanted = {item.case.id for item in self._items() if not item.skipped}
        return replace(self.suite, cases=tuple(c for c in self.suite.cases if c.id in wanted))

    def _items(self) -> "Iterator[CaseItem]":
        return (i for i in self.session.items if isinstance(i, CaseItem) and i.parent is self)

    def outcome_of(self, case: Case) -> CaseOutcome:
        """How a case went, as soon as it is known.

        Raises:
            BundlegateError: there was no session to ask in.
        """
        assert self._run is not None  # noqa: S101 - pytest sets a file up before its items
        return self._run.outcome_of(case.id)

    @property
    def report(self) -> SuiteReport | None:
        """The whole run, once it is over."""
        return self._run.report if self._run else None

    def close(self) -> None:
        """End the run now; what the suite set up is still torn down."""
        if self._run is not None:
            self._run.close()

    def teardown(self) -> None:
        """Close the session once every case is told, or none will be any more.

        Raises:
            CaseUndecided: a case of the suite's own teardown did not pass.
        """
        if self._run is None:
            return
        if self.session.shouldfail or self.session.shouldstop:
            self._run.close()
        elif all(item.told or item.skipped for item in self._items()):
            self._run.wait()
            _look_at_teardown(self.suite, self._run.report)


class CaseItem(pytest.Item):
    """One case. Waiting for its outcome is its set-up; what is wrong with the outcome, its call."""

    def __init__(self, *, case: Case, **others: Any) -> None:
        super().__init__(**others)
        self.case = case
        self.told = False
        self.outcome: CaseOutcome | None = None
        self.extra_keyword_matches.update(case.tags)

    @property
    def skipped(self) -> bool:
        """Whether it is for another profile, so that nothing is asked."""
        return self.get_closest_marker("skip") is not None

    @property
    def file(self) -> SuiteFile:
        """The suite."""
        assert isinstance(self.parent, SuiteFile)  # noqa: S101 - made by it alone
        return self.parent

    def setup(self) -> None:
        """Wait for the outcome."""
        try:
            self.outcome = outcome = self.file.outcome_of(self.case)
        except KeyboardInterrupt:  # nobody waits for the rest any more, whatever it is about
            self.file.close()
            raise
        finally:
            self.told = True
        if verdict_of(outcome) not in {Verdict.PASS, Verdict.FAIL}:
            self._add_diagnostics()
            raise CaseUndecided(_told(outcome, self.file.report))

    def runtest(self) -> None:
        """Fail if the case did."""
        assert self.outcome is not None  # noqa: S101 - `setup` raises where there is none
        if self.outcome.status is not CaseStatus.PASSED:
            raise CaseFailed(_told(self.outcome, None))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands, and its name for people."""
        return self.path, 0, f"{escaped(self.file.suite.name)}: {escaped(self.case.name)}"

    def _add_diagnostics(self) -> None:
        said = self.file.report.server.stderr if self.file.report else ""
        lines = [escaped(line) for line in said.splitlines()[-_DIAGNOSTICS:]]
        if lines:
            self.add_report_section("setup", "server stderr", "\n".join(lines))


def _told(outcome: CaseOutcome, report: SuiteReport | None) -> str:
    """The lines of the report; the first stands beside the test's name in pytest's summary."""
    lines = list(case_lines(outcome))
    if report is not None and report.stopped is not None:
        lines.append(f"    stopped: {escaped(report.stopped.why)}")
    return dedent("\n".join(lines))


def _look_at_teardown(suite: Suite, report: SuiteReport | None) -> None:
    own = {case.id for case in suite.teardown}
    for outcome in report.cases if report else ():
        if outcome.id in own and outcome.status is not CaseStatus.PASSED:
            told = f"teardown {escaped(outcome.id)}  {escaped(outcome.name)}"
            raise CaseUndecided(f"{told}\n{_told(outcome, report)}")


def _show_as_a_report_does(config: pytest.Config) -> None:
    if not config.pluginmanager.has_plugin(_Shown.name):
        config.pluginmanager.register(_Shown(), _Shown.name)


class _Shown:
    """How our tests are shown: the report's lines, and the time of the case's own answers.

    pytest would draw our traceback, and knows only how long it waited for a case.
    """

    name = "bundlegate-shown"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: "pytest.CallInfo[None]"
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if not isinstance(item, CaseItem):
            return report
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, BundlegateError):
            steps = (f"fix: {step}" for step in error.next_steps)
            notes = getattr(error, "__notes__", [])  # what the server wrote to stderr
            report.longrepr = "\n".join([str(error), *steps, *notes])
        elif isinstance(error, (CaseFailed, CaseUndecided)):
            report.longrepr = str(error)
        if item.outcome is not None and report.when != "teardown":
            last = report.when == "call" or report.failed
            report.duration = item.outcome.elapsed_us / 1e6 if last else 0.0
        return report
