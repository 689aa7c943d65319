"""A bundle drawn from a server admits that server, and not the build that broke its output."""

import asyncio
import json
import sys
from pathlib import Path

from bundlegate.client import Client
from bundlegate.from_server import draw_bundle
from bundles.archive import write_tar
from tests.fixtures.up import StartUp
from tests.fixtures.weather import EXAMPLES, WEATHER, artifact_digest, write_launchers
from workers.endpoints import StdioEndpoint
from workers.probes.listing import list_tools

PATIENCE_S = 300


def drawn(folder: Path) -> bytes:
    server = StdioEndpoint((sys.executable, str(WEATHER / "server.py")), {}, folder)
    tools, revision = asyncio.run(list_tools(server))
    bundle = draw_bundle(
        tools,
        revision=revision,
        transport="stdio",
        contract_id="weather",
        producer="weather-server",
        safe=["save_alert"],
        fixtures={"get_forecast": {"city": "Oslo"}, "save_alert": {"city": "Bergen"}},
    )
    assert bundle.uncalled == bundle.skipped == ()
    return write_tar(bundle.files)


def run_verdict(client: Client, digest: str, build: str) -> tuple[str, set[str]]:
    made = client.register(
        bundle_digest=digest,
        version=build,
        artifact_digest=artifact_digest(build),
        targets=[{"name": build, "kind": "mcp+stdio", "launcher": build}],
        policy="demo",
    )
    run = client.start_run(made["candidate"]["id"], stages=["conformance"])
    list(client.follow(run["id"], wait_s=PATIENCE_S))
    must = {f["reason_code"] for f in client.findings(run["id"]) if f["severity"] == "MUST"}
    return client.run(run["id"])["verdict"], must


def test_what_a_server_says_of_itself_is_what_its_builds_are_held_to(
    start_up: StartUp, tmp_path: Path
) -> None:
    up = start_up(
        "--launchers", str(write_launchers(tmp_path / "operator")), BUNDLEGATE_CALL_TIMEOUT_S="60"
    )
    with up.client() as client:
        client.put_policy("demo", json.loads((EXAMPLES / "policies" / "demo.json").read_text()))
        submitted = client.submit(drawn(tmp_path))
        assert submitted["verdict"] == "PASS"
        digest = submitted["bundle"]["digest"]
        assert run_verdict(client, digest, "server") == ("PASS", set())
        assert run_verdict(client, digest, "renamed_output") == (
            "FAIL",
            {"STRUCTURED_CONTENT_MISMATCH", "SUITE_CASE_FAILED"},
        )
