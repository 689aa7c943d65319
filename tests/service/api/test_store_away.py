"""A database that is read-only, locked, damaged or without tables: 503 everywhere, and nothing 500.

Each database is really in that condition. A house is opened on it whole, left, and opened again
once it is broken, as a service is that runs when its database changes under it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from bundles.archive import write_tar_gz
from service.store import engine
from tests.fixtures.house import (
    EVERY_SCOPE,
    House,
    Visitor,
    bundle_files,
    open_house,
    problem,
    routes,
)
from tests.fixtures.postgres import Postgres
from tests.service.api.test_scopes import ABSENT, call

AN_HOUR = 3_600
"""A token is remembered for less, so that whoever asks now is looked up in the database."""


class Broken:
    """A running API over a broken database, with what was made while it was whole."""

    def __init__(self, house: House, visitor: Visitor, owned: dict[str, str]) -> None:
        self.house, self.visitor, self.owned = house, visitor, owned

    def answers(self) -> Iterator[tuple[tuple[str, str], httpx2.Response]]:
        """What every route answers."""
        for route in routes(self.house.app):
            yield route[:2], call(self.visitor, route, self.owned)

    def writes(self) -> Iterator[httpx2.Response]:
        """What writes answer that a whole database would let pass."""
        http, candidate = self.visitor.http, self.owned["candidate_id"]
        archive = write_tar_gz(bundle_files())
        headers = {"Content-Type": "application/gzip"}
        yield http.post("/v1/bundles", content=archive, headers=headers)
        yield http.post(f"/v1/candidates/{candidate}/runs", json={})
        yield http.post("/v1/tokens", json={"name": "n", "scopes": ["runs:write"]})


def prepared(house: House) -> tuple[str, str, dict[str, str]]:
    """Namespace and secret of somebody, and what they own: the run is over, or it is followed."""
    visitor = house.visitor(*EVERY_SCOPE, expires_in_s=None)
    candidate = visitor.candidate()
    run = visitor.client.start_run(candidate["id"])
    visitor.client.cancel(run["id"])
    owned = {
        **ABSENT,
        "candidate_id": candidate["id"],
        "digest": candidate["bundle_digest"],
        "run_id": run["id"],
    }
    return visitor.namespace, visitor.secret, owned


def again(house: House, namespace: str, secret: str, owned: dict[str, str]) -> Broken:
    return Broken(house, house.returning(namespace, secret), owned)


def unavailable(answer: Any, code: str) -> None:
    told = problem(answer, 503, code)
    assert int(answer.headers["retry-after"]) > 0
    assert told["next_steps"]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A folder for the house before, and one for the house after."""
    for name in ("whole", "broken"):
        (tmp_path / name).mkdir()
    return tmp_path / "whole", tmp_path / "broken"


@pytest.fixture(params=["sqlite", "postgresql"])
def read_only(
    request: pytest.FixtureRequest, folders: tuple[Path, Path], postgres: Postgres
) -> Iterator[Broken]:
    """Over a database that takes no writes."""
    whole, broken = folders
    name = postgres.create()
    file = whole / "db"
    url = f"sqlite:///{file}" if request.param == "sqlite" else postgres.url(name)
    with open_house(url, whole) as house:
        made = prepared(house)
    if request.param == "sqlite":
        forbid_writing(file)
    else:
        postgres.execute("ALTER DATABASE {} SET default_transaction_read_only = on", name)
    with open_house(url, broken) as house:
        yield again(house, *made)


def forbid_writing(file: Path) -> None:
    """Make a SQLite file read-only for whoever opens it, root too: by the write version in its
    header (sqlite.org/fileformat2.html, 1.3.3).
    """
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with file.open("r+b") as opened:
        opened.seek(18)
        opened.write(b"\x03")


def test_over_a_read_only_database_nothing_is_our_mistake_and_writes_are_503(
    read_only: Broken,
) -> None:
    for route, answer in read_only.answers():
        assert answer.status_code < 500 or answer.status_code == 503, (route, answer.text)
        if answer.status_code == 503 and route[1] != "/readyz":
            unavailable(answer, "STORE_READ_ONLY")
    for answer in read_only.writes():
        unavailable(answer, "STORE_READ_ONLY")
    unavailable(read_only.visitor.http.get("/readyz"), "NOT_READY")


def test_over_a_read_only_database_a_token_that_is_looked_up_is_503_everywhere(
    read_only: Broken,
) -> None:
    with read_only.house.clock.later(AN_HOUR):
        for route, answer in read_only.answers():
            if route[1] not in {"/healthz", "/readyz"}:
                unavailable(answer, "STORE_READ_ONLY")


@pytest.fixture(params=["sqlite", "postgresql"])
def without_tables(
    request: pytest.FixtureRequest, folders: tuple[Path, Path], postgres: Postgres
) -> Iterator[Broken]:
    """Over a database whose tables are gone."""
    name, file = postgres.create(), folders[0] / "db"
    url = f"sqlite:///{file}" if request.param == "sqlite" else postgres.url(name)
    with open_house(url, folders[1]) as house:
        if request.param == "sqlite":
            with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                found = "SELECT name FROM sqlite_schema WHERE type = 'table'"
                for (table,) in connection.execute(found).fetchall():
                    connection.execute(f"DROP TABLE {table}")
        else:
            address = f"host={postgres.folder} user=postgres dbname={name}"
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute("DROP SCHEMA public CASCADE")
        yield again(house, "n", f"bgt_{'0' * 75}", ABSENT)


def test_without_tables_every_route_is_503_and_says_what_to_run(without_tables: Broken) -> None:
    assert without_tables.visitor.http.get("/healthz").status_code == 200
    unavailable(without_tables.visitor.http.get("/readyz"), "NOT_READY")
    for route, answer in without_tables.answers():
        if route[1] not in {"/healthz", "/readyz"}:
            unavailable(answer, "STORE_NOT_MIGRATED")
            assert "db upgrade" in answer.text


def test_over_a_database_that_stays_locked_reads_go_on_and_writes_are_503(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_BUSY_S", 0.05)
    file = folders[0] / "db"
    with open_house(f"sqlite:///{file}", folders[0]) as house:
        locked = again(house, *prepared(house))
        with closing(sqlite3.connect(file)) as other:
            other.execute("BEGIN EXCLUSIVE")
            assert locked.visitor.http.get("/readyz").status_code == 200
            for route, answer in locked.answers():
                assert answer.status_code < 500 or answer.status_code == 503, (route, answer.text)
            for answer in locked.writes():
                unavailable(answer, "STORE_UNREACHABLE")
        assert [answer.status_code for answer in locked.writes()] == [201, 202, 201]
