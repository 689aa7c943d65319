"""Hostile servers end: in bounded time and memory, with the right failure, and nothing left."""

import asyncio
import gzip
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.processes import gone
from tests.servers.hostile_http import Behaviour, Request, answer, head, serve, whole

ROOT = Path(__file__).parents[2]
STDIO = str(Path(__file__).with_name("hostile_stdio.py"))
MOST_MIB = 300
BRIEF = {"call_s": 0.3, "run_s": 20}
"""Where a server only wastes time: what is injected is how long it may."""

DISCOVERED = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
}
BOMB = gzip.compress(b"\0" * (64 << 20), compresslevel=1)
MIB = b"x" * (1 << 20)


def asks_for(request: Request, method: str) -> bool:
    return request.body.startswith(b"{") and b'"%s"' % method.encode() in request.body


async def gigabyte(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("application/json", f"content-length: {1 << 30}"))
    for _ in range(1024):
        writer.write(MIB)
        await writer.drain()


async def gzip_bomb(_: Request, writer: asyncio.StreamWriter) -> None:
    more = ("content-encoding: gzip", f"content-length: {len(BOMB)}")
    writer.write(head("application/json", *more) + BOMB)


async def endless_stream(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("text/event-stream"))
    while True:
        writer.write(b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n')
        await asyncio.sleep(0.05)


async def flood_of_events(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("text/event-stream"))
    while True:
        writer.write(b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n' * 5000)
        await writer.drain()


async def slow_drip(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("application/json", "content-length: 100000"))
    while True:
        writer.write(b" ")
        await asyncio.sleep(0.05)


async def deep_nesting(request: Request, writer: asyncio.StreamWriter) -> None:
    nested = b"[" * 200_000 + b"]" * 200_000
    writer.write(whole(b'{"jsonrpc":"2.0","id":1,"result":%s}' % nested))


async def bad_utf8(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(whole(b'{"jsonrpc":"2.0","id":1,"result":{"x":"\xff"}}'))


async def to_metadata(_: Request, writer: asyncio.StreamWriter) -> None:
    location = "location: http://169.254.169.254/latest/meta-data"
    writer.write(head("text/html", location, "content-length: 0", status="307 Temporary Redirect"))


def values(unit: bytes, size: int) -> Behaviour:
    """An answer of so many bytes, all small values: they take much more once they are read."""
    extra = b"[" + b",".join([unit] * (size // (len(unit) + 1))) + b"]"

    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        whole_answer = answer(request, {**DISCOVERED, "tools": []}) if request.body else b"{}"
        writer.write(whole(whole_answer[:-2] + b',"extra":%s}}' % extra))

    return behaviour


async def endless_cursor(request: Request, writer: asyncio.StreamWriter) -> None:
    if asks_for(request, "tools/list"):
        cursor = int(request.message["params"].get("cursor", 0)) + 1
        page = {**DISCOVERED, "tools": [], "nextCursor": str(cursor)}
        writer.write(whole(answer(request, page)))
    else:
        await discovers(request, writer)


async def hangs_once_discovered(request: Request, writer: asyncio.StreamWriter) -> None:
    if not asks_for(request, "server/discover"):
        await asyncio.Event().wait()
    await discovers(request, writer)


async def discovers(request: Request, writer: asyncio.StreamWriter) -> None:
    if asks_for(request, "server/discover") and '"id"' in request.body.decode():
        writer.write(whole(answer(request, DISCOVERED)))
    else:
        refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}}
        writer.write(whole(json.dumps(refusal).encode(), status="400 Bad Request"))


async def run(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a worker made of it; it ended by itself, small, and left nobody."""
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-B", "-m", "tests.servers.hostile_run"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    out, _ = await worker.communicate(json.dumps(asked).encode())
    assert worker.returncode == 0
    told: dict[str, Any] = json.loads(out)
    assert told["left"] == []
    assert told["worker_mib"] < MOST_MIB
    assert told["judge_mib"] < MOST_MIB
    return told


async def over_http(
    behaviour: Behaviour,
    caps: Mapping[str, float],
    *,
    stage: str = "conformance",
    host: str = "127.0.0.1",
    **more: Any,
) -> dict[str, Any]:
    async with serve(behaviour) as hostile:
        url = f"http://{host}:{hostile.port}/mcp"
        return await run({"url": url, "stages": [stage], "caps": caps, **more})


@pytest.mark.parametrize(
    ("behaviour", "caps", "failures"),
    [
        (gigabyte, {}, {"too-large"}),
        (values(b'"ab"', 9 << 20), {}, {"too-large"}),
        (values(b'{"a":1}', 9 << 20), {}, {"too-large"}),
        (flood_of_events, {"answer_bytes": 1 << 20}, {"too-large"}),
        (endless_stream, BRIEF, {"timeout"}),
        (slow_drip, BRIEF, {"timeout"}),
        (gzip_bomb, {}, {"none"}),
        (deep_nesting, {}, {"none"}),
        (bad_utf8, {}, {"none"}),
        (to_metadata, {}, {"none"}),
    ],
    ids=[
        *("gigabyte", "small-texts", "small-objects", "flood-of-events", "endless-stream"),
        *("slow-drip", "gzip-bomb", "deep-nesting", "bad-utf8", "redirect-to-metadata"),
    ],
)
def test_a_server_that_never_answers_properly_passes_nothing(
    behaviour: Behaviour, caps: Mapping[str, float], failures: set[str]
) -> None:
    told = asyncio.run(over_http(behaviour, caps))
    assert set(told["failures"]) == failures
    assert "PASS" not in told["verdicts"]
    assert told["verdicts"].keys() & {"FAIL", "INCONCLUSIVE"}


def test_as_many_values_as_an_observation_may_hold_are_held_in_bounds() -> None:
    told = asyncio.run(over_http(values(b'"ab"', 3 << 20), {}, stage="security"))
    assert told["failures"]["none"] > 0
    assert told["failures"]["too-large"] > 0


def test_a_cursor_without_an_end_is_a_fault_of_its_own() -> None:
    told = asyncio.run(over_http(endless_cursor, {}))
    assert "mcp.tools.pages-end" in told["verdicts"]["FAIL"]
    assert "TOOLS_LIST_NEVER_ENDS" in told["reason_codes"]


def test_a_server_that_hangs_after_its_discovery_is_not_asked_for_ever() -> None:
    told = asyncio.run(over_http(hangs_once_discovered, {"call_s": 0.3, "run_s": 4}))
    assert "timeout" in told["failures"]
    assert told["failures"].keys() <= {"none", "timeout", "budget"}
    assert told["verdicts"]["INCONCLUSIVE"]


def test_a_name_that_turns_to_the_metadata_address_is_refused_from_then_on() -> None:
    addresses = ["127.0.0.1", "169.254.169.254"]
    told = asyncio.run(over_http(discovers, {}, host="turns.example", addresses=addresses))
    assert told["failures"]["none"] > 0
    assert told["failures"]["refused-egress"] > 0
    assert set(told["failures"]) == {"none", "refused-egress"}


def over_stdio(caps: Mapping[str, float], *behaviour: str) -> dict[str, Any]:
    argv = [sys.executable, "-I", "-S", STDIO, *behaviour]
    return asyncio.run(run({"argv": argv, "stages": ["conformance"], "caps": caps}))


@pytest.mark.parametrize(
    ("behaviour", "caps", "failures"),
    [
        ("never-a-newline", {}, {"too-large"}),
        ("never-silent", {"total_bytes": 8 << 20}, {"too-large", "budget"}),
        ("mute", BRIEF, {"timeout"}),
        ("dies-mid-line", {}, {"closed"}),
    ],
)
def test_a_process_that_never_answers_passes_nothing(
    behaviour: str, caps: Mapping[str, float], failures: set[str]
) -> None:
    told = over_stdio(caps, behaviour)
    assert set(told["failures"]) == failures
    assert "PASS" not in told["verdicts"]


def test_a_process_that_ignores_its_end_is_gone_with_all_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    over_stdio(BRIEF, "stays-on-eof", str(pids))
    started = [int(pid) for pid in pids.read_text().split()]  # of the last process it was
    assert [pid for pid in started if not gone(pid)] == []
    assert still_running(tmp_path) == []


def test_a_process_that_forks_without_end_meets_its_limit(tmp_path: Path) -> None:
    # without the limit it would stop at 400 and be mute: that is a timeout, and this test fails
    forks = f"i=0; while [ $i -lt 400 ]; do sleep 600 & i=$((i+1)); done; cat; : {tmp_path}"
    nobody = 65534 if os.geteuid() == 0 else None  # root's own processes are never limited
    asked = {"argv": ["/bin/sh", "-c", forks], "uid": nobody, "limits": {"processes": 50}}
    told = asyncio.run(run({**asked, "stages": ["conformance"], "caps": {}}))
    assert told["failures"].keys() <= {"closed", "unreachable"}
    assert still_running(tmp_path) == []


def still_running(folder: Path) -> list[str]:
    """Command lines of processes that name a folder."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
        except OSError:  # it ended meanwhile
            continue
        if str(folder).encode() in line:
            lines.append(line.decode())
    return lines
