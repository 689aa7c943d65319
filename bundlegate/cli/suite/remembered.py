"""What a run saw of each case, kept until a second run can be compared with it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Any, NamedTuple

from bundles.report.cut import compact
from bundles.suite.determinism import CaseRecord, record_of
from bundles.suite.judge import SuiteReport
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import CaseOutcome
from bundles.suite.reading import parse
from bundles.transcript import Exchange

_IN_MEMORY = 4 << 20
"""Bytes of answers beyond which they are kept in a file without a name, on the disk alone."""


class _Kept(NamedTuple):
    """A record whose answer stands elsewhere: `size` bytes from `at`; no size, none does."""

    record: CaseRecord
    at: int = 0
    size: int = 0


class Remembered:
    """The records of one run. Answers may be many and large, and cost no memory."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._answers: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(  # noqa: SIM115 - closed by __exit__
            _IN_MEMORY
        )
        self._end = 0

    def __enter__(self) -> "Remembered":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._answers.close()

    def keep(self, case: Case, exchanges: Sequence[Exchange], outcome: CaseOutcome) -> None:
        """Take what a case showed."""
        record = record_of(case, outcome, exchanges)
        if not record.answered:
            self._kept[case.id] = _Kept(record)
            return
        answer = compact(record.response).encode("utf-8", "surrogatepass")
        try:
            self._answers.seek(self._end)
            self._answers.write(answer)
        except OSError:  # the disk is full: memory has to do, for no answer may be lost
            self._kept[case.id] = _Kept(record)
            return
        self._kept[case.id] = _Kept(replace(record, response=None), self._end, len(answer))
        self._end += len(answer)

    def of(self, suite: Suite, report: SuiteReport) -> Iterator[CaseRecord]:
        """The records in the order of the suite; a case that was never begun has an empty one."""
        for case, outcome in zip(suite.everything, report.cases, strict=True):
            kept = self._kept.get(case.id)
            if kept is None:
                yield record_of(case, outcome, ())
            elif kept.size:
                yield replace(kept.record, response=self._read(kept))
            else:
                yield kept.record

    def _read(self, kept: _Kept) -> Any:
        self._answers.seek(kept.at)
        return parse(self._answers.read(kept.size).decode("utf-8", "surrogatepass"))
