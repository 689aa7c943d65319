"""Bundles: submit, list, read back byte-exact."""

from collections.abc import Iterable
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, BinaryIO, cast

import msgspec
from litestar import Request, Response
from litestar.datastructures import UploadFile
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIType, Operation, RequestBody, Schema
from litestar.params import FromPath, QueryParameter

from bundles.archive import Entry, collect, write_tar
from bundles.compat.verdict import BUDGET_EXCEEDED
from bundles.digest import raw_digest
from bundles.errors import Invalid
from bundles.plan import HARNESS_VERSION
from service.api.bundle_diff import bundle_diff
from service.api.desk import Caller
from service.api.reads import Cursor, IdempotencyKey, Limit, immutable
from service.api.routes import ANY_TOKEN, get, post
from service.api.wire import BundleBody, PageBody, page_of
from service.errors import REQUEST_INVALID

_IN_MEMORY = 1 << 20
"""Archives beyond this many bytes wait on disk, not in memory, while they are received."""


class SubmissionBody(msgspec.Struct, kw_only=True, frozen=True):
    """A stored bundle with what the static checks said about it."""

    bundle: BundleBody
    created: bool
    verdict: str
    outcomes: list[dict[str, Any]]
    findings: list[dict[str, Any]]


class BundleDetail(msgspec.Struct, kw_only=True, frozen=True):
    """A bundle with its static outcomes and findings."""

    bundle: BundleBody
    outcomes: list[dict[str, Any]]
    findings: list[dict[str, Any]]


class DiffBody(msgspec.Struct, kw_only=True, frozen=True):
    """What changed between two bundles.

    Attributes:
        verdict: identical, compatible, risk, conditional or breaking.
        changes: {"tool", "kind", "path", "verdict", "reason_code", "witness"?, …} each.
        tools: tool → its gravest verdict.
        normalised: how many tools are spelled otherwise and mean the same, by how.
    """

    old: str
    new: str
    verdict: str
    changes: list[dict[str, Any]]
    tools: dict[str, str]
    normalised: dict[str, int]


class _TakesArchive(Operation):
    """Describes the body of a submission, which no annotation can."""

    def __post_init__(self) -> None:
        octets = OpenAPIMediaType(
            schema=Schema(type=OpenAPIType.STRING, content_media_type="application/octet-stream")
        )
        form = OpenAPIMediaType(schema=Schema(type=OpenAPIType.OBJECT))
        kinds = ("application/x-tar", "application/gzip", "application/zip")
        self.request_body = RequestBody(
            content={**dict.fromkeys(kinds, octets), "multipart/form-data": form}, required=True
        )


