"""What reports of suites say, in the languages they say it in: one table each, the same keys.

A program reads codes; sentences are for people, so JSON, JUnit and SARIF stay English.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bundles.suite.language.english import ENGLISH as _ENGLISH
from bundles.suite.language.korean import KOREAN as _KOREAN


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one language."""

    language: str
    table: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """The sentence of a key with its values filled in. A key that is not there is a bug."""
        return self.table[key].format(**values)

    def __contains__(self, key: str) -> bool:
        return key in self.table


ENGLISH = Words("en", _ENGLISH)
KOREAN = Words("ko", _KOREAN)
LANGUAGES: Mapping[str, Words] = {words.language: words for words in (ENGLISH, KOREAN)}
"""By the names `--lang` takes."""
