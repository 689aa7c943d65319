"""The servers, once for each test process that needs them."""

from collections.abc import Iterator, Mapping

import pytest

from tests.peers import npm_servers, servers


@pytest.fixture(scope="session")
def reference() -> Iterator[str]:
    with servers.reference() as base:
        yield base


@pytest.fixture(scope="session")
def stock() -> Iterator[Mapping[str, str]]:
    with servers.stock() as urls:
        yield urls


@pytest.fixture(scope="session")
def everything() -> Iterator[str]:
    with npm_servers.everything_over_http() as url:
        yield url
