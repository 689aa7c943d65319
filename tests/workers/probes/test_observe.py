"""Whole observations: which stimuli are made, in which order, and what the transcript says."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bundles.coverage_policy import CoveragePolicy
from bundles.errors import Invalid
from bundles.live import judge_transcript
from bundles.plan import Plan
from bundles.transcript import Failure, Transcript
from bundles.transcript_json import transcript_from_json, transcript_to_json
from bundles.verdict import Verdict
from tests.fixtures.processes import until
from tests.servers.hostile_http import Request, answer, head, serve, whole
from workers import spawn
from workers.budget import Budget, Caps
from workers.egress import EgressRules
from workers.endpoints import Endpoint, HttpEndpoint, StdioEndpoint
from workers.probes.observe import observe
from workers.probes.walk import MAX_PAGES

REMEMBERING = Path(__file__).parents[2] / "bundlegate" / "remembering.py"
HOSTILE = Path(__file__).parents[2] / "servers" / "hostile_stdio.py"
LOOPBACK = EgressRules(("127.0.0.1",))
SUITE = {
    "schemaVersion": 1,
    "id": "s",
    "name": "s",
    "cases": [
        {
            "id": name,
            "name": name,
            "operation": {"type": "callTool", "tool": "peek", "input": {}},
            "assertions": [{"type": "isError", "expected": False}],
        }
        for name in ("one", "two")
    ],
}
TOOL = {"name": "peek", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}


@pytest.fixture(autouse=True)
def short_graces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "_EOF_GRACE_S", 0.5)
    monkeypatch.setattr(spawn, "_TERM_GRACE_S", 0.2)


def plan(stage: str, transport: str = "stdio", **more: Any) -> Plan:
    values = {"revision": "2026-07-28", "check_ids": ()} | more
    return Plan(stage=stage, profile="default", transport=transport, **values)


def launched(*behaviour: str, watch: Mapping[str, Path] | None = None) -> StdioEndpoint:
    command = (sys.executable, "-I", "-S", str(HOSTILE), *behaviour)
    return StdioEndpoint(command, watch=watch or {})


def seen(
    of: Plan, endpoint: Endpoint, caps: Caps | None = None, **more: Any
) -> tuple[Transcript, list[tuple[str, dict[str, Any]]]]:
    told: list[tuple[str, dict[str, Any]]] = []

    async def run() -> Transcript:
        def progress(kind: str, body: dict[str, Any]) -> None:
            told.append((kind, body))

        return await observe(of, endpoint, Budget(caps), progress, **more)

    transcript = asyncio.run(run())
    assert [exchange.seq for exchange in transcript.exchanges] == list(
        range(len(transcript.exchanges))
    )
    stored = json.loads(json.dumps(transcript_to_json(transcript)))
    assert transcript_to_json(transcript_from_json(stored)) == stored
    return transcript, told


def ids(transcript: Transcript) -> list[str]:
    return [exchange.probe for exchange in transcript.exchanges]


UNUSUAL = (
    *("id-echo:", "unicode-name", "envelope:", "meta:", "version:", "alive:"),
    *("removed:", "handshake-on-modern-wire", "legacy-handshake", "subscribe", "cancelled:"),
    *("header:", "parameter:", "verb:"),
    *("first-request", "foreign-cursor", "unknown-resource", "unknown-prompt", "prompt-without"),
)
"""Stimuli few clients send; which of them get an answer is the server's choice."""


def ordinary(transcript: Transcript) -> list[str]:
    return [probe for probe in ids(transcript) if not probe.startswith(UNUSUAL)]


def test_the_conformance_stage_makes_its_stimuli_in_order(tmp_path: Path) -> None:
    wanted = plan("conformance", suites=(SUITE,), safe_calls={"peek": [{}, {"n": 1}]}, snapshot=())
    endpoint = launched("writes-when-called", str(tmp_path), watch={"files": tmp_path})
    transcript, told = seen(wanted, endpoint, target="t", digest_key=b"k")
    assert ordinary(transcript) == [
        "discover",
        "tools-list",
        "unknown-version",
        "tools-list-again:1",
        "discover-again",
        "listed:prompts",
        "listed:resources",
        "listed:resource-templates",
        "tools-list-again:2",
        "unknown-method",
        "unknown-tool",
        "safe-call:peek:0",
        "safe-call:peek:1",
        "tools-list-after-calls",
        "suite:s:one",
        "suite:s:two",
    ]
    answered = {e.probe for e in transcript.exchanges if e.failure is None}
    assert answered >= set(ordinary(transcript))
    assert all(not exchange.observed for exchange in transcript.exchanges)
    assert all(len(exchange.raw_digest) == 64 for exchange in transcript.exchanges)
    assert len(transcript.redaction_digest) == 64
    endings = transcript.context["endings"]
    assert {ending["how"] for ending in endings} <= {"by-itself", "gone"}
    assert {ending["left"] for ending in endings} == {0}
    assert transcript.context == {
        "era": "modern",
        "observers": ["files"],
        "endings": endings,
        "stdout_noise": [],
        "stderr_tail": "",
        "bundle_snapshot": [],
        "suites": [SUITE],
    }
    assert transcript.of("unknown-method")[0].request["id"] == "u1"
    assert ("suite", {"suite": "s", "cases": 2}) in told
    assert ("stimulus", {"probe": "discover"}) in told


