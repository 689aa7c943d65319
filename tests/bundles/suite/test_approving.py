"""An approval changes one place in the text of a suite, and no other."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.approving import approved_text
from bundles.suite.fingerprint import approval_of, fingerprint
from bundles.suite.reading import parse

SUITE: dict[str, Any] = {
    "schemaVersion": 1.0,
    "id": 'a "quoted" \\ {name}, [with]: signs',
    "name": "날씨 😀",
    "cases": [
        {
            "id": "c",
            "name": "cases",
            "operation": {"type": "callTool", "tool": "t", "input": {"cases": [], "approval": 1}},
            "assertions": [{"type": "isError", "expected": False}],
        }
    ],
}
APPROVAL = {"cases": [{"id": "}", "status": "passed"}], "fingerprint": "0" * 64}


def approved(text: str) -> str:
    made = approved_text(text, fingerprint(parse(text)))
    assert approval_of(parse(made)).state == "current"
    return made


def test_a_suite_without_an_approval_gets_one_before_its_cases() -> None:
    text = '{\r\n\t"schemaVersion": 1,\r\n\t"cases": [{"cases": 1e2}],\r\n\t"id": "s"\r\n}\r\n'
    made = fingerprint(parse(text))
    assert approved(text) == text.replace(
        '\t"cases": [', f'\t"approval": {{"fingerprint": "{made}"}},\r\n\t"cases": ['
    )


def test_a_fingerprint_that_was_recorded_is_replaced_where_it_stands() -> None:
    text = '{"approval" :{ "cases":[], "fingerprint"\n:"old"  } , "cases":[1] }'
    assert approved(text) == text.replace("old", fingerprint(parse(text)))


def test_of_two_approvals_the_last_one_counts() -> None:
    text = '{"approval": {"fingerprint": "a"}, "cases": [], "approval": {"fingerprint": "b"}}'
    assert approved(text) == text.replace('"b"', f'"{fingerprint(parse(text))}"')


def test_names_may_be_spelt_with_escapes() -> None:
    text = r'{"c\u0061ses":[],"\u0061pproval":{"f\u0069ngerprint":""}}'
    assert approved(text) == text.replace('""', f'"{fingerprint(parse(text))}"')
    assert parse(approved('{"c\\u0061ses":[]}'))["cases"] == []


@given(st.permutations([*SUITE, "approval"]), st.sampled_from([None, 0, 2, "\t"]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_only_the_approval_changes_whatever_the_layout(
    order: list[str], indent: int | str | None, has_approval: bool
) -> None:
    whole = SUITE | {"approval": APPROVAL}
    names = [name for name in order if has_approval or name != "approval"]
    document = {name: whole[name] for name in names}
    made = parse(approved(json.dumps(document, indent=indent)))
    recorded = made.pop("approval")
    kept = document.pop("approval", {"fingerprint": ""}) | {"fingerprint": fingerprint(document)}
    assert (made, recorded) == (document, kept)
    assert approved(approved(json.dumps(document))) == approved(json.dumps(document))


@pytest.mark.parametrize(
    "deep", ["[" * 20_000 + "]" * 20_000, '{"a":' * 20_000 + "1" + "}" * 20_000]
)
def test_depth_is_no_obstacle(deep: str) -> None:
    assert approved(f'{{"cases":{deep}}}').endswith(f',"cases":{deep}}}')
