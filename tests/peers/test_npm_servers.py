"""Servers many people run: every finding on them is expected, and the reason is written down."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bundles.mcp.wire import LEGACY
from bundles.verdict import Verdict
from tests.peers.npm_servers import LAUNCHED, everything_over_http, launched, safe_calls
from tests.peers.ours import at, found, notable

_AS_RESULT = {
    "mcp.calls.unknown-tool-protocol-error": "WARN",
    "mcp.calls.malformed-call-refused": "WARN",
}
"""The TypeScript SDK reports an unknown tool as a result, and a call that is none by -32603: policy
decides about both."""

EXPECTED: Mapping[str, Mapping[str, str]] = {
    "everything": _AS_RESULT,
    # its structure is {"content": text}, and its text block is that text, not the structure
    "filesystem": {**_AS_RESULT, "mcp.calls.structure-repeated-in-text": "WARN"},
    "memory": _AS_RESULT,
}
"""What there is to find over stdio, where the revision is 2025-11-25: none of them is newer."""

EXPECTED_OVER_HTTP: Mapping[str, str] = {
    **_AS_RESULT,
    # an array of requests is answered with an array; revision 2025-06-18 took batches away
    "mcp.envelope.batch-refused": "FAIL",
    # neither Origin nor Host is looked at: a page in a browser reaches it by DNS rebinding
    "mcp.security.foreign-origin-refused": "FAIL",
    "mcp.security.foreign-host-refused": "WARN",
}


@pytest.mark.parametrize("name", LAUNCHED)
def test_everything_found_over_stdio_is_expected(tmp_path: Path, name: str) -> None:
    endpoint = launched(name, tmp_path)
    outcomes = found(endpoint, LEGACY, safe_calls(name, tmp_path))
    assert notable(outcomes) == EXPECTED[name]
    assert [o.verdict for o in outcomes.values()].count(Verdict.PASS) >= 30


def test_everything_found_over_http_is_expected() -> None:
    with everything_over_http() as url:
        outcomes = found(at(url), LEGACY)
    assert notable(outcomes) == EXPECTED_OVER_HTTP
