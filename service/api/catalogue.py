"""The catalogue: every check and every reason code."""

import msgspec

from bundles.catalogue import checks_catalogue, reasons_catalogue
from service.api.routes import ANY_TOKEN, get
from service.api.wire import PageBody, whole


class CheckBody(msgspec.Struct, kw_only=True, frozen=True):
    """A check: the rule, why it is one, and where it comes from."""

    id: str
    reason_code: str
    title: str
    explanation: str
    subject: str
    stages: list[str]
    layer: str
    blocks: str
    severity: str
    spec: str
    claim: str | None = None


class ReasonBody(msgspec.Struct, kw_only=True, frozen=True):
    """A reason code: what it means and what to do next; `check` for one that a check gives."""

    code: str
    meaning: str
    next_step: str
    check: str | None = None


@get("/checks", needs=ANY_TOKEN)
async def list_checks() -> PageBody[CheckBody]:
    """Every check this service knows, by id."""
    return whole(msgspec.convert(each, CheckBody) for each in checks_catalogue())


@get("/reason-codes", needs=ANY_TOKEN)
async def list_reason_codes() -> PageBody[ReasonBody]:
    """Every reason code this service can give, by code."""
    return whole(msgspec.convert(each, ReasonBody) for each in reasons_catalogue())


HANDLERS = [list_checks, list_reason_codes]
