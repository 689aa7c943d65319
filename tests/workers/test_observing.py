"""A target is observed as the build it was registered as, from the first process to the last."""

import asyncio
from pathlib import Path

import pytest

from bundles.errors import Conflict
from bundles.plan import Plan
from bundles.transcript import Transcript
from service.admission.model import Target
from workers.launchers import Launchers
from workers.measure import measure
from workers.observing import TargetObserver

SERVER = """
import json, sys
from pathlib import Path
{once_started}
for line in sys.stdin:
    try:
        asked = json.loads(line)
    except ValueError:
        continue
    tools = {{"supportedVersions": ["2026-07-28"], "capabilities": {{}}, "tools": []}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked.get("id"), "result": tools}}), flush=True)
"""
PLAN = Plan(
    stage="conformance", profile="default", revision="2026-07-28", transport="stdio", check_ids=()
)


def observed(folder: Path, once_started: str) -> Transcript:
    server = folder / "server.py"
    server.write_text(SERVER.format(once_started=once_started))
    launchers = folder / "launchers.yaml"
    launchers.write_text(
        'launchers: {own: {argv: ["{python}", server.py], cwd: ., measure: server.py}}'
    )
    observe = TargetObserver(Launchers.read(launchers), b"key", 10.0)
    target = Target("t", "mcp+stdio", launcher="own")
    return asyncio.run(observe(PLAN, target, measure(server), 60.0, lambda kind, body: None))


def test_an_artifact_that_stays_as_it_is_makes_the_binding_measured(tmp_path: Path) -> None:
    assert observed(tmp_path, "").binding == "measured"


def test_an_artifact_that_is_replaced_while_it_is_observed_proves_nothing(tmp_path: Path) -> None:
    swap = "Path(__file__).write_text(Path(__file__).read_text() + '# another build')"
    with pytest.raises(Conflict, match="ARTIFACT_DIGEST_MISMATCH"):
        observed(tmp_path, swap)
