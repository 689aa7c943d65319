"""`bundlegate bundle init --from-server`: a whole, lint-clean bundle, and nothing called."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from bundlegate.folder import read_bundle
from bundlegate.from_server import draw_bundle
from bundles.contract import Contract
from bundles.static import findings_of, judge_bundle

SERVER = (sys.executable, str(Path(__file__).parents[1] / "recording.py"))


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the server writes down what is called."""
    path = tmp_path / "called"
    path.touch()
    monkeypatch.setenv("CALLED", str(path))
    return path


def init(folder: Path, *arguments: str) -> Result:
    names = ("--contract-id", "shop", "--producer", "shop-server")
    return CliRunner().invoke(cli, ["bundle", "init", str(folder), *names, *arguments])


def from_server(folder: Path, *arguments: str) -> Result:
    return init(folder, "--from-server", *arguments, "--env", "CALLED", "--", *SERVER)


def test_the_bundle_is_whole_and_nothing_was_called(calls: Path, tmp_path: Path) -> None:
    made = from_server(tmp_path / "b")
    assert made.exit_code == 0, made.output
    files = read_bundle(tmp_path / "b")
    assert sorted(files) == [
        "bundle.yaml",
        "mcp-tools.snapshot.json",
        "profiles.yaml",
        "suites/read.json",
        "suites/surface.json",
    ]
    contract = Contract.read(files)
    assert list(findings_of(judge_bundle(contract))) == []
    assert contract.manifest.protocol["mcp"] == "2026-07-28"
    assert [safe.tool for safe in contract.manifest.safe_tools] == ["read"]
    assert contract.profiles == {"default": {"revision": "2026-07-28", "transport": "stdio"}}
    assert contract.tool_names == {"read", "erase", "careless", "odd"}
    assert "name those that may be with --safe: erase, careless, odd" in made.stderr
    assert calls.read_text() == ""


def test_tools_named_safe_get_a_suite_of_their_own(calls: Path, tmp_path: Path) -> None:
    made = from_server(tmp_path / "b", "--safe", "erase", "--safe", "odd", "--format", "json")
    assert made.exit_code == 0, made.output
    document = json.loads(made.stdout)
    assert document["verdict"] == "PASS"
    assert document["safe_tools"] == ["read", "erase", "odd"]
    assert document["uncalled"] == ["careless"]
    [skipped] = document["skipped"]
    assert (skipped["tool"], skipped["path"]) == ("odd", "tools[3].inputSchema.allOf")
    suite = json.loads((tmp_path / "b/suites/erase.json").read_text())
    assert {case["operation"]["tool"] for case in suite["cases"]} == {"erase"}
    assert calls.read_text() == ""


def test_fixtures_are_what_suites_and_verification_call_with(calls: Path, tmp_path: Path) -> None:
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text('{"schemaVersion": 1, "tools": {"read": {"name": "Ada: \\u2028 #1"}}}')
    made = from_server(tmp_path / "b", "--fixtures", str(fixtures), "--safe", "erase")
    assert made.exit_code == 0, made.output
    contract = Contract.read(read_bundle(tmp_path / "b"))
    named = {"name": "Ada: \u2028 #1"}
    assert [(s.tool, s.arguments) for s in contract.manifest.safe_tools] == [
        ("read", named),
        ("erase", None),
    ]
    assert contract.suites["suites/read.json"]["cases"][0]["operation"]["input"] == named


@pytest.mark.parametrize(
    ("tools", "code"),
    [({"raed": {}}, "TOOL_NOT_LISTED"), ({"read": {"name": 1}}, "INVALID_FIXTURE_VALUE")],
)
def test_fixtures_that_fit_no_tool_are_refused(
    calls: Path, tmp_path: Path, tools: object, code: str
) -> None:
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"schemaVersion": 1, "tools": tools}))
    made = from_server(tmp_path / "b", "--fixtures", str(fixtures))
    assert (made.exit_code, code in made.stderr) == (2, True)
    assert not (tmp_path / "b").exists()


def test_the_same_server_gives_the_same_bytes(calls: Path, tmp_path: Path) -> None:
    digests = []
    for name in ("one", "two"):
        made = from_server(tmp_path / name, "--format", "json")
        digests.append(json.loads(made.stdout)["digest"])
    assert digests[0] == digests[1]


