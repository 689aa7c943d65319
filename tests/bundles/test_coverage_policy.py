"""Reading a coverage policy: what it asks for, and everything that is wrong with it."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.contract import files_contract
from bundles.coverage_policy import COMBINATIONS, CoveragePolicy, read_coverage_policy
from bundles.planning import make_plan
from bundles.yaml_reader import parse_yaml

ASKED = {"suites": {"contract_axes": {"minimum": 0.8}, "determinism": "required"}}


def issues(document: object) -> list[tuple[str, Any]]:
    return [(issue.pointer, issue.expected) for issue in read_coverage_policy(document)[1]]


def test_a_policy_says_what_it_asks_of_the_suites() -> None:
    policy, found = read_coverage_policy({**ASKED, "prior_incidents": "always"})
    assert found == ()
    assert policy == CoveragePolicy(
        0.8, determinism=True, combinations={"prior_incidents": "always"}
    )
    assert policy.of_suites() == ASKED["suites"]


def test_a_policy_may_stand_under_its_own_name() -> None:
    assert read_coverage_policy({"coverage_policy": ASKED}) == read_coverage_policy(ASKED)
    assert issues({"coverage_policy": {"suites": {"x": 1}}, "suites": {}}) == [
        ("/suites", ["coverage_policy"]),
        ("/coverage_policy/suites/x", ["contract_axes", "determinism"]),
    ]


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (None, ""),
        ({"suites": []}, "/suites"),
        ({"suites": {"contract_axis": {}}}, "/suites/contract_axis"),
        ({"suites": {"contract_axes": 0.8}}, "/suites/contract_axes"),
        ({"suites": {"contract_axes": {}}}, "/suites/contract_axes"),
        ({"suites": {"contract_axes": {"minimum": True}}}, "/suites/contract_axes/minimum"),
        ({"suites": {"contract_axes": {"minimum": 0}}}, "/suites/contract_axes/minimum"),
        ({"suites": {"contract_axes": {"minimum": 1.01}}}, "/suites/contract_axes/minimum"),
        ({"suites": {"determinism": "yes"}}, "/suites/determinism"),
        ({"read_only_operations": ["pairwise"]}, "/read_only_operations"),
        ({"a/b": 1}, "/a~1b"),
    ],
)
def test_what_is_wrong_is_named_and_asks_for_nothing(document: object, pointer: str) -> None:
    assert [at for at, _ in issues(document)] == [pointer]
    assert read_coverage_policy(document)[0] == CoveragePolicy()


def test_a_misspelt_key_is_told_what_it_is_near() -> None:
    (issue,) = read_coverage_policy({"suits": {}})[1]
    assert issue.expected == ["suites"]
    assert "did you mean 'suites'?" in issue.message


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["suites", "contract_axes", "minimum", "determinism", "x"]), inner
        )
    ),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_document_is_either_understood_whole_or_has_an_issue(document: object) -> None:
    policy, found = read_coverage_policy(document)
    if not found:
        assert isinstance(document, dict)
        inner = document.get("suites", {})
        assert policy.of_suites() == {k: v for k, v in inner.items() if v != {}} or not inner


def test_a_plan_carries_what_is_asked_and_other_plans_stay_what_they_were() -> None:
    def plan(files: dict[str, object], manifest: dict[str, object], stage: str) -> dict[str, Any]:
        contract = files_contract(files, manifest)
        conditions = {"profile": "default", "revision": "2026-07-28", "transport": "http"}
        return make_plan(contract, stage=stage, **conditions).to_dict()

    asking = plan({"c.json": ASKED}, {"coverage": "c.json"}, "conformance")
    assert asking.pop("coverage") == ASKED["suites"]
    assert asking == plan({}, {}, "conformance")
    assert plan({"c.json": ASKED}, {"coverage": "c.json"}, "security") == plan({}, {}, "security")


def test_rules_about_combinations_are_said_to_be_unjudged() -> None:
    contract = files_contract(
        {"c.json": {**ASKED, "protocol_core": "all_supported_bindings"}}, {"coverage": "c.json"}
    )
    covered = [line for line in contract.not_covered if "coverage" in line]
    assert covered == ["coverage.protocol_core (declared, not judged by this harness)"]


def test_the_policy_that_the_documentation_shows_is_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "bundles.md").read_text(encoding="utf-8")
    shown = page.partition("## Coverage")[2].partition("```yaml\n")[2].partition("```")[0]
    policy, found = read_coverage_policy(parse_yaml(shown.encode(), path="coverage-policy.yaml"))
    assert found == ()
    assert policy.of_suites() == ASKED["suites"]
    assert set(COMBINATIONS) <= set(re.findall(r"`(\w+)`", page))
