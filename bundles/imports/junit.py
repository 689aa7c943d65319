"""JUnit XML of whatever wrote it.

A failure is FAIL. An error is a test that could not tell, a skip one that did not run: neither is a
pass. A suite that says it has more tests, failures or errors than the file shows is INCONCLUSIVE:
what is missing was not seen. Documents with a DOCTYPE are refused, so no entity is ever expanded.
"""

from collections.abc import Iterator
from xml.parsers import expat

from bundles.imports.model import WORST_FIRST, ImportedOutcome, outcome, unreadable
from bundles.verdict import Verdict

_DEEPEST = 64
_VERDICTS = {
    "failure": Verdict.FAIL,
    "error": Verdict.INCONCLUSIVE,
    "skipped": Verdict.NOT_RUN,
}
_NOT_RUN = frozenset({"notrun", "disabled", "suppressed"})


class _Suite:
    """One testsuite element while it is open: what it says of itself, and what it shows."""

    def __init__(self, attributes: dict[str, str]) -> None:
        self.name = attributes.get("name", "")
        self.said = {key: attributes.get(key, "") for key in ("tests", "failures", "errors")}
        self.shown = dict.fromkeys(self.said, 0)


class _Reading:
    """One document, read in one pass."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.outcomes: list[ImportedOutcome] = []
        self._open: list[str] = []
        self._suites: list[_Suite] = []
        self._case: dict[str, str] = {}
        self._verdict = Verdict.PASS
        self._message = ""
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _doctype(self, *_: object) -> None:
        raise unreadable(self.path, "it has a DOCTYPE")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open and tag not in ("testsuites", "testsuite"):
            raise unreadable(self.path, f"its root is {tag[:40]}", expected="testsuites")
        self._open.append(tag)
        if len(self._open) > _DEEPEST:
            raise unreadable(self.path, "it is nested too deep")
        if tag == "testsuite":
            self._suites.append(_Suite(attributes))
        elif tag == "testcase":
            self._case, self._message = attributes, ""
            told = {attributes.get("status"), attributes.get("result")}
            self._verdict = Verdict.NOT_RUN if told & _NOT_RUN else Verdict.PASS
        elif tag in _VERDICTS and self._open[-2:-1] == ["testcase"]:
            self._say(_VERDICTS[tag], attributes)

    def _say(self, verdict: Verdict, attributes: dict[str, str]) -> None:
        """A test may fail and then fail to clean up: the worse of them stands."""
        if WORST_FIRST.index(verdict) < WORST_FIRST.index(self._verdict):
            self._verdict = verdict
            self._message = attributes.get("message", "") or attributes.get("type", "")

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "testcase":
            self._count()
            named = (self._case.get("classname", ""), self._case.get("name", ""))
            name = ":".join(part for part in named if part) or f"test {len(self.outcomes) + 1}"
            said = self._message or ("passed" if self._verdict is Verdict.PASS else "")
            self.outcomes.append(outcome(name, self._verdict, said, self.path))
        elif tag == "testsuite":
            self._close(self._suites.pop())

    def _count(self) -> None:
        for suite in self._suites:
            suite.shown["tests"] += 1
            suite.shown["failures"] += self._verdict is Verdict.FAIL
            suite.shown["errors"] += self._verdict is Verdict.INCONCLUSIVE

    def _close(self, suite: _Suite) -> None:
        for what, said in suite.said.items():
            if said.isascii() and said.isdigit() and len(said) < 10:
                missing = int(said) - suite.shown[what]
                if missing > 0:
                    told = f"the suite says {said} {what}, and the file shows {suite.shown[what]}"
                    name = f"{suite.name or 'testsuite'}:{what}"
                    self.outcomes.append(outcome(name, Verdict.INCONCLUSIVE, told, self.path))


def read(path: str, content: bytes) -> Iterator[ImportedOutcome]:
    """The outcomes of one file, "<classname>:<name>".

    Raises:
        Refused: IMPORT_UNREADABLE.
    """
    reading = _Reading(path)
    try:
        reading.parser.Parse(content, True)  # noqa: FBT003 - the C function takes no keyword
    except expat.ExpatError as error:
        raise unreadable(path, f"it is no XML: {error}", line=error.lineno) from error
    yield from reading.outcomes
    if not reading.outcomes:
        yield outcome(path, Verdict.INCONCLUSIVE, "the file shows no test", path)
