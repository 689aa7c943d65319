"""What a worker does to one server, in a process of its own that says what it cost.

`python -m tests.servers.hostile_run` reads {"url" or "argv", "stages", "caps", "uid"?, "limits"?,
"addresses"?} from stdin; `addresses` are what the resolver says, one lookup after the other, the
last one for ever. It prints {"failures", "verdicts", "reason_codes", "worker_mib", "judge_mib",
"left"}.
"""

import asyncio
import json
import sys
from collections import Counter
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from bundles.live import live_checks
from bundles.plan import Plan
from workers import egress, spawn
from workers.budget import Budget, Caps
from workers.egress import EgressRules
from workers.endpoints import Endpoint, HttpEndpoint, ProcessLimits, StdioEndpoint
from workers.judging import Judge
from workers.probes.observe import observe

ABOUT_BUNDLES = ("mcp.snapshot.", "mcp.suite.")


def endpoint_of(asked: dict[str, Any]) -> Endpoint:
    if "url" in asked:
        return HttpEndpoint(asked["url"], EgressRules(("127.0.0.1",)))
    uid = asked.get("uid")
    limits = ProcessLimits(**asked.get("limits", {}))
    return StdioEndpoint(tuple(asked["argv"]), limits=limits, uid=uid, gid=uid)


async def verify(asked: dict[str, Any]) -> dict[str, Any]:
    """The stages as a worker does them: one is judged and gone before the next begins."""
    told: dict[str, Any] = {"failures": Counter(), "verdicts": {}, "reason_codes": set()}
    endpoint, stages = endpoint_of(asked), asked["stages"]
    judging = [await _stage(endpoint, stage, asked["caps"], told) for stage in stages]
    codes = sorted(told["reason_codes"])
    peaks = {"worker_mib": peak_mib("self"), "judge_mib": max(judging)}
    return {**told, "reason_codes": codes, **peaks}


async def _stage(
    endpoint: Endpoint, stage: str, caps: dict[str, Any], told: dict[str, Any]
) -> float:
    plan = Plan(
        stage=stage,
        profile="default",
        revision="2026-07-28",
        transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
        check_ids=tuple(
            check.id for check in live_checks(stage) if not check.id.startswith(ABOUT_BUNDLES)
        ),
    )
    transcript = await observe(plan, endpoint, Budget(Caps(**caps)), lambda *_: None)
    told["failures"].update(str(exchange.failure or "none") for exchange in transcript.exchanges)
    async with Judge() as judge:
        for outcome in await judge.outcomes(transcript, plan.check_ids):
            told["verdicts"].setdefault(outcome.verdict.value, []).append(outcome.check.id)
            told["reason_codes"] |= {finding.reason_code for finding in outcome.findings}
        return 0.0 if judge._process is None else peak_mib(judge._process.pid)


def peak_mib(process: int | str) -> float:
    """The most memory a process held so far."""
    told = Path("/proc", str(process), "status").read_text()
    return int(told.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    # a polite end is not what is looked at here
    spawn._EOF_GRACE_S, spawn._TERM_GRACE_S = 0.3, 0.2
    asked = json.load(sys.stdin)
    if addresses := asked.get("addresses"):
        answers = chain(addresses, repeat(addresses[-1]))
        egress._getaddrinfo = lambda host, port: [next(answers)]
    told = asyncio.run(verify(asked))
    children = Path("/proc/self/task").glob("*/children")
    told["left"] = [pid for each in children for pid in each.read_text().split()]
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
