"""`conformance` on a protected server and on several instances, by profile and by option."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from tests.servers.twins import deployed, deployment_server

PROFILE = """
name: ada
revision: "2026-07-28"
authorization:
  headers: {authorization: env:ADA}
  negative:
    expired: env:EXPIRED
    other_issuer: env:NOT_SET
    narrow_scope: {token: env:NARROW, tool: save_alert}
  other_principal: {headers: {authorization: env:BOB}, denied: [save_alert]}
safe_calls:
  get_forecast: [{city: Oslo}]
  save_alert: [{id: storm}]
"""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with deployment_server() as number:
        yield number


@pytest.fixture
def profile(tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    endpoint = deployed(port)
    monkeypatch.setenv("ADA", endpoint.headers["authorization"])
    monkeypatch.setenv("EXPIRED", endpoint.others.tokens["expired"].removeprefix("Bearer "))
    monkeypatch.setenv("NARROW", endpoint.others.tokens["narrow_scope"])
    monkeypatch.setenv("BOB", endpoint.others.principal["authorization"])
    monkeypatch.delenv("NOT_SET", raising=False)
    file = tmp_path / "profile.yaml"
    file.write_text(PROFILE)
    return file


def conformance(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["conformance", "--format", "json", *map(str, arguments)])


def checks_of(made: Result) -> dict[str, dict[str, str]]:
    return {check["id"]: check for check in json.loads(made.stdout)["checks"]}


def test_the_credentials_of_a_profile_are_used_and_what_is_not_there_is_unknown(
    port: int, profile: Path
) -> None:
    made = conformance("--url", deployed(port).url, "--profile", profile)
    assert made.exit_code == 3, made.output
    found = checks_of(made)
    passed = ("expired-token-refused", "narrow-scope-refused", "denied-calls-refused")
    assert {found[f"mcp.auth.{name}"]["verdict"] for name in passed} == {"PASS"}
    unset = found["mcp.auth.other-issuer-refused"]
    assert unset["verdict"] == "INCONCLUSIVE"
    assert "env:NOT_SET" in unset["message"]
    unnamed = found["mcp.auth.other-audience-refused"]
    assert unnamed["verdict"] == "NOT_APPLICABLE"
    assert "other_audience" in unnamed["message"]
    open_ended = {name for name, c in found.items() if c["verdict"] == "INCONCLUSIVE"}
    assert open_ended == {"mcp.auth.other-issuer-refused"}


def test_a_server_that_takes_expired_tokens_fails_and_no_token_is_shown(
    port: int, profile: Path
) -> None:
    url = deployed(port, "expired-token-served").url
    endpoint = deployed(port, "expired-token-served")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ADA", endpoint.headers["authorization"])
        patch.setenv("EXPIRED", endpoint.others.tokens["expired"])
        patch.setenv("NARROW", endpoint.others.tokens["narrow_scope"])
        patch.setenv("BOB", endpoint.others.principal["authorization"])
        made = conformance("--url", url, "--profile", profile)
        assert made.exit_code == 1
        failed = [c["reason_code"] for c in checks_of(made).values() if c["verdict"] == "FAIL"]
        assert failed == ["EXPIRED_TOKEN_ACCEPTED"]
        assert endpoint.others.tokens["expired"].rpartition(".")[2] not in made.output


def test_instances_are_named_by_option_or_by_the_profile(port: int, tmp_path: Path) -> None:
    endpoint = deployed(port, "instance-lists-other")
    first, second = endpoint.url, endpoint.instances[0]
    file = tmp_path / "two.yaml"
    file.write_text(f"instances: [{second}]")
    for named in (("--instance", second), ("--profile", file)):
        found = checks_of(conformance("--url", first, "--revision", "2026-07-28", *named))
        failed = [name for name, check in found.items() if check["verdict"] == "FAIL"]
        assert failed == ["mcp.instances.tools-equal"]
    alone = checks_of(conformance("--url", first, "--revision", "2026-07-28"))
    assert alone["mcp.instances.tools-equal"]["verdict"] == "NOT_APPLICABLE"


@pytest.mark.parametrize(
    ("instance", "code"),
    [("file:///etc/passwd", "EGRESS_URL_INVALID"), ("http://127.1/", "EGRESS_HOST_FORM")],
)
def test_an_instance_that_is_no_url_is_refused(port: int, instance: str, code: str) -> None:
    made = conformance("--url", deployed(port).url, "--instance", instance)
    assert made.exit_code == 2
    assert json.loads(made.stdout)["error"]["reason_code"] == code


def test_an_instance_of_a_command_means_nothing() -> None:
    made = conformance("--instance", "http://127.0.0.1:9/mcp", "--", "true")
    assert json.loads(made.stdout)["error"]["reason_code"] == "TARGET_NOT_NAMED"


def test_credentials_and_instances_of_a_profile_are_none_of_a_commands(tmp_path: Path) -> None:
    file = tmp_path / "profile.yaml"
    for content in (
        "authorization: {negative: {expired: 'env:X'}}",
        "instances: ['https://a.example/mcp']",
    ):
        file.write_text(content)
        made = conformance("--profile", file, "--", "true")
        assert json.loads(made.stdout)["error"]["reason_code"] == "PROFILE_CONTRADICTED"