def test_suites_are_run_twice_in_processes_of_their_own_where_that_is_asked(
    tmp_path: Path,
) -> None:
    asked = CoveragePolicy(0.5, determinism=True)
    tells = {"type": "callTool", "tool": "process", "input": {}}
    suite = {**SUITE, "cases": [{**case, "operation": tells} for case in SUITE["cases"]]}
    wanted = plan("conformance", suites=(suite, {**suite, "id": "r"}), coverage=asked)
    command = (sys.executable, "-I", "-S", str(REMEMBERING), str(tmp_path))
    transcript, _ = seen(wanted, StdioEndpoint(command))
    once = [f"suite:{suite}:{case}" for suite in ("s", "r") for case in ("one", "two")]
    again = [probe.replace("suite:", "suite-again:") for probe in once]
    assert [probe for probe in ids(transcript) if probe.startswith("suite")] == [*once, *again]
    processes = [
        {exchange.body for probe in probes for exchange in transcript.of(probe)}
        for probes in (once, again)
    ]
    told = [{json.loads(body)["result"]["content"][0]["text"] for body in run} for run in processes]
    assert [len(run) for run in told] == [1, 1]
    assert told[0] != told[1]
    assert transcript.context["coverage"] == {
        "contract_axes": {"minimum": 0.5},
        "determinism": "required",
    }


def test_the_security_stage_watches_the_folder_around_each_safe_call(tmp_path: Path) -> None:
    wanted = plan("security", safe_calls={"peek": []})
    endpoint = launched("writes-when-called", str(tmp_path), watch={"files": tmp_path})
    transcript, _ = seen(wanted, endpoint)
    assert ids(transcript) == [
        "discover",
        "tools-list",
        "safe-call:peek:0",
        "safe-call-again:peek:0",
        "invalid-arguments:peek:type",
        "alive:invalid-arguments:peek:type",
        "invalid-arguments:peek:deep",
        "alive:invalid-arguments:peek:deep",
        "invalid-arguments:peek:long",
        "alive:invalid-arguments:peek:long",
        "unknown-method",
        "unknown-tool",
        "malformed:truncated",
        "alive:truncated",
        "malformed:not-utf8",
        "alive:not-utf8",
        "malformed:deep",
        "alive:deep",
        "malformed-call:no-name",
        "alive:malformed-call:no-name",
        "malformed-call:arguments-list",
        "alive:malformed-call:arguments-list",
        "malformed-call:arguments-text",
        "alive:malformed-call:arguments-text",
    ]
    first, again = transcript.of("safe-call:peek:0")[0], transcript.of("safe-call-again:peek:0")[0]
    assert first.observed["files"]["before"] == {}
    assert list(first.observed["files"]["after"]) == ["log"]
    assert again.observed["files"]["before"] == first.observed["files"]["after"]
    assert again.observed["files"]["after"] != again.observed["files"]["before"]
    (wrong,) = transcript.of("invalid-arguments:peek:type")
    assert wrong.request["params"]["arguments"] == {"n": 1.5}
    assert wrong.observed["files"]["before"] == again.observed["files"]["after"]
    (last,) = transcript.of("invalid-arguments:peek:long")
    assert last.observed["files"]["after"] != last.observed["files"]["before"]
    assert transcript.context["observers"] == ["files"]


@pytest.mark.parametrize(
    ("behaviour", "pages"), [("endless-cursor", MAX_PAGES), ("looping-cursor", 2)]
)
def test_a_walk_ends_where_the_cursor_does_not(behaviour: str, pages: int) -> None:
    async def serves(request: Request, writer: asyncio.StreamWriter) -> None:
        method, params = request.message["method"], request.message["params"]
        if method == "server/discover":
            result: Any = {"supportedVersions": ["2026-07-28"]}
        else:
            page = int(params.get("cursor", 0)) + 1
            cursor = str(page) if behaviour == "endless-cursor" else "0"
            result = {"tools": [], "nextCursor": cursor}
        writer.write(whole(answer(request, result)))

    transcript = over_http(serves, plan("security", "http"))
    assert len(transcript.of("tools-list")) == pages


