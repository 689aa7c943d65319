"""Stored decisions, and their replay."""

from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from service.api.desk import Caller
from service.api.envelopes import DSSE, wants_envelope
from service.api.reads import immutable
from service.api.routes import ANY_TOKEN, get
from service.api.wire import StoredDecisionBody


class Judgement(msgspec.Struct, kw_only=True, frozen=True):
    """A verdict with its reasons."""

    verdict: str
    reasons: list[dict[str, Any]]


class Replay(msgspec.Struct, kw_only=True, frozen=True):
    """A decision beside what its stored inputs give today."""

    agrees: bool
    stored: Judgement
    recomputed: Judgement


@get("/decisions/{decision_id:str}", needs=ANY_TOKEN)
async def get_decision(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    decision_id: FromPath[str],
    format_: Annotated[Literal["json", "dsse"] | None, QueryParameter(name="format")] = None,
) -> Response[Any]:
    """A decision with its inputs; `format=dsse` (or Accept) gives its signed envelope."""
    found = await caller.ask(caller.registry.get_decision, decision_id)
    if wants_envelope(request, format_):
        return immutable(request, found.envelope, tag=f"{found.id}.dsse", media_type=DSSE)
    return immutable(request, StoredDecisionBody.of(found), tag=found.id)


@get("/decisions/{decision_id:str}/replay", needs=ANY_TOKEN)
async def replay_decision(caller: NamedDependency[Caller], decision_id: FromPath[str]) -> Replay:
    """Recompute a decision from its stored inputs; it must agree."""
    found = await caller.ask(caller.registry.replay_decision, decision_id)
    return msgspec.convert(dict(found), Replay)


HANDLERS = [get_decision, replay_decision]
