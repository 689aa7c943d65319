"""Runs: start, follow, read, cancel."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, HeaderParameter, JSONBody, QueryParameter
from litestar.response import Stream

from bundles.verdict import Stage
from service.admission.model import RunState
from service.api.body import JsonBody
from service.api.desk import Caller
from service.api.reads import Cursor, IdempotencyKey, Limit
from service.api.routes import ANY_TOKEN, get, post
from service.api.wire import PageBody, RunBody, RunEventBody, page_of

_BEAT_S = 15.0
"""A comment line this often keeps proxies from closing a quiet stream."""

_OVER = frozenset({RunState.FINISHED, RunState.CANCELLED})


class NewRun(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What to verify; null asks for what the policy wants next."""

    stages: list[Stage] | None = None
    profiles: list[str] | None = None


@post(
    "/candidates/{candidate_id:str}/runs",
    needs="runs:write",
    errors=(409,),
    body=JsonBody[NewRun],
    status_code=202,
)
async def start_run(
    caller: NamedDependency[Caller],
    candidate_id: FromPath[str],
    data: JSONBody[NewRun],
    idempotency_key: IdempotencyKey = None,
) -> Response[RunBody]:
    """Start a verification; the answer is the queued run. `{}` asks for what the policy wants."""
    due = await caller.ask(caller.registry.run_renews_static, candidate_id)
    async with caller.desk.judging(due=due):
        run, _ = await caller.ask(
            caller.registry.start_run,
            candidate_id,
            stages=data.stages,
            profiles=data.profiles,
            idempotency_key=idempotency_key,
        )
    return Response(RunBody.of(run), status_code=202, headers={"Location": f"/v1/runs/{run.id}"})


@get("/runs", needs=ANY_TOKEN)
async def list_runs(
    caller: NamedDependency[Caller],
    candidate_id: Annotated[str | None, QueryParameter(max_length=200)] = None,
    state_: Annotated[RunState | None, QueryParameter(name="state")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> PageBody[RunBody]:
    """Runs of the namespace, newest first."""
    page = await caller.ask(
        caller.registry.list_runs,
        candidate_id=candidate_id,
        state=state_,
        cursor=cursor,
        limit=limit,
    )
    return page_of(page, RunBody.of)


@get("/runs/{run_id:str}", needs=ANY_TOKEN)
async def get_run(caller: NamedDependency[Caller], run_id: FromPath[str]) -> RunBody:
    """One run with its stages and verdict."""
    return RunBody.of(await caller.ask(caller.registry.get_run, run_id))


@post("/runs/{run_id:str}/cancel", needs="runs:write", errors=(409,), status_code=202)
async def cancel_run(caller: NamedDependency[Caller], run_id: FromPath[str]) -> RunBody:
    """Cancel a run: at once while queued, at its next heartbeat while running."""
    return RunBody.of(await caller.ask(caller.registry.cancel_run, run_id))


@get("/runs/{run_id:str}/findings", needs=ANY_TOKEN)
async def list_run_findings(
    caller: NamedDependency[Caller],
    run_id: FromPath[str],
    cursor: Cursor = None,
    limit: Limit = 100,
) -> PageBody[dict[str, Any]]:
    """Findings of a run, in the order of its checks, each with its stage and profile."""
    page = await caller.ask(caller.registry.run_findings, run_id, cursor=cursor, limit=limit)
    return page_of(page, dict)


@get("/runs/{run_id:str}/events", needs=ANY_TOKEN, media_type="text/event-stream")
async def follow_run(
    caller: NamedDependency[Caller],
    run_id: FromPath[str],
    last_event_id: Annotated[
        int,
        HeaderParameter(
            name="Last-Event-ID", ge=0, lt=1 << 53, description="`seq` of the last event seen."
        ),
    ] = 0,
) -> Stream:
    """Progress as server-sent events: id is `seq`, data is the event as JSON.

    The stream resumes after `Last-Event-ID` and ends when the run is over or the service stops.
    """
    await caller.ask(caller.registry.get_run, run_id)
    return Stream(
        _events(caller, run_id, last_event_id),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _events(caller: Caller, run_id: str, seen: int) -> AsyncIterator[bytes]:
    """Events beyond `seen` until the run is over. Holds no thread and no connection between."""
    watch = caller.desk.watch
    while not watch.closed:
        # The state is read first: a run that was over then has written all its events.
        run = await caller.ask(caller.registry.get_run, run_id)
        fresh = await caller.ask(caller.registry.run_events, run_id, seen)
        for event in fresh:
            seen = event.seq
            body = msgspec.json.encode(RunEventBody.of(event)).decode()
            yield f"id: {event.seq}\nevent: {event.kind}\ndata: {body}\n\n".encode()
        if fresh:
            continue  # there may be more than one batch, and the state may have moved on
        if run.state in _OVER:
            return
        if not await watch.moved("run", run_id, seen, _BEAT_S):
            yield b": still here\n\n"


HANDLERS = [
    start_run,
    list_runs,
    get_run,
    cancel_run,
    list_run_findings,
    follow_run,
]
