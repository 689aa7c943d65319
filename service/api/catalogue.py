"""The catalogue: every check and every reason code."""

import msgspec

from bundles.check import Check, registry
from bundles.reasons import reasons
from service.api.routes import ANY_TOKEN, get
from service.api.wire import PageBody, whole


class CheckBody(msgspec.Struct, kw_only=True, frozen=True):
    """A check: the rule, why it is one, and where it comes from."""

    id: str
    reason_code: str
    subject: str
    stages: list[str]
    layer: str
    blocks: str
    severity: str
    title: str
    explanation: str
    spec: str


class ReasonBody(msgspec.Struct, kw_only=True, frozen=True):
    """A reason code: what it means and what to do next; `check` for one that a check gives."""

    code: str
    meaning: str
    next_step: str
    check: str | None


@get("/checks", needs=ANY_TOKEN)
async def list_checks() -> PageBody[CheckBody]:
    """Every check this service knows, by id."""
    return whole(_check(each) for each in registry().values())


@get("/reason-codes", needs=ANY_TOKEN)
async def list_reason_codes() -> PageBody[ReasonBody]:
    """Every reason code this service can give, by code."""
    ours = [
        ReasonBody(code=r.code, meaning=r.meaning, next_step=r.next_step, check=None)
        for r in reasons().values()
    ]
    theirs = [
        ReasonBody(
            code=c.reason_code,
            meaning=f"violates: {c.title}",
            next_step=f"read what check {c.id} explains",
            check=c.id,
        )
        for c in registry().values()
    ]
    return whole(sorted([*ours, *theirs], key=lambda each: each.code))


def _check(check: Check) -> CheckBody:
    return CheckBody(
        id=check.id,
        reason_code=check.reason_code,
        subject=check.subject,
        stages=list(check.stages),
        layer=check.layer,
        blocks=check.layer.blocks,
        severity=check.severity,
        title=check.title,
        explanation=check.explanation,
        spec=check.spec,
    )


HANDLERS = [list_checks, list_reason_codes]
