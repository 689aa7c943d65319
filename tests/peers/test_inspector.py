"""The Inspector's command and `bundlegate smoke`: one failure class for one failure."""

import json
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from bundlegate.cli import cli
from bundles.mcp.portability import PortabilityRule, unportable
from bundles.verdict import Verdict
from tests.peers.inspector import inspect

MODERN = ("--protocol-era", "modern")
LISTING = (sys.executable, "-I", "-S", str(Path(__file__).with_name("listing.py")))
LISTED = ("--method", "tools/list", "--strict")
ODD = {
    "boolean": {"type": "object", "properties": {"a": True}},
    "boolean-is-common": {"type": "object", "additionalProperties": False},
    "union": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
    "remote": {"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}},
    "untyped": {"type": "object", "properties": {"a": {"description": "anything"}}},
    "deep": {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"anyOf": [{"type": "string"}, {}]}}},
    },
    "plain": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
}


def smoked(*arguments: str) -> str:
    answer = CliRunner().invoke(cli, ["smoke", "--format", "json", *arguments])
    return str(json.loads(answer.stdout)["kind"])


def test_a_server_that_works_is_ok_for_both(everything: str, tmp_path: Path) -> None:
    inspected = inspect(tmp_path, everything, *LISTED)
    assert (inspected.kind, smoked("--url", everything)) == ("ok", "ok")
    assert inspected.linted == set()
    assert inspected.imported().verdict is Verdict.PASS


def test_a_tool_that_is_not_there_is_not_found_by_both(
    stock: Mapping[str, str], tmp_path: Path
) -> None:
    call = ("--method", "tools/call", "--tool-name", "nope")
    inspected = inspect(tmp_path, stock["plain"], *MODERN, *call)
    ours = smoked("--url", stock["plain"], "--tool", "nope")
    assert (inspected.kind, ours) == ("tool_not_found", "tool_not_found")
    assert inspected.imported().verdict is Verdict.FAIL


def test_a_call_that_ends_in_an_error_is_one_for_both(everything: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"a": 1}')
    call = ("--method", "tools/call", "--tool-name", "get-sum", "--tool-args-json", '{"a": 1}')
    inspected = inspect(tmp_path, everything, *call)
    ours = smoked("--url", everything, "--safe-call", f"get-sum={wrong}")
    assert (inspected.kind, ours) == ("tool_is_error", "tool_is_error")
    assert inspected.imported().verdict is Verdict.FAIL


def test_a_server_that_wants_a_token_wants_it_of_both(
    stock: Mapping[str, str], tmp_path: Path
) -> None:
    listed = (*MODERN, *LISTED, "--stored-auth-only")
    inspected = inspect(tmp_path, stock["protected"], *listed)
    ours = smoked("--url", stock["protected"])
    assert (inspected.kind, ours) == ("auth_required", "auth_required")
    assert inspected.imported().verdict is Verdict.INCONCLUSIVE


def test_a_port_where_nobody_listens_is_unreachable_for_both(tmp_path: Path) -> None:
    # bound and not listening: nobody else can take the port meanwhile
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/mcp"
        inspected = inspect(tmp_path, url, *MODERN, *LISTED)
        ours = smoked("--url", url)
    assert (inspected.kind, ours) == ("unreachable", "unreachable")
    assert inspected.imported().verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("names", "kind"), [(list(ODD), "schema_unportable"), (["union", "plain", "untyped"], "ok")]
)
def test_both_lint_schemas_by_the_same_four_rules(
    tmp_path: Path, names: list[str], kind: str
) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"name": n, "inputSchema": ODD[n]} for n in names]))
    server = (*LISTING, str(tools))
    inspected = inspect(tmp_path, *server, *MODERN, *LISTED)
    assert (inspected.kind, smoked("--", *server)) == (kind, kind)
    ours = {(name, found.rule.value) for name in names for found in unportable(ODD[name])}
    assert inspected.linted == ours
    if kind != "ok":
        assert {rule for _, rule in ours} == {rule.value for rule in PortabilityRule}
