"""maxLatencyMs: the server answered within a limit, every page and round together."""

from collections.abc import Mapping
from typing import Any

from bundles.suite.assertions.kind import EVERY_OPERATION, Kind
from bundles.suite.assertions.seen import Seen
from bundles.suite.issues import Issues
from bundles.suite.model import Assertion
from bundles.suite.outcomes import LATENCY_EXCEEDED, AssertionOutcome
from bundles.suite.paths import Path
from bundles.suite.validate import MAX_TIMEOUT_MS, validate_timeout

_TYPE = "maxLatencyMs"


def _judge(assertion: Assertion, seen: Seen) -> AssertionOutcome:
    limit, took = assertion.given["ms"], seen.elapsed_us / 1000
    if took <= limit:
        return AssertionOutcome(_TYPE, "passed")
    message = f"expected an answer within {limit:.0f} ms, it took {took:.1f} ms"
    return AssertionOutcome(_TYPE, "failed", LATENCY_EXCEEDED, message, limit, took)


def _validate(given: Mapping[str, Any], path: Path, issues: Issues) -> None:
    validate_timeout(given, "ms", path, issues)


MAX_LATENCY_MS = Kind(
    type=_TYPE,
    operations=EVERY_OPERATION,
    members={"ms": {"type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT_MS}},
    required={"ms": f"whole milliseconds from 1 to {MAX_TIMEOUT_MS}"},
    judge=_judge,
    validate=_validate,
    without_result=True,
)
