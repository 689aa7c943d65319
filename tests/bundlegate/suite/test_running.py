"""Running suites from Python on a real server."""

import asyncio
import json
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from bundlegate.suite import (
    CaseStatus,
    Server,
    Verdict,
    call_tool,
    case,
    is_error,
    load_suite,
    run_suite,
    run_suite_async,
    suite,
    v2,
)
from bundlegate.suite.reporting import as_text
from bundles.errors import Invalid, Refused, Unreachable
from tests.bundlegate.pytest_suites.project import ROOT

COMMAND = [sys.executable, "-m", "tests.servers.reference"]
REFERENCE = Server(command=COMMAND, env={"PYTHONPATH": str(ROOT)})
OSLO = suite("s", case("oslo", call_tool("get_forecast", city="Oslo"), is_error(expected=False)))


def test_a_document_a_file_and_a_loaded_suite_run_alike(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(OSLO))
    for each in (OSLO, path, load_suite(OSLO)):
        report = run_suite(each, server=REFERENCE)
        assert (report.verdict, report.summary["passed"]) == (Verdict.PASS, 1)


def test_a_failed_case_raises_nothing_and_is_told_in_the_words_of_the_command() -> None:
    refused = case("x", call_tool("missing"), is_error(expected=False))
    report = run_suite(suite("s", refused, *OSLO["cases"]), server=REFERENCE)
    assert report.verdict is Verdict.FAIL
    assert [c.status for c in report.cases] == [CaseStatus.OPERATION_FAILED, CaseStatus.PASSED]
    assert "⊘ x" in as_text(report)


def test_inside_an_event_loop_the_other_one_is_named() -> None:
    async def inside() -> None:
        with pytest.raises(RuntimeError, match="await run_suite_async"):
            run_suite(OSLO, server=REFERENCE)
        assert (await run_suite_async(OSLO, server=REFERENCE)).verdict is Verdict.PASS

    asyncio.run(inside())


def test_tags_choose_and_what_they_leave_out_is_said() -> None:
    ask = v2.call_tool("get_forecast", city="Oslo")
    made = v2.suite(
        "s",
        v2.case("a", ask, v2.is_error(expected=False), tags=["x"]),
        v2.case("b", ask, v2.is_error()),
    )
    report = run_suite(made, server=REFERENCE, tags=["x"])
    assert [c.id for c in report.cases] == ["a"]
    assert [left.id for left in report.left_out] == ["b"]
    with pytest.raises(Invalid, match="SUITE_NOTHING_CHOSEN"):
        run_suite(made, server=REFERENCE, tags=["nobody"])


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(Unreachable, match="MCP_CONNECTION_FAILED"):
        run_suite(OSLO, url="http://127.0.0.1:9/mcp")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="SUITE_READ_FAILED"):
        run_suite(tmp_path / "none.json", server=REFERENCE)


@pytest.mark.parametrize(
    "named",
    [
        {},
        {"url": "http://127.0.0.1:9/mcp", "command": COMMAND},
        {"url": "http://127.0.0.1:9/mcp", "server": REFERENCE},
    ],
)
def test_one_server_has_to_be_named(named: dict[str, object]) -> None:
    with pytest.raises(Invalid, match="SERVER_NOT_NAMED"):
        run_suite(OSLO, **named)


@pytest.mark.parametrize(
    ("given", "ignored"),
    [
        ({"url": "http://a.example/", "env": {"A": "b"}}, ["env"]),
        ({"command": ["a"], "headers": {"A": "b"}, "allow": ["c"]}, ["headers", "allow"]),
    ],
)
def test_what_would_be_ignored_is_refused(given: dict[str, object], ignored: list[str]) -> None:
    with pytest.raises(Invalid) as refused:
        Server(**given)
    assert refused.value.seen == ignored


@pytest.mark.parametrize("concurrency", [0, -1, 101, True, 2.5])
def test_a_concurrency_nobody_can_keep_to_is_refused(concurrency: Any) -> None:
    with pytest.raises(Invalid, match="SUITE_ARGUMENT_MISTAKEN") as refused:
        run_suite(OSLO, server=REFERENCE, concurrency=concurrency)
    assert refused.value.expected == "a whole number from 1 to 100"


@pytest.mark.parametrize("argument", ["tags", "skip_tags", "command"])
def test_one_string_where_several_are_taken_is_refused_not_read_by_letters(argument: str) -> None:
    with pytest.raises(Invalid, match=f"SUITE_ARGUMENT_MISTAKEN: {argument} takes several"):
        run_suite(OSLO, **{"url": "http://127.0.0.1:9/mcp"} | {argument: "smoke"})


def test_the_path_of_a_suite_may_be_a_string(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(OSLO))
    assert run_suite(str(path), server=REFERENCE).verdict is Verdict.PASS


def test_a_mapping_that_is_no_dict_runs_as_the_document_it_is() -> None:
    assert run_suite(MappingProxyType(OSLO), server=REFERENCE).verdict is Verdict.PASS
