"""Where a server may be of both eras, or said nothing, nobody is blamed and nothing passes."""

import pytest

from bundles.check import registry
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.schema import LEGACY
from bundles.transcript import Failure, Transcript
from bundles.verdict import Verdict

HEALTHY = ex.healthy()
STDIO = ex.healthy(transport="stdio")
ABSENT = f"{probes.META}absent"
PING = f"{probes.REMOVED}ping"
OLDER = {"result": {"protocolVersion": LEGACY}}
UNKNOWN_ERA = ex.failing(HEALTHY, probes.LEGACY_HANDSHAKE, Failure.TIMEOUT)


@pytest.mark.parametrize(
    ("check_id", "transcript"),
    [
        ("mcp.meta.meta-required", ex.refusing(UNKNOWN_ERA, ABSENT, -32601, status=404)),
        ("mcp.meta.meta-required", ex.failing(STDIO, ABSENT, Failure.TIMEOUT)),
        ("mcp.meta.meta-required", ex.refusing(HEALTHY, ABSENT, -32602, status=429)),
        ("mcp.versions.handshake-removed", ex.answering(UNKNOWN_ERA, probes.HANDSHAKE, OLDER)),
        ("mcp.versions.removed-methods-refused", ex.refusing(UNKNOWN_ERA, PING, -32600)),
        (
            "mcp.discovery.capabilities-true",
            ex.declaring(ex.refusing(HEALTHY, f"{probes.LISTED}prompts", -32603), prompts={}),
        ),
        ("mcp.envelope.batch-refused", ex.failing(HEALTHY, "envelope:batch", Failure.TIMEOUT)),
        (
            "mcp.envelope.batch-refused",
            ex.failing(
                ex.failing(STDIO, "envelope:batch", Failure.TIMEOUT),
                "alive:envelope:batch",
                Failure.TIMEOUT,
            ),
        ),
    ],
)
def test_what_could_not_be_told_is_inconclusive(check_id: str, transcript: Transcript) -> None:
    outcome = registry()[check_id].judge(transcript)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.why