@post(
    "/bundles",
    needs="bundles:write",
    errors=(409, 413, 422),
    also={200: SubmissionBody},
    operation_class=_TakesArchive,
)
async def submit_bundle(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> Response[SubmissionBody]:
    """Submit a bundle: 201 for a new one, 200 for content the registry already has.

    The body is a tar, tar.gz or zip archive, or multipart/form-data with one file a part, the
    part's name being its path in the bundle. A FAIL of the static checks is stored and answered
    with 201; 422 is for what is unreadable, unsafe, unpinned or secret-bearing, and stores nothing.
    """
    with await _received(request, caller) as archive:
        async with caller.desk.submissions:
            made = await caller.ask(
                caller.registry.submit_bundle, archive, idempotency_key=idempotency_key
            )
    body = SubmissionBody(
        bundle=BundleBody.of(made.bundle),
        created=made.created,
        verdict=made.bundle.static_verdict,
        outcomes=[dict(o) for o in made.outcomes],
        findings=[dict(f) for f in made.findings],
    )
    where = f"/v1/bundles/{made.bundle.digest}"
    return Response(body, status_code=201 if made.created else 200, headers={"Location": where})


async def _received(request: Request[Any, Any, Any], caller: Caller) -> BinaryIO:
    """The archive in the body; files of a form become the tar they would have been."""
    if request.content_type[0] == "multipart/form-data":
        parts = (await request.form()).multi_items()
        entries = [await _entry(name, part) for name, part in parts]
        return await caller.desk.hop(lambda: BytesIO(write_tar(collect(entries))))
    archive = cast("BinaryIO", SpooledTemporaryFile(max_size=_IN_MEMORY))  # noqa: SIM115 - returned
    try:
        async for chunk in request.stream():
            archive.write(chunk)
    except BaseException:
        archive.close()
        raise
    archive.seek(0)
    return archive


async def _entry(name: str, part: object) -> Entry:
    if not isinstance(part, UploadFile):
        raise Invalid(
            REQUEST_INVALID,
            f"part {name[:200]!r} is not a file",
            path="body",
            expected="one file a part, named by its path in the bundle",
        )
    content = await part.read()
    return Entry(name, size=len(content), chunks=lambda: (content,))


@get("/bundles", needs=ANY_TOKEN)
async def list_bundles(
    *,
    caller: NamedDependency[Caller],
    contract_id: Annotated[str | None, QueryParameter(max_length=200)] = None,
    producer: Annotated[str | None, QueryParameter(max_length=200)] = None,
    digest: Annotated[str | None, QueryParameter(max_length=200)] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> PageBody[BundleBody]:
    """Bundles of the namespace, newest first."""
    page = await caller.ask(
        caller.registry.list_bundles,
        contract_id=contract_id,
        producer=producer,
        digest=digest,
        cursor=cursor,
        limit=limit,
    )
    return page_of(page, BundleBody.of)


@get("/bundles/{digest:str}", needs=ANY_TOKEN)
async def get_bundle(
    request: Request[Any, Any, Any], caller: NamedDependency[Caller], digest: FromPath[str]
) -> Response[BundleDetail]:
    """One bundle with its static outcomes and findings."""
    registry = caller.registry
    bundle = await caller.ask(registry.get_bundle, digest)
    outcomes = await caller.ask(registry.bundle_outcomes, digest)
    findings = await caller.ask(registry.bundle_findings, digest)
    detail = BundleDetail(
        bundle=BundleBody.of(bundle),
        outcomes=_dicts(outcomes),
        findings=_dicts(findings),
    )
    return immutable(request, detail, tag=f"{bundle.digest}+{bundle.harness_version}")


@get(
    "/bundles/{digest:str}/files/{path:path}",
    needs=ANY_TOKEN,
    media_type="application/octet-stream",
)
async def get_bundle_file(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    digest: FromPath[str],
    path: FromPath[str],
) -> Response[bytes]:
    """One file of a bundle, byte-exact."""
    name = path.removeprefix("/")
    content = await caller.ask(caller.registry.bundle_file, digest, name)
    return immutable(
        request,
        content,
        tag=f"{digest}/{raw_digest(name.encode())}",
        media_type="application/octet-stream",
        headers={"Content-Disposition": "attachment"},
    )


@get("/bundles/{digest:str}/archive", needs=ANY_TOKEN, media_type="application/x-tar")
async def get_bundle_archive(
    request: Request[Any, Any, Any], caller: NamedDependency[Caller], digest: FromPath[str]
) -> Response[bytes]:
    """The bundle as a deterministic tar: the same bytes every time."""
    content = await caller.ask(caller.registry.bundle_archive, digest)
    return immutable(
        request,
        content,
        tag=f"{digest}.tar",
        media_type="application/x-tar",
        headers={"Content-Disposition": 'attachment; filename="bundle.tar"'},
    )


@get("/bundles/{digest:str}/diff", needs=ANY_TOKEN, errors=(422,))
async def diff_bundles(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    digest: FromPath[str],
    against: Annotated[
        str, QueryParameter(max_length=200, description="Digest of the version relied on today.")
    ],
) -> Response[DiffBody]:
    """What a bundle means for those who rely on another: changes, verdicts and witnesses.

    `against` is the old version, the bundle of the path the new one. Schemas are compared within a
    bounded time; what was not reached is `conditional` with BUDGET_EXCEEDED.
    """
    async with caller.desk.submissions:
        found = await caller.ask(bundle_diff, caller.registry, against, digest)
    body = DiffBody(old=against, new=digest, **found.to_dict())
    if any(change.reason_code == BUDGET_EXCEEDED for change in found.changes):
        return Response(body)  # another time it may be told
    return immutable(request, body, tag=f"{against}..{digest}+{HARNESS_VERSION}")


def _dicts(items: Iterable[Any]) -> list[dict[str, Any]]:
    return [dict(item) for item in items]


HANDLERS = [
    submit_bundle,
    list_bundles,
    get_bundle,
    get_bundle_file,
    get_bundle_archive,
    diff_bundles,
]
