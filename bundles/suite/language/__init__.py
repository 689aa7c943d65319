"""What reports of suites say, in the languages they say it in: one table each, the same keys.

A program reads codes; sentences are for people, so JSON, JUnit and SARIF stay English. What a judge
said of a failure is English too: another language has a sentence of its own for each code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bundles.suite.language.english import ENGLISH as _ENGLISH
from bundles.suite.language.english import STEPS as _STEPS
from bundles.suite.language.korean import KOREAN as _KOREAN
from bundles.suite.language.korean_outcomes import OUTCOMES, STEPS


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one language.

    Attributes:
        language: its name, as `--lang` takes it.
        table: key → sentence with the names of its values in braces.
        outcomes: code, or code and cause ("CODE.CAUSE") → what is said of a failure instead of the
            English sentence of the judge.
        steps: code → what to do about it, instead of the published English step.
    """

    language: str
    table: Mapping[str, str]
    outcomes: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, key: str, **values: object) -> str:
        """The sentence of a key with its values filled in. A key that is not there is a bug."""
        return self.table[key].format(**values)

    def counted(self, key: str, count: int, **values: object) -> str:
        """The sentence `key.one` or `key.many` about a number of things."""
        return self(f"{key}.{'one' if count == 1 else 'many'}", count=count, **values)


ENGLISH = Words("en", _ENGLISH, steps=_STEPS)
KOREAN = Words("ko", _KOREAN, OUTCOMES, STEPS)
LANGUAGES: Mapping[str, Words] = {words.language: words for words in (ENGLISH, KOREAN)}
"""By the names `--lang` takes."""
