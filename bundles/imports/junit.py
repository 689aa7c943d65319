"""JUnit XML of whatever wrote it.

A failure is FAIL. An error is a test that could not tell, a skip one that did not run: neither is a
pass. A suite, or the whole report, that says it has more tests, failures or errors than the file
shows is INCONCLUSIVE: what is missing was not seen; and so is one whose counts cannot be read. A
failure or an error of a suite itself counts as one of a test. Documents with a DOCTYPE are refused,
so no entity is ever expanded.
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
_SUITES = ("testsuites", "testsuite")
_TOLD = {
    **dict.fromkeys(("fail", "failed", "failure"), Verdict.FAIL),
    "error": Verdict.INCONCLUSIVE,
    **dict.fromkeys(("notrun", "disabled", "suppressed", "skipped"), Verdict.NOT_RUN),
}
"""What writers put into `status` or `result` of a test, in lower case."""

_MOST_DIGITS = 9


class _Suite:
    """One testsuite, or all of them, while it is open: what it says of itself, what it shows."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.name = attributes.get("name", "") or tag
        counted = ("tests", "failures", "errors")
        self.said = {key: attributes.get(key, "").strip() for key in counted}
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

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = _local(name)
        if not self._open and tag not in _SUITES:
            raise unreadable(self.path, f"its root is {tag[:40]}", expected="testsuites")
        self._open.append(tag)
        if len(self._open) > _DEEPEST:
            raise unreadable(self.path, "it is nested too deep")
        if tag in _SUITES:
            self._suites.append(_Suite(tag, attributes))
        elif tag == "testcase":
            self._case, self._message, self._verdict = attributes, "", Verdict.PASS
            for member in ("status", "result"):
                told = attributes.get(member, "").strip().lower()
                self._say(_TOLD.get(told, Verdict.PASS), {"message": f"its {member} is {told}"})
        elif tag in _VERDICTS and self._open[-2:-1] == ["testcase"]:
            self._say(_VERDICTS[tag], attributes)
        elif tag in _VERDICTS and self._open[-2] in _SUITES:
            name = f"{self._suites[-1].name}:{tag}"
            said = attributes.get("message", "") or attributes.get("type", "")
            self.outcomes.append(outcome(name, _VERDICTS[tag], said, self.path))

    def _say(self, verdict: Verdict, attributes: dict[str, str]) -> None:
        """A test may fail and then fail to clean up: the worse of them stands."""
        if WORST_FIRST.index(verdict) < WORST_FIRST.index(self._verdict):
            self._verdict = verdict
            self._message = attributes.get("message", "") or attributes.get("type", "")

    def _end(self, _: str) -> None:
        tag = self._open.pop()
        if tag == "testcase":
            self._count()
            named = (self._case.get("classname", ""), self._case.get("name", ""))
            name = ":".join(part for part in named if part) or f"test {len(self.outcomes) + 1}"
            said = self._message or ("passed" if self._verdict is Verdict.PASS else "")
            self.outcomes.append(outcome(name, self._verdict, said, self.path))
        elif tag in _SUITES:
            self._close(self._suites.pop())

    def _count(self) -> None:
        for suite in self._suites:
            suite.shown["tests"] += 1
            suite.shown["failures"] += self._verdict is Verdict.FAIL
            suite.shown["errors"] += self._verdict is Verdict.INCONCLUSIVE

    def _close(self, suite: _Suite) -> None:
        for what, said in suite.said.items():
            if not said:
                continue
            shown = suite.shown[what]
            if not (said.isascii() and said.isdigit()) or len(said) > _MOST_DIGITS:
                told = f"the suite counts its {what} in what is no number, or none to believe"
            elif int(said) > shown:
                told = f"the suite says {said} {what}, and the file shows {shown}"
            else:
                continue
            name = f"{suite.name}:{what}"
            self.outcomes.append(outcome(name, Verdict.INCONCLUSIVE, told, self.path))


def _local(name: str) -> str:
    """The name of an element without the prefix of a namespace."""
    return name.rpartition(":")[2]


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
    except (LookupError, ValueError) as error:
        # the codec that the document names, asked for by expat
        raise unreadable(path, f"its encoding cannot be read: {error}") from error
    yield from reading.outcomes
    if not reading.outcomes:
        yield outcome(path, Verdict.INCONCLUSIVE, "the file shows no test", path)
