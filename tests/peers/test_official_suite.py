"""The official suite and this program, side by side: they blame the same servers for the same."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bundles.mcp.wire import LEGACY, MODERN
from bundles.verdict import Verdict
from tests.peers.agreement import SEEN_BY_BOTH, disagreements, suite_says
from tests.peers.official import SCENARIOS, run
from tests.peers.ours import at, found
from tests.servers.faults import FAULTS

EXPECTED: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("stock", MODERN): {},
    ("stock", LEGACY): {},
    ("reference", MODERN): {},
    ("reference", LEGACY): {},
    ("everything", LEGACY): {},
}

TWINS = {
    "meta-optional": "server-stateless",
    "version-optional": "server-stateless",
    "capabilities-optional": "server-stateless",
    "client-info-required": "server-stateless",
    "handshake-kept": "server-stateless",
    "ping-kept": "server-stateless",
    "unknown-method-as-invalid-params": "server-stateless",
    "unknown-version-served": "server-stateless",
    "list-uncacheable": "caching",
}
"""Faults both can see → the scenario that shows them. The suite reads only a list's first page."""


@pytest.fixture
def urls(reference: str, stock: Mapping[str, str], everything: str) -> Mapping[str, str]:
    return {"reference": f"{reference}/mcp", "stock": stock["plain"], "everything": everything}


@pytest.mark.parametrize(("name", "revision"), EXPECTED)
def test_the_suite_and_we_agree_where_both_can_see(
    urls: Mapping[str, str], tmp_path: Path, name: str, revision: str
) -> None:
    suite: dict[str, Verdict] = {}
    for scenario, revisions in SCENARIOS.items():
        if revision in revisions:
            suite |= suite_says(run(urls[name], scenario, revision, tmp_path / scenario))
    ours = found(at(urls[name]), revision)
    assert disagreements(suite, ours) == EXPECTED[name, revision]
    agreed = [key for key, verdict in suite.items() if key in SEEN_BY_BOTH and verdict == "PASS"]
    assert len(agreed) >= 4


@pytest.mark.parametrize("fault", TWINS)
def test_the_suite_and_we_blame_a_broken_server_for_the_same(
    reference: str, tmp_path: Path, fault: str
) -> None:
    url = f"{reference}/faults/{fault}/mcp"
    suite = suite_says(run(url, TWINS[fault], MODERN, tmp_path))
    blamed = {key for key, verdict in suite.items() if verdict in {Verdict.FAIL, Verdict.WARN}}
    ours = found(at(url), MODERN)[FAULTS[fault].check_id]
    assert ours.verdict in {Verdict.FAIL, Verdict.WARN}
    assert any(FAULTS[fault].check_id in SEEN_BY_BOTH.get(key, ()) for key in blamed), suite