def over_http(behaviour: Any, wanted: Plan, caps: Caps | None = None) -> Transcript:
    async def run() -> Transcript:
        async with serve(behaviour) as hostile:
            endpoint = HttpEndpoint(hostile.url, LOOPBACK)
            return await observe(wanted, endpoint, Budget(caps), lambda kind, body: None)

    return asyncio.run(run())


def test_over_http_a_foreign_origin_is_sent_and_stdio_facts_are_absent() -> None:
    origins: list[str | None] = []

    async def serves(request: Request, writer: asyncio.StreamWriter) -> None:
        origins.append(request.header("origin"))
        if request.body[:1] != b"{" or not request.body.endswith(b"}"):
            writer.write(whole(b"{}", status="400 Bad Request"))
        else:
            writer.write(whole(answer(request, {"supportedVersions": ["2026-07-28"]})))

    transcript = over_http(serves, plan("security", "http"))
    assert ids(transcript)[-3:] == ["foreign-origin", "own-origin", "foreign-host"]
    assert origins.count("https://evil.example") == 1
    assert [o for o in origins if o and o.startswith("http://127.0.0.1:")] == [origins[-2]]
    assert "stdout_noise" not in transcript.context


@pytest.mark.parametrize("answers_initialize", [True, False])
def test_a_server_that_does_not_list_the_revision_is_asked_for_the_handshake(
    *, answers_initialize: bool
) -> None:
    async def serves(request: Request, writer: asyncio.StreamWriter) -> None:
        message = request.message
        if message["method"] == "initialize" and answers_initialize:
            writer.write(whole(answer(request, {"protocolVersion": "2025-11-25"})))
        elif "id" in message:
            error = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601}}
            writer.write(whole(json.dumps(error).encode()))
        else:
            writer.write(whole(b"", status="202 Accepted"))

    transcript = over_http(serves, plan("conformance", "http"))
    assert transcript.context["era"] == ("legacy" if answers_initialize else "none")
    assert ids(transcript)[:2] == ["discover", "initialize"]
    # a server of neither era is still asked the rest: what it does wrong is worth knowing
    assert (len(transcript.exchanges) == 2) is answers_initialize