def test_what_the_server_says_wrong_of_itself_is_said_and_exits_1(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = {"name": "odd", "inputSchema": {"type": "object", "allOf": []}}
    monkeypatch.setenv("TOOLS", json.dumps([broken]))
    made = from_server(tmp_path / "b", "--env", "TOOLS")
    assert made.exit_code == 1
    assert "SCHEMA_INVALID: " in made.stderr
    assert (tmp_path / "b/bundle.yaml").exists()


def test_a_server_without_tools_gives_a_bundle_without_suites(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLS", "[]")
    made = from_server(tmp_path / "b", "--env", "TOOLS")
    assert made.exit_code == 0, made.output
    assert Contract.read(read_bundle(tmp_path / "b")).suites == {}


def test_a_server_means_nothing_without_the_option(tmp_path: Path) -> None:
    for arguments in (("--", *SERVER), ("--url", "http://127.0.0.1:1/"), ("--safe", "read")):
        made = init(tmp_path / "b", *arguments)
        assert (made.exit_code, "TARGET_NOT_NAMED" in made.stderr) == (2, True)
    assert not (tmp_path / "b").exists()


def test_a_tool_named_safe_has_to_be_there(calls: Path, tmp_path: Path) -> None:
    made = from_server(tmp_path / "b", "--safe", "raed")
    assert (made.exit_code, "TOOL_NOT_LISTED" in made.stderr) == (2, True)
    assert not (tmp_path / "b").exists()


def drawn(*tools: dict[str, Any]) -> dict[str, bytes]:
    return draw_bundle(
        tools, revision="2025-11-25", transport="http", contract_id="c", producer="p", safe=()
    ).files


@pytest.mark.parametrize("name", ["a: b", '"', "# no", "\x7f\x85\u2028", "é😀", "[x", "surface"])
def test_any_name_of_a_tool_stands_in_the_manifest_as_it_is(name: str) -> None:
    tool = {
        "name": name,
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
    }
    files = drawn(tool, {**tool, "name": "other"})
    manifest = yaml.safe_load(files["bundle.yaml"])["contract_bundle"]
    assert manifest["safe_tools"] == [name, "other"]
    assert len([path for path in files if path.startswith("suites/")]) == 3


def test_a_schema_that_contradicts_itself_has_no_suite_and_the_bundle_is_written() -> None:
    number = {"type": "integer", "minimum": 2, "maximum": 1}
    broken = {
        "name": "broken",
        "inputSchema": {"type": "object", "properties": {"n": number}},
        "annotations": {"readOnlyHint": True},
    }
    assert "suites/broken.json" not in drawn(broken)


def test_formats_bring_no_secret_and_no_personal_data_into_a_bundle() -> None:
    formats = ["uri", "email", "uuid", "ipv4", "ipv6", "date-time", "hostname"]
    properties = {f: {"type": "string", "format": f} for f in formats}
    properties |= {n: {"type": "string", "minLength": 40} for n in ("token", "password", "api_key")}
    tool = {
        "name": "sign_in",
        "description": "Signs in.",
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
        },
        "annotations": {"readOnlyHint": True},
    }
    contract = Contract.read(drawn(tool))
    assert list(findings_of(judge_bundle(contract))) == []
    assert [path for path in contract.files if path == "suites/sign-in.json"]


def test_a_safe_tool_that_verification_could_not_call_gets_the_arguments_of_its_suite() -> None:
    digits = {"type": "string", "pattern": "^[0-9]{13}$"}
    book = _tool("book", {"properties": {"isbn": digits}, "required": ["isbn"]})
    drawn = _drawn(book, _tool("plain", {"properties": {"a": {"type": "string"}}}))
    manifest = Contract.read(drawn.files).manifest
    assert [(safe.tool, safe.arguments) for safe in manifest.safe_tools] == [
        ("book", {"isbn": "0000000000000"}),
        ("plain", None),
    ]
    assert drawn.without_arguments == ()


def test_a_safe_tool_that_nobody_can_call_is_named(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = {"type": "string", "not": {"const": "example"}}
    tools = [_tool("never", {"properties": {"a": never}, "required": ["a"]})]
    monkeypatch.setenv("TOOLS", json.dumps(tools))
    made = from_server(tmp_path / "b", "--env", "TOOLS", "--safe", "never")
    assert "write some into safe_tools: never" in made.stderr


def test_what_the_suites_leave_out_is_said_with_its_tool(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    either = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    dated = {"type": "object", "properties": {"z": {"type": "string", "format": "date"}}}
    tools = [_tool("plain", {}), _tool("t", {"properties": {"a": either}}, dated)]
    monkeypatch.setenv("TOOLS", json.dumps(tools))
    names = ("--env", "TOOLS", "--safe", "t")
    made = from_server(tmp_path / "b", *names)
    assert "output not checked of t: tools[1].outputSchema.properties.z.format" in made.stderr
    assert "not tried of t: a" in made.stderr
    written = json.loads(from_server(tmp_path / "c", *names, "--format", "json").stdout)
    assert [left["index"] for left in written["uncoveredOutputs"]] == [1]
    assert {left["tool"] for left in written["uncoveredFields"]} == {"t"}


def test_what_needs_a_server_says_to_name_one(tmp_path: Path) -> None:
    made = init(tmp_path / "b", "--", "python", "server.py")
    assert (made.exit_code, "add --from-server" in made.stderr) == (2, True)


def _tool(name: str, schema: dict[str, Any], output: dict[str, Any] | None = None) -> Any:
    made = {"name": name, "inputSchema": {"type": "object"} | schema}
    return made | ({"outputSchema": output} if output else {})


def _drawn(*tools: Any) -> Any:
    return draw_bundle(
        tools,
        revision="2026-07-28",
        transport="stdio",
        contract_id="shop",
        producer="shop-server",
        safe=[str(tool["name"]) for tool in tools],
    )
