"""State changes that a pipeline or a person asks for, and the history of all of them."""

import msgspec
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from service.admission.model import State
from service.api.body import JsonBody
from service.api.desk import Caller
from service.api.routes import ANY_TOKEN, get, post
from service.api.wire import DecisionBody, PageBody, TransitionBody, whole


class NewTransition(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Where to move, from which state the caller believes it is in, and why."""

    to: State
    expected_state: State
    reason: str
    environment: str = "default"


class TransitionMade(msgspec.Struct, kw_only=True, frozen=True):
    """A state change and the decision that made it."""

    transition: TransitionBody
    decision: DecisionBody


@post(
    "/candidates/{candidate_id:str}/transitions",
    needs="transitions:write",
    errors=(409,),
    body=JsonBody[NewTransition],
)
async def make_transition(
    caller: NamedDependency[Caller], candidate_id: FromPath[str], data: JSONBody[NewTransition]
) -> TransitionMade:
    """Move a candidate, if the gate says yes now; what only takes trust away needs no yes.

    409 where it is not in `expected_state` (`seen` is the actual one); 403 with the decision where
    the gate says no or not yet.
    """
    async with caller.desk.judging(due=data.to is State.DRAFT):
        transition, decision = await caller.ask(
            caller.registry.transition,
            candidate_id,
            to=data.to,
            expected_state=data.expected_state,
            reason=data.reason,
            environment=data.environment,
        )
    return TransitionMade(
        transition=TransitionBody.of(transition),
        decision=DecisionBody.of(decision),
    )


@get("/candidates/{candidate_id:str}/transitions", needs=ANY_TOKEN)
async def list_transitions(
    caller: NamedDependency[Caller], candidate_id: FromPath[str]
) -> PageBody[TransitionBody]:
    """Every state change of a candidate, oldest first."""
    found = await caller.ask(caller.registry.list_transitions, candidate_id)
    return whole(TransitionBody.of(each) for each in found)


HANDLERS = [make_transition, list_transitions]
