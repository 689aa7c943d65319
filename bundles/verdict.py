"""Verdicts, layers, severities and stages: the words every judgement is made of."""

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What one check, or one run, concluded.

    A check may be any of these. A run is FAIL, INCONCLUSIVE or PASS (see `of_run`).
    """

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    WARN = "WARN"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    NOT_RUN = "NOT_RUN"


class Layer(StrEnum):
    """The six layers of a contract. Every finding names its layer and where it blocks."""

    DECLARATION = "declaration"
    SCHEMA = "schema"
    PROTOCOL = "protocol"
    AUTHORIZATION = "authorization"
    BEHAVIOR = "behavior"
    TEMPORAL = "temporal"

    @property
    def blocks(self) -> str:
        """The gate a failure of this layer blocks (lifecycle rules)."""
        return _BLOCKS[self]


_BLOCKS = {
    Layer.DECLARATION: "admission",
    Layer.SCHEMA: "ci",
    Layer.PROTOCOL: "ci and canary",
    Layer.AUTHORIZATION: "security",
    Layer.BEHAVIOR: "release",
    Layer.TEMPORAL: "resilience",
}


class Severity(StrEnum):
    """How binding the rule is. MUST fails; SHOULD and POLICY warn unless policy says more."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    POLICY = "POLICY"


class Stage(StrEnum):
    """The stages of verification, in the order the registry asks for them."""

    STATIC = "static"
    CONFORMANCE = "conformance"
    SECURITY = "security"
    CANARY = "canary"


def of_run(required: Iterable[Verdict]) -> Verdict:
    """The verdict of a run from the verdicts of its checks: FAIL > INCONCLUSIVE > PASS.

    A required check that did not run counts as INCONCLUSIVE, and so does a run in which no check
    gave an answer: nothing is ever admitted for want of evidence, and no unknown masks a FAIL.
    """
    seen = set(required)
    if Verdict.FAIL in seen:
        return Verdict.FAIL
    if seen & {Verdict.INCONCLUSIVE, Verdict.NOT_RUN}:
        return Verdict.INCONCLUSIVE
    if seen & {Verdict.PASS, Verdict.WARN}:
        return Verdict.PASS
    return Verdict.INCONCLUSIVE
