"""Candidates: register a build against a bundle, list, read."""

from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from service.admission.model import State, Target
from service.api.body import JsonBody
from service.api.desk import Caller
from service.api.reads import Cursor, Limit
from service.api.routes import ANY_TOKEN, get, post
from service.api.wire import CandidateBody, PageBody, TargetBody, instant, page_of


class NewCandidate(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A build put forward against one bundle digest."""

    bundle_digest: str
    version: str
    artifact_digest: str
    targets: list[TargetBody]
    policy: str = "default"


class CandidateMade(msgspec.Struct, kw_only=True, frozen=True):
    """A candidate, and whether this request made it."""

    candidate: CandidateBody
    created: bool


class VerificationBody(msgspec.Struct, kw_only=True, frozen=True):
    """The flat summary of what was verified about a candidate; null where nothing was."""

    agent_version: str
    card_digest: str | None
    contract_digest: str
    producer_digest: str
    profiles_passed: list[str]
    verified_at: datetime | None
    expires_at: datetime | None


@post(
    "/candidates",
    needs="candidates:write",
    errors=(404, 409, 422),
    body=JsonBody[NewCandidate],
    also={200: CandidateMade},
)
async def register_candidate(
    caller: NamedDependency[Caller], data: JSONBody[NewCandidate]
) -> Response[CandidateMade]:
    """Register a build: 201 for a new candidate, 200 for the same content again.

    Its static evidence is recorded at once: it comes back STATIC_VALIDATED or REJECTED, or DRAFT
    where the static checks could not tell.
    """
    async with caller.desk.submissions:  # the bundle is judged anew
        candidate, created = await caller.ask(
            caller.registry.register_candidate,
            bundle_digest=data.bundle_digest,
            version=data.version,
            artifact_digest=data.artifact_digest,
            targets=[Target(**msgspec.structs.asdict(t)) for t in data.targets],
            policy=data.policy,
        )
    return Response(
        CandidateMade(candidate=CandidateBody.of(candidate), created=created),
        status_code=201 if created else 200,
        headers={"Location": f"/v1/candidates/{candidate.id}"},
    )


@get("/candidates", needs=ANY_TOKEN)
async def list_candidates(
    *,
    caller: NamedDependency[Caller],
    producer: Annotated[str | None, QueryParameter(max_length=200)] = None,
    state_: Annotated[State | None, QueryParameter(name="state")] = None,
    digest: Annotated[str | None, QueryParameter(max_length=200)] = None,
    contract_id: Annotated[str | None, QueryParameter(max_length=200)] = None,
    version: Annotated[str | None, QueryParameter(max_length=200)] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> PageBody[CandidateBody]:
    """Candidates of the namespace, newest first; `digest` matches bundle or artifact."""
    page = await caller.ask(
        caller.registry.list_candidates,
        producer=producer,
        state=state_,
        digest=digest,
        contract_id=contract_id,
        version=version,
        cursor=cursor,
        limit=limit,
    )
    return page_of(page, CandidateBody.of)


@get("/candidates/{candidate_id:str}", needs=ANY_TOKEN)
async def get_candidate(
    caller: NamedDependency[Caller], candidate_id: FromPath[str]
) -> CandidateBody:
    """One candidate with its registry state."""
    return CandidateBody.of(await caller.ask(caller.registry.get_candidate, candidate_id))


@get("/candidates/{candidate_id:str}/verification", needs=ANY_TOKEN)
async def get_verification(
    caller: NamedDependency[Caller], candidate_id: FromPath[str]
) -> VerificationBody:
    """The flat summary: versions, digests, profiles passed, verified and expires at."""
    found = dict(await caller.ask(caller.registry.candidate_verification, candidate_id))
    for name in ("verified_at", "expires_at"):
        found[name] = None if found[name] is None else instant(found[name])
    return msgspec.convert(found, VerificationBody)


HANDLERS = [register_candidate, list_candidates, get_candidate, get_verification]
