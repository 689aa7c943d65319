"""`bundlegate compat`: one line a row, and an exit code that agrees with the worst of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli

SAME = {"id": 1, "old": {"type": "string"}, "new": {"type": "string"}, "direction": "backward"}
BROKEN = {"id": "b", "old": {}, "new": {"type": "string"}, "direction": "backward"}
UNSURE = {"id": "u", "old": {"type": "string"}, "new": {"format": "date"}, "direction": "backward"}
ADDED = {
    "id": "added",
    "old": {"type": "object", "properties": {"a": {}}},
    "new": {"type": "object", "properties": {"a": {}, "b": {"type": "string"}}},
    "direction": "backward",
}


def compat(tmp_path: Path, *rows: Any, options: tuple[str, ...] = ("--format", "json")) -> Result:
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows))
    return CliRunner().invoke(cli, ["compat", str(file), *options])


def lines(answer: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.stdout.splitlines()]


def test_each_row_has_its_line_with_a_witness_where_it_breaks(tmp_path: Path) -> None:
    answer = compat(tmp_path, SAME, "", BROKEN)
    assert lines(answer) == [
        {"id": 1, "verdict": "compatible", "reason_code": "SCHEMA_CONTAINED"},
        {"id": "b", "verdict": "breaking", "reason_code": "INPUT_NARROWED", "witness": None},
    ]
    assert answer.exit_code == 1


@pytest.mark.parametrize(
    ("rows", "options", "code"),
    [
        ((SAME,), (), 0),
        ((SAME, UNSURE), (), 3),
        ((SAME, UNSURE), ("--fail-on", "conditional"), 1),
        ((UNSURE, BROKEN), (), 1),
        ((BROKEN, '{"id": 1}'), (), 2),
        ((), (), 0),
    ],
)
def test_the_exit_code_is_that_of_the_worst_row(
    tmp_path: Path, rows: tuple[Any, ...], options: tuple[str, ...], code: int
) -> None:
    assert compat(tmp_path, *rows, options=options).exit_code == code


def test_the_exact_question_is_asked_unless_a_closed_content_model_is_wanted(
    tmp_path: Path,
) -> None:
    assert compat(tmp_path, ADDED).exit_code == 1
    assert compat(tmp_path, ADDED, options=("--content-model", "closed")).exit_code == 0


@pytest.mark.parametrize(
    "row",
    [
        "[]",
        "{",
        '{"id": 1, "old": {}, "new": {}, "direction": "sideways"}',
        '{"id": 1, "old": {}, "old": {}, "new": {}, "direction": "forward"}',
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_a_row_that_is_no_pair_is_named_and_the_others_are_answered(
    tmp_path: Path, row: str
) -> None:
    answer = compat(tmp_path, row, SAME)
    assert answer.exit_code == 2
    assert "pairs.jsonl:1:" in answer.stderr
    assert [line["id"] for line in lines(answer)] == [1]


def test_a_file_that_cannot_be_read_is_a_refusal(tmp_path: Path) -> None:
    answer = CliRunner().invoke(cli, ["compat", str(tmp_path / "none"), "--format", "json"])
    assert answer.exit_code == 2
    assert json.loads(answer.stdout)["error"]["reason_code"] == "COMPAT_FILE_UNREADABLE"


def test_a_text_report_shows_what_is_lost(tmp_path: Path) -> None:
    answer = compat(tmp_path, {**BROKEN, "id": "x\x1b[31m"}, options=())
    assert answer.stdout.splitlines()[0].startswith("breaking ")
    assert "\x1b" not in answer.stdout
    assert answer.stdout.splitlines()[1] == "    null"
