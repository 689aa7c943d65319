"""`--mrtr-tool`: tools that ask for input, declared by a capability, a file or a profile."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from bundlegate.cli.mrtr_tools import mrtr_tools
from bundlegate.cli.profile_file import read_profile
from bundles.errors import BundlegateError

SERVER = (sys.executable, "-B", "-m", "tests.servers.reference")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)])


def test_a_declared_tool_is_called_and_its_fault_is_found(tmp_path: Path) -> None:
    file = tmp_path / "visit.json"
    file.write_text('{"arguments": {"day": "monday"}}')
    options = ("--mrtr-tool", f"book_visit={file}", "--mrtr-tool", "cancel_visit=elicitation")
    made = run(
        *("conformance", "--revision", "2026-07-28", *options, "--format", "json", "--"),
        *(*SERVER, "--fault", "state-unsigned"),
    )
    assert made.exit_code == 1, made.output
    checks = {check["id"]: check for check in json.loads(made.stdout)["checks"]}
    assert checks["mcp.mrtr.state-protected"]["reason_code"] == "REQUEST_STATE_UNPROTECTED"
    assert {id_ for id_, check in checks.items() if check["verdict"] == "FAIL"} == {
        "mcp.mrtr.state-protected"
    }


def test_a_profile_declares_tools_as_options_do(tmp_path: Path) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text("mrtr_tools: {ask: roots, tell: {answers: {who: {action: decline}}}}")
    assert read_profile(profile).mrtr_tools == {
        "ask": "roots",
        "tell": {"answers": {"who": {"action": "decline"}}},
    }
    file = tmp_path / "tell.json"
    file.write_text('{"answers": {"who": {"action": "decline"}}}')
    assert mrtr_tools(["ask=roots", f"tell={file}"]) == dict(read_profile(profile).mrtr_tools)


@pytest.mark.parametrize(
    ("content", "pointer"),
    [
        ("mrtr_tools: {ask: everything}", "/mrtr_tools/ask"),
        ("mrtr_tools: {ask: {capability: roots}}", "/mrtr_tools/ask"),
    ],
)
def test_what_no_profile_declares_is_refused(tmp_path: Path, content: str, pointer: str) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text(content)
    with pytest.raises(BundlegateError) as refused:
        read_profile(profile)
    assert (refused.value.reason_code, refused.value.pointer) == ("PROFILE_FILE_INVALID", pointer)


@pytest.mark.parametrize(
    ("options", "content", "code", "pointer"),
    [
        (["ask"], "", "MRTR_TOOL_INVALID", ""),
        (["=roots"], "", "MRTR_TOOL_INVALID", ""),
        (["ask=roots", "ask=sampling"], "", "MRTR_TOOL_INVALID", ""),
        (["ask=/no/file"], "", "MRTR_TOOL_INVALID", ""),
        (["ask=FILE"], "[]", "MRTR_TOOL_INVALID", ""),
        (["ask=FILE"], '{"day": "monday"}', "MRTR_TOOL_INVALID", ""),
        (["ask=FILE"], '{"arguments": 1}', "MRTR_TOOL_INVALID", "/arguments"),
        (["ask=FILE"], "{", "JSON_SYNTAX", ""),
    ],
)
def test_an_option_that_declares_nothing_is_refused(
    tmp_path: Path, options: list[str], content: str, code: str, pointer: str
) -> None:
    file = tmp_path / "ask.json"
    file.write_text(content)
    with pytest.raises(BundlegateError) as refused:
        mrtr_tools([option.replace("FILE", str(file)) for option in options])
    assert (refused.value.reason_code, refused.value.pointer) == (code, pointer)
    assert refused.value.next_steps
