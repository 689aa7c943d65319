"""The server a person at a terminal points at."""

import json
from pathlib import Path
from typing import Any

import pytest

from bundlegate.cli.target import endpoint_of
from bundles.errors import Invalid
from workers.endpoints import HttpEndpoint, StdioEndpoint


def test_header_values_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_TOKEN", "Bearer hush")
    endpoint = endpoint_of(
        url="https://mcp.example/mcp",
        allow=("10.0.0.0/8",),
        header_env=("Authorization=CI_TOKEN",),
        env=(),
        command=(),
    )
    assert isinstance(endpoint, HttpEndpoint)
    assert endpoint.headers == {"Authorization": "Bearer hush"}
    assert endpoint.egress.allow == ("mcp.example:443", "10.0.0.0/8")


def test_the_address_that_is_typed_may_be_reached_and_is_said_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    endpoint = endpoint_of(
        url="http://127.0.0.1:8000/mcp",
        allow=("127.0.0.1:8000",),
        header_env=(),
        env=(),
        command=(),
    )
    assert isinstance(endpoint, HttpEndpoint)
    assert endpoint.egress.allow == ("127.0.0.1:8000",)
    assert capsys.readouterr().err == "allowed: 127.0.0.1:8000\n"


def test_a_command_gets_what_is_named_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_TOKEN", "hush")
    monkeypatch.setenv("FLAVOUR", "mild")
    endpoint = endpoint_of(
        url=None, allow=(), header_env=(), env=("FLAVOUR",), command=("server", "--stdio")
    )
    assert isinstance(endpoint, StdioEndpoint)
    assert endpoint.argv == ("server", "--stdio")
    assert endpoint.env["FLAVOUR"] == "mild"
    assert "CI_TOKEN" not in endpoint.env
    assert endpoint.cwd == Path.cwd()


@pytest.mark.parametrize(
    "given",
    [
        {"url": "https://mcp.example/mcp", "header_env": ("Authorization",)},
        {"url": "https://mcp.example/mcp", "header_env": ("Authorization=Bearer hush",)},
        {"url": "https://mcp.example/mcp", "header_env": ("Authorization: hush",)},
        {"command": ("server",), "env": ("TOKEN=hush",)},
        {"command": ("server",), "env": ("",)},
    ],
)
def test_a_value_where_a_variable_is_to_be_named_is_refused_and_never_repeated(
    given: dict[str, Any],
) -> None:
    others = {"url": None, "allow": (), "header_env": (), "env": (), "command": ()}
    with pytest.raises(Invalid) as refused:
        endpoint_of(**others | given)
    assert refused.value.reason_code == "VARIABLE_NOT_NAMED"
    assert "hush" not in json.dumps(refused.value.to_dict())


@pytest.mark.parametrize(
    "unused",
    [
        {"url": "https://mcp.example/mcp", "env": ("FLAVOUR",)},
        {"command": ("server",), "header_env": ("Authorization=CI_TOKEN",)},
        {"command": ("server",), "allow": ("127.0.0.1",)},
    ],
)
def test_an_option_that_would_mean_nothing_is_refused(unused: dict[str, Any]) -> None:
    given = {"url": None, "allow": (), "header_env": (), "env": (), "command": ()} | unused
    with pytest.raises(Invalid, match="means nothing"):
        endpoint_of(**given)
