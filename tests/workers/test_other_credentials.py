"""Credentials beside the profile's own: resolved, or missing with the reason; never a refusal."""

from pathlib import Path

import pytest

from bundles.errors import Forbidden
from bundles.mcp.authorization import read_authorization
from service.admission.model import Target
from workers.endpoints import HttpEndpoint
from workers.launchers import Launchers

AUTHORIZATION = {
    "headers": {"Authorization": "env:OWN"},
    "negative": {
        "expired": "env:EXPIRED",
        "other_audience": "env:NOT_LISTED",
        "other_issuer": "env:UNSET",
        "in_url": "env:OWN",
        "narrow_scope": {"token": "env:SAME", "tool": "export"},
    },
    "other_principal": {"headers": {"authorization": "env:OTHER"}, "denied": ["read"]},
}
ENVIRON = {
    "OWN": "Bearer own-token",
    "EXPIRED": "expired-token",
    "NOT_LISTED": "secret-of-the-worker",
    "SAME": "own-token",
    "OTHER": "Bearer other-token",
}


def launchers(folder: Path, *hosts: str) -> Launchers:
    listed = ("OWN", "EXPIRED", "UNSET", "SAME", "OTHER")
    lines = [f"  env:{name}: [{', '.join(hosts)}]" for name in listed]
    file = folder / "launchers.yaml"
    file.write_text("\n".join(["credentials:", *lines]))
    return Launchers.read(file)


def resolved(folder: Path, target: Target, *hosts: str) -> HttpEndpoint:
    assert read_authorization(AUTHORIZATION) is not None
    endpoint, _ = launchers(folder, *hosts).resolve(target, "sha256:0", ENVIRON, AUTHORIZATION)
    assert isinstance(endpoint, HttpEndpoint)
    return endpoint


def test_references_are_resolved_and_what_cannot_be_says_why(tmp_path: Path) -> None:
    target = Target("t", "mcp+http", url="https://a.example/mcp")
    endpoint = resolved(tmp_path, target, "a.example")
    assert endpoint.headers == {"Authorization": "Bearer own-token"}
    others = endpoint.others
    assert others.tokens == {"expired": "Bearer expired-token", "in_url": "Bearer own-token"}
    assert others.principal == {"authorization": "Bearer other-token"}
    assert others.missing["other_audience"].startswith("CREDENTIAL_NOT_ALLOWED")
    assert others.missing["other_issuer"].startswith("CREDENTIAL_UNAVAILABLE")
    assert "credential the profile itself uses" in others.missing["narrow_scope"]
    assert "secret-of-the-worker" not in repr(endpoint)


def test_a_header_of_the_target_wins_over_one_of_the_profile(tmp_path: Path) -> None:
    headers = {"authorization": "env:EXPIRED"}
    target = Target("t", "mcp+http", url="https://a.example/mcp", headers=headers)
    assert resolved(tmp_path, target, "a.example").headers == {"authorization": "expired-token"}


def test_a_credential_goes_to_an_instance_only_where_the_operator_lists_it(tmp_path: Path) -> None:
    instances = ("https://b.example/mcp",)
    target = Target("t", "mcp+http", url="https://a.example/mcp", instances=instances)
    assert resolved(tmp_path, target, "a.example", "b.example").instances == instances
    plain = Target("t", "mcp+http", url="https://a.example/mcp")
    narrow = launchers(tmp_path, "a.example")
    assert narrow.resolve(plain, "sha256:0", ENVIRON, AUTHORIZATION)
    with pytest.raises(Forbidden, match="CREDENTIAL_NOT_ALLOWED"):
        narrow.resolve(target, "sha256:0", ENVIRON, AUTHORIZATION)
