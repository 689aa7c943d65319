"""The page about reports shows what reports say."""

import re
from pathlib import Path

from bundles.suite.language import ENGLISH, KOREAN
from bundles.suite.report import SuiteRun, render_text
from tests.bundles.suite.report.samples import REFUSES, answered, case, green, mixed, text

PAGE = (Path(__file__).parents[4] / "docs" / "suite-reports.md").read_text(encoding="utf-8")


def example() -> SuiteRun:
    wanted = {"type": "object", "required": ["temp"]}
    body = {"type": "bodyMatchesSchema", "schema": wanted}
    cases = (
        answered(case("add-success", name="add adds"), text('{"sum":3}')),
        answered(
            case("add-missing-a", REFUSES, name="add refuses input without 'a'"),
            text('{"sum":null}'),
        ),
        answered(
            case("weather", body, name="get_weather answers for Oslo"), text('{"temperature":21}')
        ),
        answered(
            case("add-type-a", REFUSES, name="add refuses text as 'a'"),
            text("a is no number", isError=True),
        ),
    )
    return green(*cases, name="Weather")


def test_the_page_shows_the_report_as_it_is_in_both_languages() -> None:
    blocks = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert blocks == [render_text(example(), words) for words in (ENGLISH, KOREAN)]


def test_the_page_names_every_member_of_the_document() -> None:
    document = mixed().to_dict()
    case_members = set().union(*document["cases"])
    assertions = [each for made in document["cases"] for each in made["assertions"]]
    violations = [each for made in assertions for each in made.get("violations", ())]
    for member in {*document, *case_members, *set().union(*assertions, *violations)}:
        assert f"`{member}`" in PAGE, member
