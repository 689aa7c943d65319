"""Pairs of schemas from the tests of other registries: no yes where a counterexample is known."""

import json
from collections import Counter
from pathlib import Path

from bundles.compat.containment import compare
from bundles.compat.verdict import Direction, Word

CORPUS = Path(__file__).parents[4] / "shared" / "corpora" / "compat.jsonl"
"""Beside the project on a developer's machine; without it there is nothing to compare."""


def test_no_known_counterexample_is_called_compatible_and_few_pairs_stay_undecided() -> None:
    lines = CORPUS.read_text().splitlines() if CORPUS.exists() else []
    rows = [json.loads(line) for line in lines]
    wrong, undecided = [], Counter[str]()
    for row in rows:
        answer = compare(row["old"], row["new"], Direction(row["direction"]))
        if "witness" in row and answer.word is Word.COMPATIBLE:
            wrong.append(row["id"])
        if row["expected"] == "compatible" and answer.word is Word.BREAKING:
            wrong.append(row["id"])
        if answer.word is Word.CONDITIONAL:
            undecided[answer.reason_code] += 1
    assert wrong == []
    assert undecided.total() <= len(rows) * 0.04
