"""A decided gate question against a bare endpoint that reads one row by key.

Both are endpoints of one application, so both pay for authentication, logging, errors and the hop
into a thread; the bare one reads its row with one plain statement from the same database. The
application is called directly: no HTTP parser and no client adds to both sides and flatters the
ratio. Asked again with 100,000 rows of evidence behind the candidate.
"""

import asyncio
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from litestar import Litestar
from litestar.di import NamedDependency
from litestar.params import FromPath

import migrations
from bundles.archive import write_tar
from service import logs
from service.admission import ids
from service.admission.model import Target
from service.admission.registry import Registry
from service.api import candidates
from service.api.desk import Caller
from service.api.routes import ANY_TOKEN, get
from service.app import create_app
from service.clock import SystemClock
from service.settings import Settings
from service.signing import create_key, load_signer
from service.store import SqlStore, open_store, tables
from tests.bench.measured import Measured, interleaved
from tests.fixtures.house import Shelf, bundle_files

_CALLS = 400
_AT_ONCE = 8
_ROUNDS = 9
_ROWS = 100_000


def measure() -> list[Measured]:
    with tempfile.TemporaryDirectory() as named, (Path(named) / "log").open("w") as log:
        logs.configure("info", log)
        folder = Path(named)
        create_key(folder / "key")
        settings = Settings(
            data_dir=folder,
            database_url=f"sqlite:///{folder / 'db'}",
            signing_key=f"file:{folder / 'key'}",
        )
        migrations.upgrade(settings.database_url)
        store = open_store(settings.database_url, pool_size=settings.db_pool_size)
        signer = load_signer(settings.signing_key)
        registry = Registry(store, signer, SystemClock(), Shelf(), settings)
        bearer, candidate = _candidate(registry)
        app = _app(settings, registry, store)
        few = _measured(app, bearer, candidate, "gate, decided")
        _fill(store, candidate)
        many = _measured(app, bearer, candidate, f"gate, decided, {_ROWS:,} evidence rows")
        store.close()
    return [few, many]


def _measured(app: Litestar, bearer: str, candidate: str, name: str) -> Measured:
    gate = _asking(app, bearer, f"/v1/candidates/{candidate}/gate", b"to=CONFORMANCE_VERIFIED")
    bare = _asking(app, bearer, f"/v1/bare/{candidate}", b"")
    medians = interleaved(gate, bare, rounds=_ROUNDS)
    return Measured(name, *medians, 2.0, "an endpoint of the same application, one row by key")


def _asking(app: Litestar, bearer: str, path: str, query: bytes) -> Callable[[], None]:
    """Ask the application `_CALLS` times, `_AT_ONCE` at once."""

    async def ask() -> None:
        status = 0

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)

        scope: Any = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query,
            "headers": [(b"host", b"x"), (b"authorization", f"Bearer {bearer}".encode())],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
        }
        await app(scope, receive, send)
        if status != 200:
            msg = f"{path} answered {status}"
            raise RuntimeError(msg)

    async def all_of_them() -> None:
        async def work() -> None:
            for _ in range(_CALLS // _AT_ONCE):
                await ask()

        await asyncio.gather(*(work() for _ in range(_AT_ONCE)))

    return lambda: asyncio.run(all_of_them())


def _app(settings: Settings, registry: Registry, store: SqlStore) -> Litestar:
    """The real application with one endpoint more."""
    by_key = sa.select(tables.candidate).where(tables.candidate.c.id == sa.bindparam("id"))

    def row(candidate_id: str) -> dict[str, Any]:
        with store.engine.connect() as connection:
            found = connection.execute(by_key, {"id": candidate_id}).mappings().one()
        return {"id": found["id"], "state": found["state"]}

    @get("/bare/{candidate_id:str}", needs=ANY_TOKEN)
    async def read_bare(
        caller: NamedDependency[Caller], candidate_id: FromPath[str]
    ) -> dict[str, Any]:
        """One row by key."""
        return await caller.desk.hop(row, candidate_id)

    candidates.HANDLERS.append(read_bare)
    try:
        return create_app(settings, registry)
    finally:
        candidates.HANDLERS.remove(read_bare)


def _candidate(registry: Registry) -> tuple[str, str]:
    """A bearer, and a candidate with a decided question."""
    bearer, _ = registry.create_token(
        None, name="bench", namespace="bench", scopes=("admin",), expires_in_s=None
    )
    principal = registry.authenticate(bearer)
    bundle = registry.submit_bundle(principal, BytesIO(write_tar(bundle_files()))).bundle
    candidate, _ = registry.register_candidate(
        principal,
        bundle_digest=bundle.digest,
        version="1.0.0",
        artifact_digest="sha256:" + "a" * 64,
        targets=[Target(name="x", kind="mcp+http", url="http://127.0.0.1:9/mcp")],
    )
    return bearer, candidate.id


def _fill(store: SqlStore, candidate: str) -> None:
    """Copy the candidate's static evidence until there are `_ROWS` of it."""
    table = tables.evidence
    with store.engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # the driver begins nothing by itself
        first = (
            connection.execute(sa.select(table).where(table.c.candidate_id == candidate))
            .mappings()
            .one()
        )
        for _ in range(_ROWS // 1000):
            copies = [{**first, "id": ids.new_id(ids.EVIDENCE)} for _ in range(1000)]
            connection.execute(sa.insert(table), copies)
        connection.commit()
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
