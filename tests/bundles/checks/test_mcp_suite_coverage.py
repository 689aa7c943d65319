"""The two checks on what a coverage policy asks of suites: what fails, and what cannot be told."""

from collections.abc import Mapping
from typing import Any

from bundles.check import Outcome, registry
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Verdict
from tests.servers.toolbox import SUITE, TOOLS

TWICE = {"determinism": "required"}


def answer(probe: str, celsius: float) -> Exchange:
    content = [{"type": "text", "text": f'{{"celsius":{celsius}}}'}]
    return Exchange(probe, 0, {}, message={"id": 1, "result": {"content": content}})


def listing(probe: str, tools: Any = TOOLS, **result: Any) -> Exchange:
    return Exchange(probe, 0, {}, message={"id": 1, "result": {"tools": list(tools), **result}})


def judged(
    check: str, *exchanges: Exchange, asked: Mapping[str, Any] | None, suites: Any = (SUITE,)
) -> Outcome:
    context: dict[str, Any] = {"suites": suites}
    if asked is not None:
        context["coverage"] = asked
    transcript = Transcript(
        "conformance", "p", "2026-07-28", "http", "t", context=context, exchanges=exchanges
    )
    return registry()[check].judge(transcript)


def deterministic(*exchanges: Exchange, asked: Any = TWICE, suites: Any = (SUITE,)) -> Outcome:
    return judged("mcp.suite.deterministic", *exchanges, asked=asked, suites=suites)


FIRST = (listing("suite:reference:listed"), answer("suite:reference:bergen", 4))


def second(celsius: float) -> tuple[Exchange, ...]:
    return (
        listing("suite-again:reference:listed", ttlMs=7),
        answer("suite-again:reference:bergen", celsius),
    )


def test_suites_that_come_out_the_same_twice_pass() -> None:
    assert deterministic(*FIRST, *second(4)).verdict is Verdict.PASS


def test_another_answer_warns_and_says_where_and_what_it_looks_like() -> None:
    outcome = deterministic(*FIRST, *second(5))
    assert outcome.verdict is Verdict.WARN
    (finding,) = outcome.findings
    assert finding.path == "suite:reference:bergen"
    assert finding.message == (
        "suite reference, case bergen: the answer differs at content[0].text (numericDrift)"
    )
    assert finding.seen == {"first": '"{\\"celsius\\":4}"', "second": '"{\\"celsius\\":5}"'}


def test_another_outcome_of_an_assertion_or_a_case_is_a_difference_too() -> None:
    (finding,) = deterministic(*FIRST, *second(40)).findings
    assert "the status differs" in finding.message
    assert finding.seen == {"first": "passed", "second": "failed"}


def test_a_second_run_that_did_not_get_through_cannot_tell() -> None:
    outcome = deterministic(*FIRST, *second(4)[:1])
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.why == "suite reference: 1 of 2 cases were not run twice"
    both = deterministic(*FIRST, answer("suite-again:reference:bergen", 5))
    assert both.verdict is Verdict.WARN  # a certain difference is one, whatever else is unknown


def test_a_timeout_in_one_run_is_a_difference() -> None:
    slow = Exchange("suite-again:reference:bergen", 0, {}, failure=Failure.TIMEOUT)
    (finding,) = deterministic(*FIRST, second(4)[0], slow).findings
    assert finding.seen == {"first": "passed", "second": "timedOut"}


def test_a_connection_that_ends_is_no_other_answer() -> None:
    lost = Exchange("suite-again:reference:bergen", 0, {}, failure=Failure.CLOSED)
    assert deterministic(*FIRST, second(4)[0], lost).verdict is Verdict.INCONCLUSIVE


def test_determinism_is_not_asked_of_bundles_that_do_not_ask() -> None:
    assert deterministic(*FIRST, asked=None).verdict is Verdict.NOT_APPLICABLE
    assert deterministic(asked=TWICE, suites=()).verdict is Verdict.NOT_APPLICABLE


def test_suites_without_a_case_for_the_profile_are_not_called_deterministic() -> None:
    cases = [case | {"profiles": ["admin"]} for case in SUITE["cases"]]
    for_admins = {**SUITE, "schemaVersion": 2, "format": "bundlegate", "cases": cases}
    outcome = deterministic(asked=TWICE, suites=(for_admins,))
    assert outcome.verdict is Verdict.NOT_APPLICABLE
    assert deterministic(*FIRST, *second(4), suites=(for_admins, SUITE)).verdict is Verdict.PASS
    assert deterministic(suites=({"schemaVersion": 1},)).verdict is Verdict.INCONCLUSIVE


def covered(*exchanges: Exchange, minimum: float | None, suites: Any = (SUITE,)) -> Outcome:
    asked = None if minimum is None else {"contract_axes": {"minimum": minimum}}
    return judged("mcp.suite.axes-covered", *exchanges, asked=asked, suites=suites)


def test_coverage_below_the_minimum_fails_with_what_is_missing() -> None:
    outcome = covered(listing("tools-list"), minimum=0.8)
    assert outcome.verdict is Verdict.FAIL
    (finding,) = outcome.findings
    assert finding.message == (
        "the suites check 1 of 9 declared rules (11%), the bundle asks for 80%"
    )
    assert finding.seen["not_covered"][:2] == [
        "get_forecast REQUIRED_OMITTED:city",
        "get_forecast TYPE_VIOLATION:city",
    ]


def test_coverage_at_the_minimum_passes() -> None:
    assert covered(listing("tools-list"), minimum=1 / 9).verdict is Verdict.PASS


def test_without_a_minimum_the_ratio_is_said_and_nothing_is_judged() -> None:
    outcome = covered(listing("tools-list"), minimum=None)
    assert outcome.verdict is Verdict.NOT_APPLICABLE
    assert outcome.why == (
        "the bundle asks for no coverage; the suites check 1 of 9 declared rules (11%)"
    )


def test_tools_on_a_page_that_never_came_may_have_rules_nobody_checks() -> None:
    first = listing("tools-list", nextCursor="2")
    lost = Exchange("tools-list", 1, {}, failure=Failure.TIMEOUT)
    refused = Exchange("tools-list", 1, {}, message={"id": 2, "error": {"code": -32603}})
    empty = listing("tools-list", tools=())
    # a cursor of any type says that the list goes on
    odd = [listing("tools-list", nextCursor=cursor) for cursor in (7, False, {}, "")]
    for pages in ((first, lost), (first, refused), (first,), (), *((page,) for page in odd)):
        assert covered(*pages, minimum=1 / 9).verdict is Verdict.INCONCLUSIVE
    assert covered(first, empty, minimum=1 / 9).verdict is Verdict.PASS


def test_what_cannot_be_counted_is_neither_enough_nor_too_little() -> None:
    unreadable = [{"name": "t", "inputSchema": {"anyOf": []}}]
    assert covered(listing("tools-list", unreadable), minimum=0.5).verdict is Verdict.INCONCLUSIVE
    assert covered(minimum=0.5).verdict is Verdict.INCONCLUSIVE
    assert covered(minimum=0.5, suites=()).verdict is Verdict.NOT_APPLICABLE
