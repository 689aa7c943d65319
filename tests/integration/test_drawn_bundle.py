"""A bundle drawn from a server admits that server, and not the build that broke its output.

With a coverage policy, its suites are run twice and have to come out the same."""

import asyncio
import json
import sys
from hashlib import sha256
from pathlib import Path

from bundlegate.client import Client
from bundlegate.from_server import draw_bundle
from bundles.archive import write_tar
from tests.fixtures.up import StartUp
from tests.fixtures.weather import EXAMPLES, WEATHER, artifact_digest, write_launchers
from workers.endpoints import StdioEndpoint
from workers.probes.listing import list_tools

PATIENCE_S = 300
OF_THE_SDK = "UNKNOWN_TOOL_ERROR_AS_RESULT"
"""Not of the server, which is made with it: a warning of every build."""
POLICY = b"suites: {determinism: required, contract_axes: {minimum: 0.8}}\n"
DRIFTING = """
import random, sys
sys.path.insert(0, sys.argv.pop(1))
import server
server.CLIMATE = {city: (random.uniform(0, 9), sky) for city, (_, sky) in server.CLIMATE.items()}
server.serve(server.build(server.alerts_folder()))
"""
"""A build that answers as its schema says, and otherwise in every process."""


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
    manifest = bundle.files["bundle.yaml"] + b"  coverage: coverage.yaml\n"
    return write_tar(bundle.files | {"bundle.yaml": manifest, "coverage.yaml": POLICY})


def launchers(folder: Path) -> Path:
    """The example's, and one for the build that drifts."""
    path = write_launchers(folder)
    written = json.loads(path.read_text())
    build = folder / "drifting.py"
    build.write_text(DRIFTING)
    drifting = {"argv": [sys.executable, str(build), str(WEATHER)], "measure": str(build)}
    written["launchers"]["drifting"] = written["launchers"]["server"] | drifting
    path.write_text(json.dumps(written))
    return path


def begun(client: Client, bundle: str, build: str, artifact: str) -> str:
    """The id of a run of the build's conformance stage."""
    made = client.register(
        bundle_digest=bundle,
        version=build,
        artifact_digest=artifact,
        targets=[{"name": build, "kind": "mcp+stdio", "launcher": build}],
        policy="demo",
    )
    return str(client.start_run(made["candidate"]["id"], stages=["conformance"])["id"])


def ended(client: Client, run: str) -> tuple[str, set[str]]:
    """The verdict of a run, and the reason codes of its findings."""
    list(client.follow(run, wait_s=PATIENCE_S))
    found = {finding["reason_code"] for finding in client.findings(run)}
    return client.run(run)["verdict"], found - {OF_THE_SDK}


def test_what_a_server_says_of_itself_is_what_its_builds_are_held_to(
    start_up: StartUp, tmp_path: Path
) -> None:
    operator = tmp_path / "operator"
    up = start_up("--launchers", str(launchers(operator)), BUNDLEGATE_CALL_TIMEOUT_S="60")
    with up.client() as client:
        client.put_policy("demo", json.loads((EXAMPLES / "policies" / "demo.json").read_text()))
        submitted = client.submit(drawn(tmp_path))
        assert submitted["verdict"] == "PASS"
        digest = submitted["bundle"]["digest"]
        builds = {name: artifact_digest(name) for name in ("server", "renamed_output")}
        builds["drifting"] = f"sha256:{sha256(DRIFTING.encode()).hexdigest()}"
        runs = {name: begun(client, digest, name, of) for name, of in builds.items()}
        assert {name: ended(client, run) for name, run in runs.items()} == {
            "server": ("PASS", set()),
            "renamed_output": ("FAIL", {"STRUCTURED_CONTENT_MISMATCH", "SUITE_CASE_FAILED"}),
            "drifting": ("PASS", {"SUITE_NONDETERMINISTIC"}),
        }
