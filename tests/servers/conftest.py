"""One reference server over HTTP for all tests of a process."""

from collections.abc import Iterator

import pytest

from tests.servers.twins import running


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with running() as number:
        yield number
