"""Driving suites over a session: order, pages, timeouts, and servers that go away."""

import asyncio
from typing import Any

import pytest

from bundles.suite.judge import SuiteReport, judge_suite
from bundles.suite.model import Suite, load_suite
from bundles.suite.outcomes import CaseStatus
from bundles.transcript import Exchange, Failure
from bundles.verdict import Verdict
from tests.fixtures.scripted import Answerer, ScriptedSession
from workers.budget import Budget, Caps
from workers.probes.suite.judged import judged
from workers.probes.suite.recorded import run_suite
from workers.probes.walk import MAX_PAGES


def suite(*tools: str, timeout_ms: int = 10_000) -> Suite:
    cases = [
        {
            "id": f"{number}",
            "name": tool,
            "operation": {"type": "callTool", "tool": tool, "input": {"n": number}},
            "assertions": [{"type": "isError", "expected": False}],
        }
        for number, tool in enumerate(tools)
    ]
    document = {"schemaVersion": 1, "id": "s", "name": "S", "defaultTimeoutMs": timeout_ms}
    return load_suite(document | {"cases": cases})


def by_tool(**answers: Any) -> Answerer:
    return lambda _method, params: answers[params["name"]]


def run(
    session: ScriptedSession, suite: Suite, caps: Caps | None = None, **options: Any
) -> list[Exchange]:
    return asyncio.run(run_suite(session, suite, Budget(caps), **options))


def report_of(session: ScriptedSession, suite: Suite, **options: Any) -> SuiteReport:
    return asyncio.run(judged(session, suite, Budget(), **options))


def statuses(suite: Suite, exchanges: list[Exchange]) -> list[CaseStatus]:
    return [case.status for case in judge_suite(suite, exchanges).cases]


def test_cases_run_in_order_one_at_a_time() -> None:
    cases = suite("a", "b", "a", timeout_ms=1500)
    session = ScriptedSession(by_tool(a={}, b={"isError": True}))
    exchanges = run(session, cases)
    assert [exchange.probe for exchange in exchanges] == ["suite:s:0", "suite:s:1", "suite:s:2"]
    assert session.sent[0] == ("tools/call", {"name": "a", "arguments": {"n": 0}}, 1.5)
    assert session.most_in_flight == 1
    assert statuses(cases, exchanges) == [CaseStatus.PASSED, CaseStatus.FAILED, CaseStatus.PASSED]


@pytest.mark.parametrize("concurrency", [2, 7, 100])
def test_concurrency_changes_neither_order_nor_outcome(concurrency: int) -> None:
    cases = suite(*["a", "b"] * 20)
    session = ScriptedSession(by_tool(a={}, b={"isError": True}))
    exchanges = run(session, cases, concurrency=concurrency)
    assert [exchange.probe for exchange in exchanges] == [f"suite:s:{n}" for n in range(40)]
    assert session.most_in_flight == min(concurrency, 40)
    alone = report_of(ScriptedSession(by_tool(a={}, b={"isError": True})), cases)
    assert report_of(session, cases, concurrency=concurrency) == alone


def test_a_timeout_ends_its_case_alone() -> None:
    cases = suite("slow", "slow", "slow", "a")
    session = ScriptedSession(by_tool(slow=Failure.TIMEOUT, a={}))
    assert statuses(cases, run(session, cases)) == [CaseStatus.TIMED_OUT] * 3 + [CaseStatus.PASSED]


@pytest.mark.parametrize("gone", [Failure.CLOSED, Failure.UNREACHABLE])
def test_a_server_that_is_gone_ends_the_suite(gone: Failure) -> None:
    cases = suite("a", "dies", "a", "a")
    session = ScriptedSession(by_tool(a={}, dies=Failure.CLOSED), alive=gone)
    report = report_of(session, cases)
    assert [case.status for case in report.cases] == [
        CaseStatus.PASSED,
        CaseStatus.OPERATION_FAILED,
        CaseStatus.NOT_RUN,
        CaseStatus.NOT_RUN,
    ]
    assert len(session.sent) == 2
    assert report.stopped is not None
    assert (report.stopped.kind, report.stopped.case) == ("serverGone", "1")
    assert report.stopped.infrastructure


def test_a_process_that_ended_needs_no_asking() -> None:
    cases = suite("dies", "a")
    session = ScriptedSession(by_tool(a={}, dies=Failure.CLOSED))
    session.dead = True
    report = report_of(session, cases)
    assert [case.status for case in report.cases][1:] == [CaseStatus.NOT_RUN]
    assert session.greeted == []


@pytest.mark.parametrize("alive", [None, Failure.TIMEOUT])
def test_answers_cut_short_by_a_server_that_lives_do_not_end_the_suite(
    alive: Failure | None,
) -> None:
    cases = suite("cut", "cut", "a", "cut", "a")
    session = ScriptedSession(by_tool(cut=Failure.CLOSED, a={}), alive=alive)
    report = report_of(session, cases)
    failed, passed = CaseStatus.OPERATION_FAILED, CaseStatus.PASSED
    assert [case.status for case in report.cases] == [failed, failed, passed, failed, passed]
    assert report.stopped is None
    assert session.greeted == ["alive:suite:s:0", "alive:suite:s:1", "alive:suite:s:3"]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (Failure.UNREACHABLE, "serverGone"),
        (Failure.REFUSED_EGRESS, "serverGone"),
        (Failure.BUDGET, "budget"),
    ],
)
def test_where_nothing_can_be_sent_nothing_more_is_tried(failure: Failure, kind: str) -> None:
    cases = suite("gone", "a", "a")
    session = ScriptedSession(by_tool(gone=failure, a={}))
    report = report_of(session, cases)
    assert len(session.sent) == 1
    assert [case.status for case in report.cases] == [CaseStatus.NOT_RUN] * 3
    assert report.stopped is not None
    assert report.stopped.kind == kind
    assert report.verdict is Verdict.INCONCLUSIVE


def test_a_run_out_of_time_sends_nothing() -> None:
    cases = suite("a")
    session = ScriptedSession(by_tool(a={}))
    assert run(session, cases, Caps(run_s=0)) == []
    assert session.sent == []


def listing(tool: str) -> Suite:
    case = {
        "id": "list",
        "name": "lists",
        "operation": {"type": "listTools"},
        "assertions": [{"type": "toolExists", "tool": tool}],
    }
    return load_suite({"schemaVersion": 1, "id": "s", "name": "S", "cases": [case]})


def test_every_page_of_a_list_is_looked_at() -> None:
    pages = {
        None: {"tools": [{"name": "a"}], "nextCursor": ""},
        "": {"tools": [{"name": "b"}], "nextCursor": "2"},
        "2": {"tools": [{"name": "c"}]},
    }
    cases = listing("c")
    session = ScriptedSession(lambda _method, params: pages[params.get("cursor")])
    exchanges = run(session, cases)
    assert statuses(cases, exchanges) == [CaseStatus.PASSED]
    assert [exchange.probe for exchange in exchanges] == ["suite:s:list"] * 3
    assert all(timeout_s is not None and timeout_s <= 10 for _, _, timeout_s in session.sent)


def test_a_list_that_never_ends_is_left() -> None:
    session = ScriptedSession(lambda *_: {"tools": [], "nextCursor": "again"})
    assert len(run(session, listing("a"))) == 2
    count = iter(range(10**6))
    session = ScriptedSession(lambda *_: {"tools": [], "nextCursor": str(next(count))})
    assert len(run(session, listing("a"))) == MAX_PAGES
