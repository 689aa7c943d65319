"""The release question: may this candidate go there now?"""

from time import monotonic
from typing import Annotated

from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter

from bundles.verdict import Verdict
from service.admission.model import State
from service.api.desk import Caller
from service.api.routes import ANY_TOKEN, get
from service.api.wire import DecisionBody

_ASKED_AGAIN_S = 5.0
"""Longest time between two looks: a policy edit and the end of evidence change no candidate."""


@get("/candidates/{candidate_id:str}/gate", needs=ANY_TOKEN)
async def ask_gate(
    caller: NamedDependency[Caller],
    candidate_id: FromPath[str],
    to: FromQuery[State],
    environment: Annotated[str, QueryParameter(min_length=1, max_length=100)] = "default",
    wait: Annotated[
        int, QueryParameter(ge=0, le=600, description="Seconds to wait while undecided.")
    ] = 0,
) -> DecisionBody:
    """Ask the gate. 200 whatever it says; `verdict` is the answer.

    With `wait` an undecided gate is asked again whenever the candidate moves on, and answers at the
    first certain PASS or FAIL, or with INCONCLUSIVE when the time is over.
    """
    if not wait:
        return DecisionBody.of(
            await caller.ask(caller.registry.ask_gate, candidate_id, to=to, environment=environment)
        )
    until = monotonic() + wait
    while True:
        # The version is read before the gate is asked: a change in between is seen, never lost.
        known = (await caller.ask(caller.registry.get_candidate, candidate_id)).inputs_version
        decision = await caller.ask(
            caller.registry.ask_gate, candidate_id, to=to, environment=environment
        )
        left = until - monotonic()
        if decision.verdict != Verdict.INCONCLUSIVE or left <= 0:
            return DecisionBody.of(decision)
        watch = caller.desk.watch
        await watch.moved("candidate", candidate_id, known, min(left, _ASKED_AGAIN_S))
        if watch.closed:
            until = monotonic()  # the service stops: one last look


HANDLERS = [ask_gate]
