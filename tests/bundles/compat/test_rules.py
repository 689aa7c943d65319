"""The examples of every rule of compatibility are its test, and no rule lacks its opposite."""

from typing import Any

import pytest

from bundles.compat.containment import compare
from bundles.compat.rule import Rule, Scope, rules
from bundles.compat.subjects import BundlePair, SchemaPair, ToolPair
from bundles.compat.verdict import NOTHING, Direction
from bundles.mcp.snapshot_diff import pair_of
from bundles.mcp.tools import effective
from bundles.reasons import reasons

RULES = list(rules().values())


def subject(scope: Scope, before: Any, after: Any) -> Any:
    if scope is Scope.TOOL:
        return ToolPair("forecast", effective(before), effective(after))
    if scope is Scope.SNAPSHOT:
        facts = ({k: v for k, v in d.items() if k != "tools"} for d in (before, after))
        return pair_of(before["tools"], after["tools"], *facts)
    if scope is Scope.BUNDLE:
        return BundlePair(before, after, compare)
    direction = Direction.BACKWARD if scope is Scope.INPUT else Direction.FORWARD
    return SchemaPair("forecast", before, after, direction, compare)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_what_its_examples_show_and_nothing_of_the_others(rule: Rule) -> None:
    assert rule.says
    assert rule.silent
    for before, after in rule.says:
        said = list(rule.changes(subject(rule.scope, before, after)))
        assert said, (before, after)
        assert {change.reason_code for change in said} <= set(reasons())
        assert all(c.old_pointer is not None or c.new_pointer is not None for c in said)
    for before, after in rule.silent:
        assert not list(rule.changes(subject(rule.scope, before, after))), (before, after)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_whatever_breaks_is_shown_by_a_witness(rule: Rule) -> None:
    for before, after in rule.says if rule.verdict.word == "breaking" else ():
        for change in rule.changes(subject(rule.scope, before, after)):
            assert change.witness is not NOTHING
            assert isinstance(change.witness, dict)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_has_its_opposites_or_says_why_not(rule: Rule) -> None:
    missing = rule.mirrors - rules().keys()
    assert missing == rule.unmirrored.keys(), "an opposite is missing, or its excuse is stale"
    assert all(len(why) > 10 for why in rule.unmirrored.values())


def test_opposites_are_found_by_the_words_of_an_id() -> None:
    assert rules()["input.enum-added"].mirrors == {"input.enum-removed", "output.enum-added"}
    assert rules()["input.narrowed"].mirrors == {"input.widened", "output.narrowed"}
    assert rules()["capability.lost"].mirrors == {"capability.gained"}
    assert rules()["tools.renamed"].mirrors == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_what_happened_and_to_whom(rule: Rule) -> None:
    assert rule.title.endswith(".")
    assert rule.why.endswith(".")
