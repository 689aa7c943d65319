"""Sentences of reports: one table a language, the same keys, the same values to fill in."""

from string import Formatter

from bundles.suite import outcomes
from bundles.suite.determinism import Conclusion
from bundles.suite.difference import Hint
from bundles.suite.extraction import ExtractionCode
from bundles.suite.input_contract import InputCode, InputSeverity
from bundles.suite.language import ENGLISH, KOREAN, LANGUAGES
from bundles.suite.outcomes import CaseStatus
from bundles.suite.report import gates
from bundles.suite.report.sentences import step_for
from bundles.suite.schema import ViolationCode


def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_every_language_has_every_sentence_with_the_same_values() -> None:
    assert set(LANGUAGES) == {"en", "ko"}
    assert ENGLISH.table.keys() == KOREAN.table.keys()
    for key, english in ENGLISH.table.items():
        korean = _fields(KOREAN.table[key])
        # A singular may do without the number that is in its words.
        assert korean == _fields(english), key


def test_every_failure_a_judge_can_name_has_its_sentence_and_step_in_korean() -> None:
    modules = (outcomes, gates)
    codes = {code for each in modules for name, code in vars(each).items() if name == code}
    assert "BODY_SCHEMA_MISMATCH" in codes
    assert codes <= KOREAN.outcomes.keys()
    assert codes <= KOREAN.steps.keys()
    causes = {f"BODY_EXTRACTION_FAILED.{c}" for c in ExtractionCode if c.startswith("CONTENT")}
    assert causes <= KOREAN.outcomes.keys()


def test_a_step_says_what_to_do_and_never_where_to_read_about_it() -> None:
    named = KOREAN.steps.keys()
    assert "SUITE_COVERAGE_TOO_LOW" in named
    for code in named:
        assert "bundlegate checks" not in step_for(code, ENGLISH), code


def test_every_code_that_stands_in_a_report_has_its_sentence() -> None:
    for prefix, codes in (
        ("violation", ViolationCode),
        ("finding", InputCode),
        ("finding", InputSeverity),
        ("determinism", Conclusion),
        ("determinism", Hint),
        ("summary", CaseStatus),
    ):
        assert {f"{prefix}.{code.value}" for code in codes} <= ENGLISH.table.keys()
