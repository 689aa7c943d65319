"""What a conftest.py may implement."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bundlegate.suite.server import Server


@pytest.hookspec(firstresult=True)
def pytest_bundlegate_server(config: pytest.Config, path: Path) -> "Server | None":
    """The server to run a suite on; asked once a suite, before its first case.

    Args:
        config: of this pytest run.
        path: the suite's file.

    Returns:
        `bundlegate.suite.Server`, or None to leave it to the next implementation, at last to
        `--suite-url`, `--suite-command` and the configuration file.
    """
