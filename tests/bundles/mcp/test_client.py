"""Who the harness says it is."""

import pytest

from bundles.contract import files_contract
from bundles.mcp import wire
from bundles.mcp.client import Client, read_client
from bundles.plan import Plan
from bundles.planning import make_plan

ASKED = {"name": "desktop", "version": "2", "capabilities": {"elicitation": {}}}


def test_by_default_it_is_the_harness_and_can_do_nothing() -> None:
    itself = Client()
    request = wire.modern_request("tools/list", itself.introduced({"cursor": "x"}), 1)
    assert request == wire.modern_request("tools/list", {"cursor": "x"}, 1)
    assert itself.initialize_params() == wire.initialize_params()


def test_a_named_client_is_introduced_in_every_request_and_in_the_handshake() -> None:
    client = read_client(ASKED)
    assert client is not None
    meta = wire.modern_request("tools/list", client.introduced(None), 1)["params"]["_meta"]
    assert meta[wire.CLIENT_INFO_KEY] == {"name": "desktop", "version": "2"}
    assert meta[wire.CLIENT_CAPABILITIES_KEY] == {"elicitation": {}}
    assert meta[wire.PROTOCOL_VERSION_KEY] == wire.MODERN
    handshake = client.initialize_params()
    assert (handshake["capabilities"], handshake["protocolVersion"]) == (
        {"elicitation": {}},
        wire.LEGACY,
    )


def test_what_a_stimulus_says_itself_wins() -> None:
    own = {"_meta": {wire.CLIENT_CAPABILITIES_KEY: "x"}}
    meta = Client(capabilities={"roots": {}}).introduced(own)["_meta"]
    assert meta[wire.CLIENT_CAPABILITIES_KEY] == "x"
    assert own == {"_meta": {wire.CLIENT_CAPABILITIES_KEY: "x"}}, "and is left as it was"


@pytest.mark.parametrize(
    "document",
    [
        "",
        1,
        [],
        {"name": ""},
        {"nom": "x"},
        {"capabilities": []},
        {"capabilities": {"roots": True}},
    ],
)
def test_what_no_client_is_is_none(document: object) -> None:
    assert read_client(document) is None


def test_a_bundles_profile_names_the_client_of_its_plan() -> None:
    contract = files_contract(
        {"p.yaml": {"default": {}, "desktop": {"client": ASKED}}}, {"profiles": "p.yaml"}
    )

    def plan(profile: str) -> Plan:
        return make_plan(
            contract,
            stage="conformance",
            profile=profile,
            revision="2026-07-28",
            transport="http",
        )

    assert plan("desktop").client == plan("desktop").to_dict()["client"] == ASKED
    assert "client" not in plan("default").to_dict(), "evidence of other bundles keeps its plan"
