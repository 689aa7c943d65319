"""Challenges are read as RFC 9110 writes them, and nothing makes the reader raise or stall."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.challenge import bearer_of, challenges, well_known_urls
from bundles.mcp.metadata import covers, is_web_address


@pytest.mark.parametrize(
    ("field", "read"),
    [
        ("", []),
        ("Bearer", [("bearer", {})]),
        (
            'Bearer scope="a b", error=invalid_token',
            [("bearer", {"scope": "a b", "error": "invalid_token"})],
        ),
        ('Basic realm="a, b=\\"c\\"", Bearer', [("basic", {"realm": 'a, b="c"'}), ("bearer", {})]),
        ("Negotiate YII=, Bearer x=1", [("negotiate", {}), ("bearer", {"x": "1"})]),
        (
            'DPoP algs="ES256", Bearer resource_metadata="https://a.example/x?y=1"',
            [
                ("dpop", {"algs": "ES256"}),
                ("bearer", {"resource_metadata": "https://a.example/x?y=1"}),
            ],
        ),
        ("=?!", []),
    ],
)
def test_a_field_may_hold_several_challenges(
    field: str, read: list[tuple[str, dict[str, str]]]
) -> None:
    assert [(c.scheme, dict(c.parameters)) for c in challenges(field)] == read
    bearer = bearer_of({"www-authenticate": field})
    assert (bearer is not None) == ("bearer" in [scheme for scheme, _ in read])


_NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,11}", fullmatch=True)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(_NAMES, st.dictionaries(_NAMES.map(str.lower), st.text(max_size=12), max_size=3)),
        min_size=1,
        max_size=3,
    )
)
def test_what_was_written_is_read(told: list[tuple[str, dict[str, str]]]) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    field = ", ".join(
        f"{scheme} " + ", ".join(f"{name}={quoted(value)}" for name, value in parameters.items())
        for scheme, parameters in told
    )
    read = [(c.scheme, dict(c.parameters)) for c in challenges(field)]
    assert read == [(scheme.lower(), parameters) for scheme, parameters in told]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet='Bearer ",=\\x\t~', max_size=60))
def test_no_field_whatever_makes_the_reader_raise(field: str) -> None:
    assert len(challenges(field)) <= len(field)


@pytest.mark.parametrize(
    ("endpoint", "urls"),
    [
        ("https://a.example/mcp", ("/.well-known/oauth-protected-resource/mcp", "")),
        ("https://a.example/", ("/.well-known/oauth-protected-resource", "")),
        (
            "https://a.example:8443/x/mcp?tenant=1",
            ("/.well-known/oauth-protected-resource/x/mcp", ""),
        ),
    ],
)
def test_the_path_of_the_endpoint_goes_behind_the_well_known_one(
    endpoint: str, urls: tuple[str, str]
) -> None:
    origin = "/".join(endpoint.split("/")[:3])
    by_path, at_root = well_known_urls(endpoint)
    assert by_path == origin + urls[0]
    assert at_root == f"{origin}/.well-known/oauth-protected-resource"


@pytest.mark.parametrize(
    ("resource", "covered"),
    [
        ("https://a.example/mcp", True),
        ("HTTPS://A.example:443/mcp/", True),
        ("https://a.example", True),
        ("https://a.example/", True),
        ("https://a.example/mc", False),
        ("https://a.example/mcp/more", False),
        ("http://a.example/mcp", False),
        ("https://b.example/mcp", False),
        ("https://a.example:99999/mcp", False),
        ("https://a.example/mcp#x", False),
        (None, False),
        (7, False),
    ],
)
def test_a_resource_is_the_endpoint_or_above_it(resource: object, covered: bool) -> None:
    assert covers(resource, "https://a.example/mcp") is covered


def test_only_absolute_web_addresses_are_issuers() -> None:
    assert is_web_address("https://issuer.example/tenant")
    assert not any(map(is_web_address, ["issuer.example", "urn:x", "https://", None, "https://[x"]))
