"""Evidence: query it, take the signed envelope home, bring in what other tools reported."""

from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from bundles.imports import Source
from bundles.verdict import Stage
from service.admission.importing import ReportFiles
from service.api.body import JsonBody
from service.api.desk import Caller
from service.api.envelopes import DSSE, wants_envelope
from service.api.reads import Cursor, IdempotencyKey, Limit, immutable
from service.api.routes import ANY_TOKEN, get, post
from service.api.wire import EvidenceBody, KeyBody, PageBody, page_of, whole

_LARGEST_REPORT = 8 << 20
"""Largest body of an import, in bytes; no single file in it is longer than a mebibyte."""


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


class NewImport(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A report of another tool: its files by path, as text; `source` null lets the files tell."""

    candidate_id: Annotated[str, msgspec.Meta(max_length=200)]
    profile: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    files: Annotated[dict[str, str], msgspec.Meta(min_length=1, max_length=500)]
    source: Source | None = None
    expected_failures: str | None = None


@post(
    "/evidence/import",
    needs="runs:write",
    errors=(404, 409, 422),
    body=JsonBody[NewImport],
    also={200: EvidenceBody},
    request_max_body_size=_LARGEST_REPORT,
)
async def import_evidence(
    caller: NamedDependency[Caller],
    data: JSONBody[NewImport],
    idempotency_key: IdempotencyKey = None,
) -> Response[EvidenceBody]:
    """Keep a report of another tool as imported evidence: shown, and never counted by the gate.

    Results of the official conformance suite (with its expected failures), what the Inspector's
    command prints, or JUnit XML.
    """
    report = ReportFiles(
        files={path: text.encode() for path, text in data.files.items()},
        source=data.source,
        expected_failures=(
            None if data.expected_failures is None else data.expected_failures.encode()
        ),
    )
    made, created = await caller.ask(
        caller.registry.import_evidence,
        data.candidate_id,
        profile=data.profile,
        report=report,
        idempotency_key=idempotency_key,
    )
    return Response(EvidenceBody.of(made), status_code=201 if created else 200)


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


HANDLERS = [list_evidence, import_evidence, get_evidence, list_keys]
