"""Evidence: query it, and take the signed envelope home."""

from typing import Annotated, Any, Literal

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter

from bundles.verdict import Stage
from service.api.desk import Caller
from service.api.envelopes import DSSE, wants_envelope
from service.api.reads import Cursor, Limit, immutable
from service.api.routes import ANY_TOKEN, get
from service.api.wire import EvidenceBody, KeyBody, PageBody, page_of, whole


@get("/evidence", needs="evidence:read")
async def list_evidence(
    *,
    caller: NamedDependency[Caller],
    digest: Annotated[str | None, QueryParameter(max_length=200)] = None,
    producer: Annotated[str | None, QueryParameter(max_length=200)] = None,
    candidate_id: Annotated[str | None, QueryParameter(max_length=200)] = None,
    stage: FromQuery[Stage | None] = None,
    profile: Annotated[str | None, QueryParameter(max_length=200)] = None,
    verdict: FromQuery[Literal["PASS", "FAIL", "INCONCLUSIVE"] | None] = None,
    fresh: FromQuery[bool | None] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> PageBody[EvidenceBody]:
    """Evidence, newest first; `digest` matches every digest it is bound to."""
    page = await caller.ask(
        caller.registry.list_evidence,
        digest=digest,
        producer=producer,
        candidate_id=candidate_id,
        stage=stage,
        profile=profile,
        result=verdict,
        fresh=fresh,
        cursor=cursor,
        limit=limit,
    )
    return page_of(page, EvidenceBody.of)


@get("/evidence/{evidence_id:str}", needs="evidence:read")
async def get_evidence(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    evidence_id: FromPath[str],
    format_: Annotated[Literal["json", "dsse"] | None, QueryParameter(name="format")] = None,
) -> Response[Any]:
    """One piece of evidence; `format=dsse` (or Accept) gives its envelope, byte-exact."""
    found = await caller.ask(caller.registry.get_evidence, evidence_id)
    if wants_envelope(request, format_):
        return immutable(request, found.envelope, tag=found.envelope_digest, media_type=DSSE)
    return immutable(request, EvidenceBody.of(found), tag=f"{found.envelope_digest}.json")


@get("/keys", needs=ANY_TOKEN)
async def list_keys(caller: NamedDependency[Caller]) -> PageBody[KeyBody]:
    """Public keys that sign or have signed, so that old evidence stays verifiable."""
    return whole(KeyBody.of(key) for key in await caller.ask(caller.registry.keys))


HANDLERS = [list_evidence, get_evidence, list_keys]
