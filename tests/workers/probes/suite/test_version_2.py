"""Driving version-2 suites: what a case means for the others, and how often it is asked."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.wire import CLIENT_CAPABILITIES_KEY
from bundles.suite.judge import SuiteReport, judge_suite
from bundles.suite.model import Suite, load_suite
from bundles.suite.outcomes import CaseStatus
from bundles.transcript import Exchange, Failure
from bundles.verdict import Verdict
from tests.fixtures.scripted import ScriptedSession
from workers.budget import Budget
from workers.probes.suite import drive
from workers.probes.suite.judged import judged
from workers.probes.suite.recorded import run_suite

PASSED, FAILED, NOT_RUN = CaseStatus.PASSED, CaseStatus.FAILED, CaseStatus.NOT_RUN
_FINE = [{"type": "isError", "expected": False}]


def call(name: str, given: Any = None, **members: Any) -> dict[str, Any]:
    operation = {"type": "callTool", "tool": name, "input": given or {}}
    return {"id": name, "name": name, "operation": operation, "assertions": _FINE} | members


def suite(*cases: Mapping[str, Any], **members: Any) -> Suite:
    head = {"schemaVersion": 2, "format": "bundlegate", "id": "s", "name": "S"}
    return load_suite(head | members | {"cases": list(cases)})


class Server(ScriptedSession):
    """Answers each tool with its next entry, the last one again and again."""

    def __init__(self, **answers: Any) -> None:
        super().__init__(self._next)
        self._answers = {
            name: list(given) if isinstance(given, list) else [given]
            for name, given in answers.items()
        }

    def _next(self, _method: str, params: Mapping[str, Any]) -> Any:
        left = self._answers.get(params["name"], [{}])
        return left.pop(0) if len(left) > 1 else left[0]

    @property
    def called(self) -> list[str]:
        return [params["name"] for _, params, _ in self.sent]


def report(server: ScriptedSession, suite: Suite, **options: Any) -> SuiteReport:
    return asyncio.run(judged(server, suite, Budget(), **options))


def statuses(made: SuiteReport) -> dict[str, CaseStatus]:
    return {case.id: case.status for case in made.cases}


_MAKES = call("make", capture=[{"name": "note", "pointer": "/id"}])


def test_variables_go_from_setup_through_the_cases_to_teardown() -> None:
    made = suite(
        call("read", {"id": {"$var": "note"}, "text": "note ${note}"}, independent=True),
        call("copy", capture=[{"name": "copy", "pointer": "/id"}]),
        call("compare", {"ids": [{"$var": "note"}, {"$var": "copy"}]}),
        setup=[_MAKES],
        teardown=[call("remove", {"id": {"$var": "copy"}})],
    )
    server = Server(make={"id": 7}, copy={"id": "eight"})
    went = report(server, made)
    assert [(case.part, case.id, case.status) for case in went.cases] == [
        ("setup", "make", PASSED),
        ("cases", "read", PASSED),
        ("cases", "copy", PASSED),
        ("cases", "compare", PASSED),
        ("teardown", "remove", PASSED),
    ]
    assert {params["name"]: params["arguments"] for _, params, _ in server.sent} == {
        "make": {},
        "read": {"id": 7, "text": "note 7"},
        "copy": {},
        "compare": {"ids": [7, "eight"]},
        "remove": {"id": "eight"},
    }
    assert all(not case.captured for case in went.cases), "a report repeats no captured value"


def test_setup_that_fails_leaves_the_cases_out_by_name_and_still_tears_down() -> None:
    made = suite(
        call("a"), call("b", independent=True), setup=[call("x"), call("y")], teardown=[call("z")]
    )
    server = Server(x={"isError": True})
    went = report(server, made)
    assert server.called == ["x", "z"]
    assert statuses(went) == {
        "x": FAILED,
        "y": NOT_RUN,
        "a": NOT_RUN,
        "b": NOT_RUN,
        "z": PASSED,
    }
    assert {case.operation.why for case in went.cases if case.status is NOT_RUN} == {
        "setup did not pass: x"
    }
    assert went.stopped is not None
    assert (went.stopped.kind, went.stopped.case) == ("setupFailed", "x")
    assert not went.stopped.infrastructure
    assert went.verdict is Verdict.FAIL


def test_teardown_runs_whatever_became_of_the_cases() -> None:
    made = suite(call("a"), call("b"), teardown=[call("y"), call("z")])
    server = Server(a={"isError": True}, b=Failure.TIMEOUT, y={"isError": True})
    went = report(server, made)
    assert server.called == ["a", "b", "y", "z"]
    assert statuses(went)["z"] is PASSED


def test_a_server_that_is_gone_is_not_asked_to_tear_down() -> None:
    made = suite(call("a"), call("b"), teardown=[call("z")])
    server = Server(a=Failure.UNREACHABLE)
    went = report(server, made)
    assert server.called == ["a"]
    assert set(statuses(went).values()) == {NOT_RUN}
    assert went.stopped is not None
    assert went.stopped.infrastructure


def test_a_case_whose_variable_was_never_captured_is_not_run_and_says_which() -> None:
    made = suite(_MAKES, call("read", {"id": {"$var": "note"}}))
    went = report(Server(make={"nothing": True}), made)
    assert statuses(went) == {"make": FAILED, "read": NOT_RUN}
    assert "'note'" in went.cases[1].operation.why


def test_what_a_failed_case_captured_is_there_to_be_removed() -> None:
    made = suite(
        call("make", capture=[{"name": "note", "pointer": "/id"}]),
        teardown=[call("remove", {"id": {"$var": "note"}})],
    )
    server = Server(make={"id": 1, "isError": True})
    assert statuses(report(server, made)) == {"make": FAILED, "remove": PASSED}


_TWICE_MORE = {"attempts": 3, "reason": "it warms up"}


@pytest.mark.parametrize(
    ("answers", "status", "attempts"),
    [
        ([{}], PASSED, 1),
        ([{"isError": True}, {}], PASSED, 2),
        ([Failure.TIMEOUT, {"isError": True}, {}], PASSED, 3),
        ([{"isError": True}], FAILED, 3),
        ([Failure.CLOSED, Failure.TIMEOUT, {"isError": True}], FAILED, 3),
    ],
)
def test_a_case_is_tried_again_as_often_as_it_says(
    answers: list[Any], status: CaseStatus, attempts: int
) -> None:
    server = Server(a=answers)
    went = report(server, suite(call("a", retries=_TWICE_MORE)))
    (case,) = went.cases
    assert (case.status, case.attempts, len(server.sent)) == (status, attempts, attempts)
    assert case.retry_reason == ("it warms up" if attempts > 1 else "")


def test_an_attempt_that_was_not_made_does_not_hide_those_that_were() -> None:
    server = Server(a=[{"isError": True}, Failure.UNREACHABLE])
    went = report(server, suite(call("a", retries=_TWICE_MORE)))
    assert (went.cases[0].status, went.cases[0].attempts) == (FAILED, 1)
    assert went.verdict is Verdict.FAIL


def test_a_case_that_allows_no_retry_is_asked_once() -> None:
    server = Server(a={"isError": True})
    report(server, suite(call("a")))
    assert server.called == ["a"]


def test_cases_that_depend_run_in_order_while_independent_ones_run_beside_them() -> None:
    free = [call(f"f{n}", independent=True) for n in range(6)]
    bound = [call(f"b{n}") for n in range(6)]
    mixed = [case for pair in zip(bound, free, strict=True) for case in pair]
    made = suite(*mixed, concurrency=4)
    server = Server()
    went = report(server, made)
    assert [case.id for case in went.cases] == [case["id"] for case in mixed]
    assert [name for name in server.called if name.startswith("b")] == [f"b{n}" for n in range(6)]
    assert server.most_in_flight == 4
    alone = Server()
    report(alone, made, concurrency=1)
    assert alone.called == [case["id"] for case in mixed]
    in_order = Server()
    report(in_order, suite(*bound, concurrency=4))
    assert in_order.most_in_flight == 1


_ASKS = {
    "resultType": "input_required",
    "inputRequests": {
        "sure": {"method": "elicitation/create", "params": {}},
        "who": {"method": "sampling/createMessage", "params": {}},
    },
    "requestState": "opaque",
}
_ANSWERS = {"sure": {"action": "accept"}, "sampling/createMessage": {"role": "assistant"}}


def test_questions_are_answered_by_key_or_by_method_with_the_state_given_back() -> None:
    server = Server(a=[_ASKS, {"resultType": "input_required", "requestState": "2"}, {}])
    went = report(server, suite(call("a", {"x": 1}, answers=[_ANSWERS, {}])))
    assert statuses(went) == {"a": PASSED}
    first, second, third = (params for _, params, _ in server.sent)
    assert first["_meta"][CLIENT_CAPABILITIES_KEY].keys() == {"elicitation", "sampling", "roots"}
    assert "inputResponses" not in first
    assert second == {
        **first,
        "inputResponses": {"sure": {"action": "accept"}, "who": {"role": "assistant"}},
        "requestState": "opaque",
    }
    assert third == {**first, "requestState": "2"}


@pytest.mark.parametrize("answers", [[{"sure": {}}], [{}]])
def test_a_question_without_an_answer_is_left_as_the_result(answers: list[Any]) -> None:
    server = Server(a=_ASKS)
    went = report(server, suite(call("a", answers=answers)))
    assert len(server.sent) == 1
    assert statuses(went) == {"a": CaseStatus.OPERATION_FAILED}
    assert "asks for input" in went.cases[0].operation.why


def test_a_case_without_answers_says_of_no_input_that_it_could_give_it() -> None:
    server = Server()
    report(server, suite(call("a")))
    assert "_meta" not in server.sent[0][1]


@pytest.mark.parametrize(
    ("operation", "method", "params"),
    [
        ({"type": "listTools"}, "tools/list", {}),
        ({"type": "listPrompts"}, "prompts/list", {}),
        ({"type": "listResources"}, "resources/list", {}),
        ({"type": "listResourceTemplates"}, "resources/templates/list", {}),
        (
            {"type": "getPrompt", "prompt": "p", "arguments": {"a": "b"}},
            "prompts/get",
            {"name": "p", "arguments": {"a": "b"}},
        ),
        ({"type": "readResource", "uri": "x:///y"}, "resources/read", {"uri": "x:///y"}),
    ],
)
def test_each_operation_is_asked_with_its_own_method(
    operation: Mapping[str, Any], method: str, params: Mapping[str, Any]
) -> None:
    fast = [{"type": "maxLatencyMs", "ms": 9_000}]
    case = {"id": "c", "name": "C", "operation": operation, "assertions": fast}
    members = ("tools", "prompts", "resources", "resourceTemplates")
    server = ScriptedSession(lambda *_: {name: [] for name in members})
    assert statuses(report(server, suite(case))) == {"c": PASSED}
    assert [(sent, given) for sent, given, _ in server.sent] == [(method, params)]


def test_a_protocol_error_that_is_expected_passes() -> None:
    error = [{"type": "protocolError", "code": -32602}]
    server = Server(a={"error": {"code": -32602, "message": "unknown tool"}}, b={})
    went = report(server, suite(call("a", assertions=error), call("b", assertions=error)))
    assert statuses(went) == {"a": PASSED, "b": FAILED}


_BEHAVIOURS = st.sampled_from(
    [{}, {"id": 1}, {"isError": True}, Failure.TIMEOUT, Failure.CLOSED, Failure.UNREACHABLE]
)


@st.composite
def _runs(draw: st.DrawFn) -> tuple[Suite, Sequence[Any], int]:
    """A suite whose parts depend on each other in every way, and what its server does."""
    number = draw(st.integers(1, 8))
    cases = []
    for n in range(number):
        case = call(f"c{n}", independent=draw(st.booleans()))
        if draw(st.booleans()):
            case["retries"] = _TWICE_MORE
        if not case["independent"] and n == 0:
            case["capture"] = [{"name": "v", "pointer": "/id"}]
        cases.append(case)
    if "capture" in cases[0] and number > 1 and not cases[-1]["independent"]:
        cases[-1]["operation"]["input"] = {"v": {"$var": "v"}}
    setup = [call("setup", retries=_TWICE_MORE)] if draw(st.booleans()) else []
    made = suite(*cases, **({"setup": setup} if setup else {}), teardown=[call("teardown")])
    answers = draw(st.lists(_BEHAVIOURS, min_size=1, max_size=30))
    return made, answers, draw(st.integers(1, 4))


def told(made: SuiteReport) -> list[dict[str, Any]]:
    """What a report says of its cases; why one was not run, a live run may know better."""
    cases = [case.to_dict() for case in made.cases]
    for case in cases:
        if case["status"] == "notRun":
            del case["operation"]["message"]
    return cases


@given(_runs())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_transcript_is_judged_as_the_live_run_was(
    given: tuple[Suite, Sequence[Any], int],
) -> None:
    made, answers, concurrency = given

    def server() -> ScriptedSession:
        # the same answer for the same call, in whatever order the calls come
        counts: dict[str, int] = {}

        def answer(_method: str, params: Mapping[str, Any]) -> Any:
            name = params["name"]
            counts[name] = counts.get(name, -1) + 1
            return answers[(len(name) * 7 + ord(name[-1]) + counts[name]) % len(answers)]

        return ScriptedSession(answer)

    live = report(server(), made, concurrency=concurrency)
    recorded = asyncio.run(run_suite(server(), made, Budget(), concurrency=concurrency))
    replayed = judge_suite(made, recorded)
    assert told(replayed) == told(live)
    assert replayed.verdict is live.verdict


class Stuck(Server):
    """Answers no call of `stuck`; `reached` is set once one came."""

    def __init__(self, stuck: str, **answers: Any) -> None:
        super().__init__(**answers)
        self._stuck = stuck
        self.reached = asyncio.Event()

    async def call(self, probe: str, method: str, *given: Any, **options: Any) -> Exchange:
        made = await super().call(probe, method, *given, **options)
        if given[0]["name"] == self._stuck:
            self.reached.set()
            await asyncio.Event().wait()
        return made


def interrupted(server: Stuck, made: Suite) -> list[str]:
    """Cancel a run once it is stuck; the ids of the cases it told of."""
    told: list[str] = []

    async def cancelled() -> None:
        run = asyncio.create_task(
            judged(server, made, Budget(), on_outcome=lambda case, *_: told.append(case.id))
        )
        await server.reached.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(cancelled())
    return told


@pytest.mark.parametrize("concurrency", [1, 3])
def test_what_was_set_up_is_torn_down_when_the_run_is_cancelled(concurrency: int) -> None:
    made = suite(
        call("stuck", independent=True),
        call("next"),
        call("last"),
        setup=[_MAKES],
        teardown=[call("remove", {"id": {"$var": "note"}}), call("close")],
        concurrency=concurrency,
    )
    server = Stuck("stuck", make={"id": 7})
    told = interrupted(server, made)
    assert (told[0], told[-2:]) == ("make", ["remove", "close"])
    assert "stuck" not in told
    assert ("tools/call", {"name": "remove", "arguments": {"id": 7}}, 10.0) in server.sent


def test_teardown_that_is_cancelled_itself_goes_on_with_the_next_case() -> None:
    made = suite(call("a"), teardown=[call("stuck"), call("close")])
    assert interrupted(Stuck("stuck"), made) == ["a", "close"]


def test_teardown_of_a_cancelled_run_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive, "TEARDOWN_S", 0.01)
    server, again = Stuck("stuck"), call("stuck") | {"id": "again"}
    assert interrupted(server, suite(call("stuck"), teardown=[again, call("z")])) == []
    assert server.called == ["stuck", "stuck"]
