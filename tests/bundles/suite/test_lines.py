"""Where cases stand in their file."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.lines import lines_of_cases

SUITE = r"""{
  "id": "s", "name": "cases",
  "setup": [{"name": "first", "id": "log in"}],
  "cases": [
    {
      "name": "an \"id\": \"fake\"",
      "operation": {"id": "fake", "input": {"cases": [{"id": "fake"}], "x": ["id", "{"]}},
      "id": "a\u0062"
    },
    {"id": "c",
     "assertions": [{"id": "fake"}]}, {"id": "d"}
  ],
  "approval": {"cases": [{"id": "fake", "status": "passed"}]}
}"""


def test_only_the_ids_of_cases_count() -> None:
    assert lines_of_cases(SUITE) == {"log in": 3, "ab": 5, "c": 10, "d": 11}


def test_depth_is_no_obstacle() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    assert lines_of_cases(f'{{"cases":\n[{{"input":{deep},\n"id":"a"}}]}}') == {"a": 2}


WORDS = st.text(max_size=6) | st.sampled_from(["id", "cases", "setup", '"', "\\", "}"])
VALUES = st.recursive(
    WORDS | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=5), VALUES), max_size=4), VALUES, VALUES)
def test_every_case_is_found_on_the_line_where_it_begins(
    cases: list[tuple[str, Any]], before: Any, after: Any
) -> None:
    parts = [json.dumps({"x": value, "id": name, "y": value}) for name, value in cases]
    text = '{"name":%s,"cases":[\n%s],"other":%s}' % (  # noqa: UP031 - braces everywhere
        json.dumps(before),
        ",\n".join(parts),
        json.dumps(after, indent=1),
    )
    assert lines_of_cases(text) == {name: at + 2 for at, (name, _) in enumerate(cases)}
