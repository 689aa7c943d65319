"""Two runs compared: what counts as a difference, what is shown of it, and what nobody can tell."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.determinism import (
    NO_RESPONSE,
    CaseRecord,
    Conclusion,
    DifferenceKind,
    compare_runs,
    record_of,
)
from bundles.suite.difference import ABSENT, ROOT, Hint, first_difference
from bundles.suite.judge import judge_suite
from bundles.suite.model import load_suite
from bundles.suite.schema import equal
from bundles.transcript import Exchange, Failure

UUID_1 = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
UUID_2 = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2, allow_nan=False)
    | st.text("ab1-T:", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.", max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)


def passed(response: Any, name: str = "c") -> CaseRecord:
    return CaseRecord(name, name, "t", "passed", ("passed",), response)


@given(JSON, JSON)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_values_differ_somewhere_exactly_when_they_are_unequal(one: Any, other: Any) -> None:
    assert (first_difference(one, other) is None) is equal(one, other)


@given(JSON)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_run_is_consistent_with_itself(response: Any) -> None:
    found = compare_runs([passed(response)], [passed(copy.deepcopy(response))], state_restored=True)
    assert found.conclusion is Conclusion.DETERMINISTIC
    assert (found.compared, found.differences) == (1, ())


@given(JSON, JSON)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_difference_is_at_the_same_place_whichever_run_came_first(one: Any, other: Any) -> None:
    there, back = first_difference(one, other), first_difference(other, one)
    if there is None or back is None:
        assert there is back
    else:
        assert (there.path, there.first, there.second) == (back.path, back.second, back.first)
        assert there.hint is back.hint


def test_a_difference_20000_levels_down_is_found_and_shown() -> None:
    one: Any = {"n": 1}
    other: Any = {"n": 2}
    for _ in range(20_000):
        one, other = {"a": one}, {"a": other}
    found = first_difference(one, other)
    assert found is not None
    assert found.path == "a." * 20_000 + "n"
    assert found.hint is Hint.NUMERIC_DRIFT
    beside = first_difference(one, [])
    assert beside is not None
    assert (beside.path, beside.second) == (ROOT, "[]")


def test_json_inside_a_text_is_looked_into_to_say_where_it_differs() -> None:
    one = {"content": [{"text": '{"temp":24,"at":"2026-01-02T03:04:05Z"}'}]}
    other = {"content": [{"text": '{"temp":24,"at":"2026-01-02T03:04:06Z"}'}]}
    found = first_difference(one, other)
    assert found is not None
    assert found.path == "content[0].text"
    assert found.inside is not None
    assert (found.inside.path, found.inside.first) == ("at", '"2026-01-02T03:04:05Z"')
    assert found.hint is found.inside.hint is Hint.TIMESTAMP


def test_json_inside_a_text_that_only_has_another_order_differs_as_text() -> None:
    found = first_difference('{"a":1,"b":2}', '{"b":2,"a":1}')
    assert found is not None
    assert (found.inside, found.hint) == (None, None)


@pytest.mark.parametrize(
    ("one", "other", "hint"),
    [
        (f"id {UUID_1}", f"id {UUID_2}", "randomId"),
        ("from 2026-01-02T03:04Z", "from 2026-01-02T03:05Z", "timestamp"),
        ("2 of 9", "3 of 9", "numericDrift"),
        ("2 of 9", "3 of 19 or so", None),
        ("sunny", "rainy", None),
        ("2026-01-02T03:04Z", "never", None),
        (1, True, None),
        (1, "1", None),
        ("\uffff1", "\uffff2", None),
    ],
)
def test_a_hint_is_given_only_where_nothing_else_differs(one: Any, other: Any, hint: Any) -> None:
    found = first_difference(one, other)
    assert found is not None
    assert found.hint == hint


def test_credentials_are_masked_before_values_are_cut() -> None:
    secret = "s" * 300
    found = first_difference({"token": secret}, {"token": "t"})
    assert found is not None
    assert {found.first, found.second} == {"[REDACTED]"}
    whole = first_difference([{"Api-Key": "k1"}], None)
    assert whole is not None
    assert whole.first == '[{"Api-Key":"[REDACTED]"}]'
    known = first_difference(f"x {secret}", "x", frozenset([secret]))
    assert known is not None
    assert known.first == '"x [REDACTED]"'


def test_what_only_one_side_has_is_absent_on_the_other() -> None:
    found = first_difference([1], [1, {"b": 2, "a": 1}])
    assert found is not None
    assert (found.path, found.first, found.second) == ("[1]", ABSENT, '{"a":1,"b":2}')


def test_the_first_that_differs_of_status_assertions_and_answer_is_said() -> None:
    first = [
        CaseRecord("a", "a", "t", "passed", ("passed",), 1),
        CaseRecord("b", "b", "t", "failed", ("failed", "passed"), 1),
        CaseRecord("c", "c", "t", "timedOut"),
    ]
    second = [
        CaseRecord("a", "a", "t", "failed", ("failed",), 2),
        CaseRecord("b", "b", "t", "failed", ("failed", "failed"), 2),
        CaseRecord("c", "c", "t", "timedOut", (), 3),
    ]
    found = compare_runs(first, second, state_restored=False)
    assert [d.kind for d in found.differences] == list(DifferenceKind)
    assert found.differences[2].value.first == NO_RESPONSE
    assert found.conclusion is Conclusion.NONDETERMINISTIC


def test_a_run_that_ended_early_shows_no_determinism_but_may_show_the_lack_of_it() -> None:
    unmade = CaseRecord("b", "b", "t", "notRun")
    same = compare_runs(
        [passed(1), passed(1, "b")], [passed(1), unmade], state_restored=True, incomplete="it died"
    )
    assert (same.conclusion, same.compared, same.skipped) == (Conclusion.NOT_COMPARED, 1, 1)
    assert same.to_dict()["why"] == "it died"
    other = compare_runs(
        [passed(1), passed(1, "b")], [passed(2), unmade], state_restored=True, incomplete="it died"
    )
    assert other.conclusion is Conclusion.NONDETERMINISTIC
    assert [d.case_id for d in other.differences] == ["c"]


def test_runs_of_other_cases_are_not_compared() -> None:
    with pytest.raises(ValueError, match="'c' beside 'd'"):
        compare_runs([passed(1)], [passed(1, "d")], state_restored=True)
    with pytest.raises(ValueError, match="shorter"):
        compare_runs([passed(1)], [], state_restored=True)


LISTING = {
    "schemaVersion": 1,
    "id": "s",
    "name": "S",
    "cases": [
        {
            "id": "l",
            "name": "l",
            "operation": {"type": "listTools"},
            "assertions": [{"type": "toolExists", "tool": "a"}],
        }
    ],
}


def recorded(*exchanges: Exchange) -> CaseRecord:
    suite = load_suite(LISTING)
    (outcome,) = judge_suite(suite, exchanges).cases
    return record_of(suite.cases[0], outcome, exchanges)


def page(**result: Any) -> Exchange:
    return Exchange("suite:s:l", 0, {}, message={"id": 1, "result": result})


def test_of_a_list_the_entries_are_compared_and_not_its_pages() -> None:
    one = recorded(page(tools=[{"name": "a"}], nextCursor="1-7"), page(tools=[{"name": "b"}]))
    other = recorded(page(tools=[{"name": "a"}, {"name": "b"}], ttlMs=5))
    assert one.response == [{"name": "a"}, {"name": "b"}]
    assert compare_runs([one], [other], state_restored=True).differences == ()


def test_an_error_is_an_answer_and_a_lost_connection_is_none() -> None:
    error = {"code": -32603, "message": "boom"}
    refused = recorded(Exchange("suite:s:l", 0, {}, message={"id": 1, "error": error}))
    assert refused.response == {"error": error}
    lost = recorded(Exchange("suite:s:l", 0, {}, failure=Failure.CLOSED))
    (difference,) = compare_runs([refused], [lost], state_restored=True).differences
    assert difference.value.second == NO_RESPONSE
