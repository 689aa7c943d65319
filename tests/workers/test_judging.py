"""What a server makes unbearable to think about ends the thinking, not the worker."""

import asyncio
import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bundles.errors import Invalid
from bundles.live import judge_transcript
from bundles.mcp import examples as ex
from bundles.mcp.arguments import valid_arguments
from bundles.mcp.derived import derived_arguments
from bundles.transcript import Transcript
from bundles.verdict import Verdict
from workers import judging_process as it
from workers.judging import Judge, JudgingFault

CALL = "safe-call:get_forecast:0"
PLAIN = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
# forty references, each used twice: 2^40 steps
ENDLESS = {
    "type": "object",
    "$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    | {"d40": {"type": "object"}},
    "allOf": [{"$ref": "#/$defs/d0"}],
}


def promising(schema: dict[str, Any]) -> Transcript:
    healthy = ex.healthy(stage="conformance")
    return ex.relisting(healthy, lambda tools: tools[0].update(outputSchema=schema))


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


@pytest.mark.parametrize("stage", ["conformance", "security"])
def test_judging_apart_concludes_what_judging_here_does(stage: str) -> None:
    transcript = ex.changed(ex.healthy(stage=stage), "unknown-tool", message={"result": {}})

    async def judge() -> list[Any]:
        async with Judge() as apart:
            return await apart.outcomes(transcript)

    assert asyncio.run(judge()) == judge_transcript(transcript)


def test_a_schema_that_takes_for_ever_makes_its_check_inconclusive_and_leaves_no_process() -> None:
    before = children()

    async def judge() -> list[Any]:
        async with Judge(seconds=6) as apart:
            return await apart.outcomes(promising(ENDLESS))

    by_id = {outcome.check.id: outcome for outcome in asyncio.run(judge())}
    stuck = by_id["mcp.calls.structured-content-valid"]
    assert stuck.verdict is Verdict.INCONCLUSIVE
    assert stuck.why == "not judged: it took more than 6 s"
    assert by_id["mcp.calls.result-schema-valid"].verdict is Verdict.PASS
    assert by_id["mcp.tools.set-stable"].verdict is Verdict.INCONCLUSIVE
    assert by_id["mcp.tools.set-stable"].why == "not judged: the check before it did not end"
    assert children() == before


def test_the_kernel_ends_a_judge_that_no_clock_ends() -> None:
    program = (
        "import sys; from workers import judging_process as it; "
        "it.CPU_S = 1; sys.argv = ['', str(__import__('os').getppid())]; it.main()"
    )
    question = pickle.dumps(("valid", (ENDLESS,)))
    ended = subprocess.run(
        [sys.executable, "-c", program],
        input=len(question).to_bytes(4, "big") + question,
        capture_output=True,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    assert ended.stdout == b""


def test_a_judge_without_memory_ends_as_one_without_time_and_blames_nobody() -> None:
    program = (
        "import sys; from workers import judging_process as it; "
        "it._ANSWERS = {'valid': lambda size: [bytearray(size)]}; "
        "sys.argv = ['', str(__import__('os').getppid())]; sys.exit(it.main())"
    )
    question = pickle.dumps(("valid", (it.MEMORY + 1,)))
    ended = subprocess.run(
        [sys.executable, "-c", program],
        input=len(question).to_bytes(4, "big") + question,
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, b"")


def test_a_judge_whose_answers_nobody_reads_can_be_left() -> None:
    before = children()
    wide = {"properties": {"a": {"const": "x" * (1 << 20)}}, "required": ["a"], "type": "object"}

    async def leave() -> None:
        async with asyncio.timeout(120), Judge() as judge:
            process = await judge._started()
            assert process.stdin is not None
            assert process.stdout is not None
            question = pickle.dumps(("valid", (wide,)))
            process.stdin.write(len(question).to_bytes(4, "big") + question)
            pipe = process.stdout
            while not pipe._paused:  # type: ignore[attr-defined] # noqa: ASYNC110 - no event tells
                await asyncio.sleep(0.01)

    asyncio.run(leave())
    assert children() == before


def test_arguments_are_derived_apart_and_one_that_never_ends_is_the_last_asked_for() -> None:
    async def derive() -> list[Any]:
        async with Judge(seconds=6) as apart:
            return [
                await apart.valid_arguments(PLAIN),
                await apart.derived_arguments(PLAIN, {"n": 1}),
                await apart.valid_arguments(ENDLESS),
                await apart.valid_arguments(PLAIN),
            ]

    right, around = valid_arguments(PLAIN), derived_arguments(PLAIN, {"n": 1})
    assert around.refused
    assert asyncio.run(derive()) == [right, around, None, None]


def test_a_fault_of_ours_is_told_by_its_kind_alone() -> None:
    broken = replace(ex.healthy(), exchanges=(None,))  # type: ignore[arg-type] - a fault, on purpose

    async def judge() -> None:
        async with Judge() as apart:
            await apart.outcomes(broken)

    with pytest.raises(JudgingFault, match=r"^AttributeError$"):
        asyncio.run(judge())


def test_a_check_nobody_has_is_refused_before_anything_is_started() -> None:
    before = children()

    async def judge() -> None:
        async with Judge() as apart:
            await apart.outcomes(ex.healthy(), ["mcp.no.such"])

    with pytest.raises(Invalid, match="CHECK_UNKNOWN"):
        asyncio.run(judge())
    assert children() == before
