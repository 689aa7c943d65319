"""What people import and read about suites: it exists, and it is true."""

import json
import re
from pathlib import Path

import bundlegate.suite as face
from bundles.verdict import Verdict

PAGE = Path(__file__).parents[2] / "docs" / "suites.md"


def test_every_name_that_is_offered_is_there() -> None:
    assert [name for name in face.__all__ if not hasattr(face, name)] == []


def test_the_suite_on_the_page_is_valid_and_means_what_the_page_says() -> None:
    (written,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    document = json.loads(written)
    assert face.validate_suite(document) == []
    suite = face.load_suite(document)
    assert suite.cases[0].timeout_ms == 10_000
    assert face.judge_suite(suite, []).verdict is Verdict.INCONCLUSIVE
