"""Suites in a transcript: which were run, and whether two runs of each come out the same."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bundles.check import Inconclusive, NotApplicable
from bundles.errors import Refused
from bundles.mcp.probes import CONTEXT_SUITES, SUITE, SUITE_AGAIN
from bundles.suite.determinism import CaseRecord, Determinism, compare_runs, record_of
from bundles.suite.judge import attempts_in, judge_suite, probe_id
from bundles.suite.model import Suite, load_suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus
from bundles.suite.selection import select
from bundles.transcript import Exchange, Transcript


def suites_of(transcript: Transcript) -> Iterator[Suite | Inconclusive]:
    """The suites of a run with the cases for its profile, or why one of them is not known."""
    for document in transcript.context.get(CONTEXT_SUITES, ()):
        try:
            yield select(load_suite(document), profile=transcript.profile).suite
        except Refused as error:
            yield Inconclusive(f"a suite cannot be read: {error.detail}")


def none_to_judge(
    suites: Sequence[Suite | Inconclusive], transcript: Transcript
) -> NotApplicable | None:
    """Why the suites of a run say nothing of the server; None where there is a case to judge."""
    if not suites:
        return NotApplicable("the bundle has no suites")
    if any(isinstance(suite, Inconclusive) or suite.everything for suite in suites):
        return None
    return NotApplicable(f"no case of the bundle's suites is for profile {transcript.profile}")


def compare_recorded(suite: Suite, transcript: Transcript) -> Determinism:
    """Compare the two runs of a suite that a transcript holds.

    Nothing put the target's outer state back between them, so that at best they are consistent.
    """
    again = (
        replace(exchange, probe=SUITE + exchange.probe.removeprefix(SUITE_AGAIN))
        for exchange in transcript.starting(SUITE_AGAIN)
    )
    first = tuple(_records(suite, transcript.starting(SUITE)))
    second = tuple(_records(suite, again))
    untold = sum(
        not (one_told and other_told)
        for (_, one_told), (_, other_told) in zip(first, second, strict=True)
    )
    return compare_runs(
        (record for record, _ in first),
        (record for record, _ in second),
        state_restored=False,
        incomplete=f"{untold} of {len(first)} cases were not run twice" if untold else "",
    )


def _records(suite: Suite, exchanges: Iterable[Exchange]) -> Iterator[tuple[CaseRecord, bool]]:
    """What a run saw of each case, and whether that says something of the server."""
    by_probe: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        by_probe[exchange.probe].append(exchange)
    outcomes = judge_suite(suite, (e for made in by_probe.values() for e in made)).cases
    for case, outcome in zip(suite.everything, outcomes, strict=True):
        attempts = attempts_in(by_probe[probe_id(suite.id, case.id)])
        record = record_of(case, outcome, attempts[-1] if attempts else ())
        yield record, outcome.status is not CaseStatus.NOT_RUN and not _cut_short(outcome)


def _cut_short(outcome: CaseOutcome) -> bool:
    """Whether a connection ended before the answer: a server that is gone answers nothing else."""
    return outcome.status is CaseStatus.OPERATION_FAILED and not outcome.operation.certain
