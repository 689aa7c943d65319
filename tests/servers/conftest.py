"""One reference server over HTTP for all tests of a process."""

from collections.abc import Iterator

import pytest

from tests.servers.twins import deployment_server, running


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with running() as number:
        yield number


@pytest.fixture(scope="session")
def deployments() -> Iterator[int]:
    with deployment_server() as number:
        yield number
