"""Checks of headers: what is not known is not blamed, and what another era allows is not either."""

from dataclasses import replace

import pytest

from bundles.check import registry
from bundles.checks.mcp_parameters import _DAY, _MIRRORING, _with
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.schema import LEGACY
from bundles.transcript import Failure, Transcript
from bundles.verdict import Verdict

HEALTHY = ex.healthy()
SERVED = {"result": HEALTHY.exchanges[0].result}
DUAL = ex.answering(HEALTHY, probes.LEGACY_HANDSHAKE, {"result": {"protocolVersion": LEGACY}})
UNKNOWN_ERA = ex.failing(HEALTHY, probes.LEGACY_HANDSHAKE, Failure.TIMEOUT)
OF_ONE_ERA = {
    "mcp.headers.version-required": (f"{probes.HEADER}version-absent", {"status": 200, **SERVED}),
    "mcp.http.other-methods-refused": (f"{probes.VERB}GET", {"status": 200}),
    "mcp.http.no-sessions": (f"{probes.HEADER}session", {"status": 404}),
}


def verdict(check_id: str, transcript: Transcript) -> Verdict:
    return registry()[check_id].judge(transcript).verdict


def older(transcript: Transcript, probe: str, answer: dict[str, object]) -> Transcript:
    """The stimulus answered as a server of the older era may."""
    if "result" in answer:
        return ex.answering(transcript, probe, {"result": answer["result"]}, status=200)
    return ex.changed(transcript, probe, message=None, **answer)


@pytest.mark.parametrize("check_id", OF_ONE_ERA)
def test_what_the_older_era_allows_is_blamed_on_servers_that_do_not_speak_it(check_id: str) -> None:
    probe, answer = OF_ONE_ERA[check_id]
    assert verdict(check_id, older(HEALTHY, probe, answer)) in {Verdict.FAIL, Verdict.WARN}
    assert verdict(check_id, older(DUAL, probe, answer)) is Verdict.NOT_APPLICABLE
    assert verdict(check_id, older(UNKNOWN_ERA, probe, answer)) is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("check_id", "name"),
    [
        ("mcp.headers.version-agrees", "version-other"),
        ("mcp.headers.method-agrees", "method-absent"),
        ("mcp.headers.name-agrees", "name-absent"),
        ("mcp.headers.name-encoding-read", "name-encoded"),
        ("mcp.headers.names-case-insensitive", "names-upper"),
        ("mcp.headers.spaces-ignored", "name-padded"),
        ("mcp.headers.repeated-refused", "method-twice"),
    ],
)
def test_what_was_not_answered_or_turned_away_before_the_server_says_nothing(
    check_id: str, name: str
) -> None:
    probe = probes.HEADER + name
    for silent in (
        ex.failing(HEALTHY, probe, Failure.TIMEOUT),
        ex.changed(HEALTHY, probe, message=None, status=429),
        ex.changed(HEALTHY, probe, message=None, status=401),
        ex.without(HEALTHY, probe),
    ):
        assert verdict(check_id, silent) is Verdict.INCONCLUSIVE


def test_a_tool_nobody_lists_may_be_looked_for_before_the_headers_are() -> None:
    probe = f"{probes.HEADER}name-absent"
    unlisted = {"id": 1, "method": "tools/call", "params": {"name": "no-such"}}
    asked = ex.changed(HEALTHY, probe, request=unlisted)
    refused = ex.refusing(asked, probe, -32602, status=400)
    assert verdict("mcp.headers.name-agrees", refused) is Verdict.INCONCLUSIVE
    assert verdict("mcp.headers.name-agrees", asked) is Verdict.PASS


def test_names_of_headers_are_not_judged_by_a_server_that_knows_no_ping() -> None:
    legacy = ex.healthy(revision=LEGACY)
    refused = ex.refusing(legacy, f"{probes.HEADER}names-upper", -32601)
    assert verdict("mcp.headers.names-case-insensitive", refused) is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("check_id", ["mcp.parameters.header-required"])
def test_mirrored_parameters_need_a_safe_call_that_has_one(check_id: str) -> None:
    annotated = _with(HEALTHY, **_DAY)
    assert verdict(check_id, _MIRRORING) is Verdict.PASS
    assert verdict(check_id, annotated) is Verdict.INCONCLUSIVE
    assert verdict(check_id, replace(annotated, safe_calls={})) is Verdict.NOT_APPLICABLE
    assert verdict(check_id, HEALTHY) is Verdict.NOT_APPLICABLE
    unlisted = ex.failing(annotated, probes.TOOLS_LIST, Failure.TIMEOUT)
    assert verdict(check_id, unlisted) is Verdict.INCONCLUSIVE


def test_a_foreign_host_is_judged_on_this_machine_alone() -> None:
    check_id = "mcp.security.foreign-host-refused"
    served = ex.answering(HEALTHY, probes.FOREIGN_HOST, SERVED, status=200)
    assert verdict(check_id, served) is Verdict.WARN
    elsewhere = ex.knowing(served, **{probes.CONTEXT_LOOPBACK: False})
    assert verdict(check_id, elsewhere) is Verdict.NOT_APPLICABLE
    for status in (401, 429, 500, 503):
        unclear = ex.changed(HEALTHY, probes.FOREIGN_HOST, message=None, status=status)
        assert verdict(check_id, unclear) is Verdict.INCONCLUSIVE
