"""Declared tools that ask for input: the form of a declaration, and how their retries are read."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.check import registry
from bundles.mcp import example_rounds as er
from bundles.mcp import examples as ex
from bundles.mcp.multi_round import MrtrTool, problems_of, read_mrtr_tools
from bundles.mcp.other_arguments import other_arguments
from bundles.mcp.rounds import probe_of, went_on
from bundles.mcp.schema import value_problems
from bundles.transcript import Exchange, Failure
from bundles.verdict import Verdict

EVERYWHERE = "mcp.mrtr.only-where-allowed"
"""About every answer: it needs no declared tool."""

GROUP = [c for c in registry().values() if c.id.startswith("mcp.mrtr.") and c.id != EVERYWHERE]


def test_a_capability_alone_is_a_declaration() -> None:
    document = {"ask": "sampling", "tell": {"arguments": {}, "state_expires_s": 2}}
    assert problems_of(document) == ()
    assert read_mrtr_tools(document) == {
        "ask": MrtrTool(capabilities=("sampling",)),
        "tell": MrtrTool(arguments={}, state_expires_s=2),
    }


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ([], ""),
        ({"": "roots"}, ""),
        ({"ask": "logging"}, "/ask"),
        ({"ask": None}, "/ask"),
        ({"ask": {"args": {}}}, "/ask"),
        ({"ask": {"arguments": []}}, "/ask/arguments"),
        ({"ask": {"capabilities": []}}, "/ask/capabilities"),
        ({"ask": {"capabilities": ["tools"]}}, "/ask/capabilities/0"),
        ({"ask": {"answers": {"who": "Ada"}}}, "/ask/answers/who"),
        ({"ask": {"state_expires_s": 0}}, "/ask/state_expires_s"),
        ({"ask": {"state_expires_s": 61}}, "/ask/state_expires_s"),
        ({"ask": {"state_is_harmless": "yes"}}, "/ask/state_is_harmless"),
    ],
)
def test_another_form_is_refused_where_it_is(document: object, pointer: str) -> None:
    assert problems_of(document)[0].pointer == pointer


MEMBERS: dict[str, tuple[dict[str, Any], st.SearchStrategy[Any]]] = {
    "text": ({"type": "string", "minLength": 1, "maxLength": 4}, st.text(min_size=1, max_size=4)),
    "number": ({"type": "integer", "minimum": 0, "maximum": 9}, st.integers(0, 9)),
    "flag": ({"type": "boolean"}, st.booleans()),
    "choice": ({"enum": ["a", "b"]}, st.sampled_from(["a", "b"])),
}


@given(name=st.sampled_from(sorted(MEMBERS)), choose=st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_other_arguments_are_others_and_as_valid(name: str, choose: st.DataObject) -> None:
    member, values = MEMBERS[name]
    schema = {"type": "object", "properties": {name: member}, "required": [name]}
    given_ones = {name: choose.draw(values)}
    other = other_arguments(schema, given_ones)
    assert other is not None
    assert other != given_ones
    assert value_problems(schema, other) == ()


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"type": "object", "properties": {"a": {"const": 1}}}, {"a": 1}),
        ({"type": "object"}, {}),
        ({"type": "object"}, {"a": None}),
        (None, {"a": 1}),
    ],
)
def test_where_no_other_arguments_can_be_made_there_are_none(
    schema: object, arguments: dict[str, Any]
) -> None:
    assert other_arguments(schema, arguments) is None


def said(**message: Any) -> Exchange:
    return Exchange("p", 0, {}, message={"jsonrpc": "2.0", "id": 1, **message})


def asking_for(*keys: str) -> Exchange:
    requests = {key: {"method": "roots/list"} for key in keys}
    return said(result={"resultType": "input_required", "inputRequests": requests})


@pytest.mark.parametrize(
    ("retry", "taken"),
    [
        (said(result={"content": [], "resultType": "complete"}), True),
        (asking_for("next"), True),
        (asking_for("who"), False),
        (said(result={"content": [], "isError": True}), False),
        (said(error={"code": -32602, "message": "no"}), False),
        (said(result=None), False),
    ],
)
def test_a_retry_went_on_where_the_tool_finished_or_asks_for_something_else(
    retry: Exchange, taken: bool
) -> None:
    assert went_on(asking_for("who"), retry) is taken


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_server_that_does_everything_right_passes(transport: str) -> None:
    transcript = er.asking(transport=transport)
    verdicts = {check.id: check.judge(transcript).verdict for check in GROUP}
    elsewhere = {"mcp.mrtr.retry-on-any-instance": Verdict.NOT_APPLICABLE}
    if transport == "stdio":
        elsewhere["mcp.mrtr.retry-on-any-connection"] = Verdict.NOT_APPLICABLE
    assert {id_: v for id_, v in verdicts.items() if v is not Verdict.PASS} == elsewhere


def test_without_a_declared_tool_nothing_applies() -> None:
    for check in GROUP:
        outcome = check.judge(ex.healthy(stage="conformance"))
        assert outcome.verdict is Verdict.NOT_APPLICABLE
        assert outcome.why in {
            "no tool is declared to ask for input",
            "no other instance is named",
        }


def test_a_stimulus_without_an_answer_is_never_a_pass() -> None:
    healthy = er.asking()
    made = {e.probe for e in healthy.exchanges if e.probe.startswith("mrtr:")}
    # of the call before the changed states, only what came of them is judged
    for probe in made - {probe_of("tampered", tool) for tool in (er.BOOK, er.CANCEL)}:
        silent = ex.failing(healthy, probe, Failure.TIMEOUT)
        lost = {c.id for c in GROUP if c.judge(silent).verdict is Verdict.INCONCLUSIVE}
        assert lost, probe
        assert not [c.id for c in GROUP if c.judge(silent).findings]


def test_removing_a_stimulus_makes_no_pass() -> None:
    spoilt = er.served(er.asking(), "tampered-forged")
    for what in ("rounds", "undeclared"):
        bare = ex.without(spoilt, probe_of(what, er.BOOK))
        before = {c.id for c in GROUP if c.judge(spoilt).verdict is Verdict.PASS}
        after = {c.id for c in GROUP if c.judge(bare).verdict is Verdict.PASS}
        assert after <= before


def test_where_nothing_right_is_served_a_refusal_proves_nothing() -> None:
    stuck = er.refused(er.asking(transport="stdio"), "rounds", -32603)
    outcome = registry()["mcp.mrtr.state-protected"].judge(stuck)
    assert (outcome.verdict, outcome.why) == (
        Verdict.INCONCLUSIVE,
        "book_visit: the retry with the answers: is not served",
    )


def test_a_tool_that_was_not_called_says_what_to_declare() -> None:
    transcript = ex.without(er.asking(), "mrtr:")
    outcome = registry()["mcp.mrtr.retry-served"].judge(transcript)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "declare some beside it in mrtr_tools" in outcome.why