def test_a_legacy_plan_begins_with_the_handshake_on_each_connection() -> None:
    async def serves(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.body.startswith(b"[") or "id" not in request.message:
            writer.write(whole(b"", status="202 Accepted"))
            return
        result = {"protocolVersion": "2025-11-25", "tools": [TOOL]}
        writer.write(whole(answer(request, result)))

    transcript = over_http(serves, plan("conformance", "http", revision="2025-11-25"))
    assert transcript.context["era"] == "legacy"
    assert ordinary(transcript) == [
        "initialize",
        "tools-list",
        "unknown-version",
        "tools-list-again:1",
        "listed:prompts",
        "listed:resources",
        "listed:resource-templates",
        "tools-list-again:2",
        "unknown-method",
        "unknown-tool",
    ]
    version = transcript.of("unknown-version")[0].request["params"]["protocolVersion"]
    assert version == "1999-01-01"


def test_what_is_written_after_the_answer_is_seen_too(tmp_path: Path) -> None:
    endpoint = launched("writes-late", str(tmp_path), watch={"files": tmp_path})
    transcript, _ = seen(plan("security", safe_calls={"peek": [{}]}), endpoint)
    only = transcript.of("safe-call:peek:0")[0]
    assert only.observed["files"]["before"] == {}
    assert list(only.observed["files"]["after"]) == ["late"]


def test_the_list_is_asked_for_again_on_the_connection_it_came_on() -> None:
    transcript, _ = seen(plan("conformance"), launched("lists-more-each-time"))
    of_one = ("tools-list", "tools-list-again:2")
    of_another = ("first-request", "tools-list-again:1")
    for process in (of_one, of_another):
        pages = [transcript.of(probe)[0] for probe in process]
        assert [len(page.result["tools"]) for page in pages] == [1, 2]


def test_a_server_that_dies_of_one_stimulus_is_started_again_for_the_next() -> None:
    wanted = plan("conformance", safe_calls={"peek": [{}]})
    transcript, _ = seen(wanted, launched("dies-of-unknown-tool"))
    assert transcript.of("unknown-tool")[0].failure is Failure.CLOSED
    assert transcript.of("safe-call:peek:0")[0].failure is None


def test_a_server_that_nonsense_makes_deaf_does_not_pass_and_costs_little() -> None:
    transcript, _ = seen(plan("security"), launched("deaf-after-nonsense"), Caps(call_s=0.5))
    alive = [e.failure for e in transcript.exchanges if e.probe.startswith("alive:")]
    assert Failure.TIMEOUT in alive
    assert set(alive) <= {Failure.TIMEOUT, Failure.BUDGET}
    verdicts = {o.check.id: o.verdict for o in judge_transcript(transcript)}
    assert verdicts["mcp.security.survives-malformed-input"] is Verdict.INCONCLUSIVE


def test_a_healthy_process_is_asked_all_it_can_be_since_each_start_costs_most() -> None:
    started = {}
    for stage in ("conformance", "security"):
        transcript, _ = seen(plan(stage), launched("refuses-other-versions"))
        started[stage] = [ending["probe"] for ending in transcript.context["endings"]]
    assert sorted(started["conformance"]) == ["discover", "legacy-handshake", "unknown-version"]
    assert started["security"] == ["discover"]


def test_a_server_that_settles_on_what_it_refuses_is_asked_first_once_more() -> None:
    transcript, _ = seen(plan("conformance"), launched("refuses-other-versions", "and-settles"))
    assert transcript.of("unknown-version")[0].error is not None
    assert len(transcript.of("first-request")) == 1
    assert isinstance(transcript.of("first-request")[0].result, dict)
    assert isinstance(transcript.of("id-echo:zero")[0].result, dict)


@pytest.mark.parametrize(
    ("held", "killed"), [("tools/l\n", "truncated"), ("\udcff", "not-utf8"), ("deaf-[[[", "deep")]
)
def test_bytes_that_end_a_server_are_told_from_those_that_do_not(held: str, killed: str) -> None:
    transcript, _ = seen(plan("security"), launched("leaves-at", held), Caps(call_s=1.0))
    gone = [
        name
        for name in ("truncated", "not-utf8", "deep")
        if transcript.of(f"alive:{name}")[0].failure is not None
    ]
    assert gone == [killed]
    assert all(e.failure is None for e in transcript.exchanges if "malformed-call" in e.probe)


async def _hangs(request: Request, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def _closes(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("application/json", "content-length: 99") + b"{")
    await writer.drain()
    writer.close()


async def _floods(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("text/event-stream"))
    while True:
        writer.write(b"data: {}\n\n" * 1000)
        await writer.drain()


@pytest.mark.parametrize("stage", ["conformance", "security"])
@pytest.mark.parametrize(
    ("behaviour", "failure"),
    [
        (_hangs, Failure.TIMEOUT),
        (_closes, Failure.CLOSED),
        (_floods, Failure.TOO_LARGE),
    ],
)
def test_a_server_nothing_can_be_learned_from_costs_little(
    stage: str, behaviour: Any, failure: Failure
) -> None:
    caps = Caps(call_s=0.5 if failure is Failure.TIMEOUT else 20, answer_bytes=50_000)
    transcript = over_http(behaviour, plan(stage, "http"), caps)
    assert [exchange.failure for exchange in transcript.exchanges] == [failure, failure]
    assert transcript.context["era"] == "none"


def test_an_observation_ends_at_its_deadline_with_everything_left_marked() -> None:
    async def only_discover(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.message["method"] != "server/discover":
            await asyncio.Event().wait()
        writer.write(whole(answer(request, {"supportedVersions": ["2026-07-28"]})))

    transcript = over_http(only_discover, plan("conformance", "http"), Caps(run_s=1.0))
    failures = {exchange.failure for exchange in transcript.exchanges[1:]}
    assert failures <= {Failure.TIMEOUT, Failure.BUDGET}
    assert Failure.BUDGET in failures


def test_a_cancelled_observation_leaves_no_process(tmp_path: Path) -> None:
    async def run() -> set[int]:
        before = _children()
        watching = asyncio.create_task(
            observe(plan("conformance"), launched("mute"), Budget(), lambda kind, body: None)
        )
        await asyncio.to_thread(until, "a process", lambda: _children() - before)
        watching.cancel()
        await asyncio.wait([watching])
        assert watching.cancelled()
        return _children() - before

    assert asyncio.run(run()) == set()


def _children() -> set[int]:
    tasks = Path("/proc/self/task").iterdir()
    return {int(pid) for task in tasks for pid in (task / "children").read_text().split()}


@pytest.mark.parametrize(
    "wrong",
    [
        plan("static"),
        plan("canary"),
        plan("conformance", revision="2024-11-05"),
        plan("conformance", "http"),
    ],
)
def test_a_plan_no_probe_can_make_is_refused(wrong: Plan) -> None:
    with pytest.raises(Invalid) as caught:
        seen(wrong, launched("good"))
    assert caught.value.reason_code == "PLAN_NOT_OBSERVABLE"
