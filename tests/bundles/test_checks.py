"""The examples of every check in the registry: they are its unit tests, and this runs them all."""

import pytest

from bundles.check import registry
from bundles.verdict import Verdict

CHECKS = list(registry().values())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_objects_to_none_of_the_subjects_it_accepts(check):
    for subject in check.accepts:
        assert check.judge(subject).findings == ()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_objects_to_every_subject_it_rejects_under_its_own_id(check):
    for subject in check.rejects:
        outcome = check.judge(subject)
        assert outcome.findings, "a rejected example was not objected to"
        assert outcome.verdict in (Verdict.FAIL, Verdict.WARN)
        assert {f.check_id for f in outcome.findings} == {check.id}
        assert {f.reason_code for f in outcome.findings} == {check.reason_code}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_gives_some_accepted_subject_a_pass_or_says_why_it_does_not_apply(check):
    outcomes = [check.judge(subject) for subject in check.accepts]
    assert all(o.verdict is Verdict.PASS or o.why for o in outcomes)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_explains_why_the_rule_is_there_and_how_to_comply(check):
    assert check.title.endswith((".", "?"))
    assert check.explanation
