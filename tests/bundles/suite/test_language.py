"""Sentences of reports: one table a language, the same keys, the same values to fill in."""

from string import Formatter

from bundles.suite.language import ENGLISH, KOREAN, LANGUAGES


def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def test_every_language_has_every_sentence_with_the_same_values() -> None:
    assert set(LANGUAGES) == {"en", "ko"}
    assert ENGLISH.table.keys() == KOREAN.table.keys()
    for key, english in ENGLISH.table.items():
        korean = _fields(KOREAN.table[key])
        # A singular may do without the number that is in its words.
        assert korean == _fields(english), key
