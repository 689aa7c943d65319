"""What commands write: one document that any JSON reader takes, whatever it quotes."""

import pytest

from bundlegate.cli.output import emit_json
from bundles.suite import reading


def test_a_document_may_quote_a_value_of_any_depth(capsys: pytest.CaptureFixture[str]) -> None:
    deep: list[object] = []
    for _ in range(20_000):
        deep = [deep]
    emit_json({"seen": deep, "odd": "\ud800\u202e"})
    written = capsys.readouterr().out
    assert "[" * 20_000 in written
    read = reading.parse(written)
    assert read["odd"] == "\ud800\u202e"


def test_a_document_is_indented_for_people_who_look_at_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    emit_json({"b": ["ü"], "a": 1})
    assert capsys.readouterr().out == '{\n  "b": [\n    "ü"\n  ],\n  "a": 1\n}\n'
