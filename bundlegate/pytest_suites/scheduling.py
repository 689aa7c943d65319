"""How xdist hands out tests where there are suites."""

from typing import Any

import pytest
from xdist.scheduler import (  # type: ignore[import-untyped]
    LoadGroupScheduling,
    LoadScopeScheduling,
)


def scheduler(dist: str, config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """A scheduler that hands out a suite as a whole, and everything else as `dist` says."""
    return (_Groups if dist == "loadgroup" else _Single)(config, log)


def _suite_of(nodeid: str) -> str | None:
    file = nodeid.partition("::")[0]
    return file if file.endswith(".json") else None


class _Groups(LoadGroupScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return _suite_of(nodeid) or str(super()._split_scope(nodeid))


class _Single(LoadScopeScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return _suite_of(nodeid) or nodeid
