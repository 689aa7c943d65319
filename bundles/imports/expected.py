"""The conformance suite's expected-failures file: waivers for scenarios, or for single checks.

```yaml
server:
  - scenario                 # every check of it may fail
  - scenario:check-id        # only this one may
```

As in the suite, a warning counts as failing beside such a file, and an entry for what passes is
stale. Beyond the suite, an entry that matches nothing at all is said as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bundles.errors import Refused
from bundles.imports.model import (
    EXPECTED_FAILURE_STALE,
    IMPORTED_FAILED,
    IMPORTED_WAIVED,
    ImportedOutcome,
    outcome,
)
from bundles.imports.suite_tree import SIDES
from bundles.reasons import reason
from bundles.verdict import Verdict
from bundles.yaml_reader import parse_yaml

EXPECTED_FAILURES_INVALID = reason(
    "EXPECTED_FAILURES_INVALID",
    "The expected-failures file is not in the conformance suite's format.",
    "list <scenario> or <scenario>:<check-id>, without a space after the colon, under server or "
    "client",
)

_PATH = "expected-failures"
_FAILING = (Verdict.FAIL, Verdict.WARN)


@dataclass(frozen=True, slots=True)
class Entry:
    """One expected failure; `check` is "" for a whole scenario."""

    side: str
    scenario: str
    check: str = ""

    @property
    def written(self) -> str:
        """As the file has it."""
        return f"{self.scenario}:{self.check}" if self.check else self.scenario

    def names(self, entry: ImportedOutcome) -> bool:
        """True when the entry is about an outcome of `bundles.imports.suite_tree`."""
        whole = f"{self.side}:{self.scenario}"
        if self.check:
            return entry.id == f"{whole}:{self.check}"
        return entry.id == whole or entry.id.startswith(f"{whole}:")


def read(content: bytes) -> tuple[Entry, ...]:
    """The entries of the file, in order.

    Raises:
        Refused: EXPECTED_FAILURES_INVALID, or what is wrong with its YAML.
    """
    document = parse_yaml(content, path=_PATH)
    if document is None:
        return ()
    if not isinstance(document, dict) or set(document) - set(SIDES):
        raise _invalid("it holds something else than server and client lists", "")
    entries: list[Entry] = []
    for side in SIDES:
        listed = document.get(side, [])
        if not isinstance(listed, list):
            raise _invalid(f"{side} is no list", f"/{side}")
        entries += [_entry(side, said, f"/{side}/{at}") for at, said in enumerate(listed)]
    whole = {(entry.side, entry.scenario) for entry in entries if not entry.check}
    for entry in entries:
        if entry.check and (entry.side, entry.scenario) in whole:
            what = f"{entry.written} is redundant: the whole scenario may fail"
            raise _invalid(what, f"/{entry.side}")
    return tuple(entries)


def applied(
    entries: Sequence[Entry], outcomes: Iterable[ImportedOutcome]
) -> tuple[ImportedOutcome, ...]:
    """The outcomes with what was expected waived, then one warning for each stale entry."""
    made: list[ImportedOutcome] = []
    excused: set[Entry] = set()
    passed: set[Entry] = set()
    for seen in outcomes:
        naming = [entry for entry in entries if entry.names(seen)]
        if seen.verdict not in _FAILING:
            passed.update(naming if seen.verdict is Verdict.PASS else ())
            made.append(seen)
        elif naming:
            excused.update(naming)
            made.append(replace(seen, verdict=Verdict.WARN, reason_code=IMPORTED_WAIVED))
        else:
            made.append(replace(seen, verdict=Verdict.FAIL, reason_code=IMPORTED_FAILED))
    for entry in dict.fromkeys(entries):
        if entry not in excused:
            why = "what it names passes" if entry in passed else "it matches nothing that failed"
            made.append(
                outcome(
                    f"{_PATH}:{entry.side}:{entry.written}",
                    Verdict.WARN,
                    f"the expected failure {entry.written} is stale: {why}",
                    _PATH,
                    reason_code=EXPECTED_FAILURE_STALE,
                )
            )
    return tuple(made)


def _entry(side: str, said: Any, pointer: str) -> Entry:
    if isinstance(said, dict):
        raise _invalid("an entry takes no space after its colon", pointer)
    if not isinstance(said, str) or not said:
        raise _invalid("an entry is a scenario's name", pointer)
    scenario, colon, check = said.partition(":")
    if not scenario or (colon and not check):
        raise _invalid("an entry has both sides of its colon", pointer)
    return Entry(side, scenario, check)


def _invalid(what: str, pointer: str) -> Refused:
    return Refused(EXPECTED_FAILURES_INVALID, what, path=_PATH, pointer=pointer)
