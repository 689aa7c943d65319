"""A profile's authorization is read strictly: a reference or a refusal, never a value."""

import pytest

from bundles.mcp.authorization import Authorization, read_authorization

WHOLE = {
    "headers": {"authorization": "env:TOKEN"},
    "negative": {
        "expired": "env:EXPIRED",
        "in_url": "file:/run/spare",
        "narrow_scope": {"token": "env:NARROW", "tool": "export"},
    },
    "other_principal": {"headers": {"authorization": "env:OTHER"}, "denied": ["read"]},
}


def test_a_whole_authorization_is_read() -> None:
    read = read_authorization(WHOLE)
    assert read is not None
    assert read.headers == {"authorization": "env:TOKEN"}
    assert read.declared == ("expired", "in_url", "narrow_scope", "other_principal")
    assert (read.negative["narrow_scope"], read.narrow_tool) == ("env:NARROW", "export")
    assert (dict(read.other), read.denied) == ({"authorization": "env:OTHER"}, ("read",))


@pytest.mark.parametrize("document", [None, "tenant-b", {"headers": {}}])
def test_a_name_or_nothing_names_no_credential(document: object) -> None:
    read = read_authorization(document)
    assert read == Authorization()
    assert not read.anything


@pytest.mark.parametrize(
    "document",
    [
        "",
        7,
        [],
        {"header": {}},
        {"headers": {"authorization": "Bearer hush-hush"}},
        {"headers": {"authorization": 7}},
        {"negative": {"stolen": "env:X"}},
        {"negative": {"expired": "eyJhbGciOi"}},
        {"negative": {"narrow_scope": "env:X"}},
        {"negative": {"narrow_scope": {"tool": "export"}}},
        {"negative": {"narrow_scope": {"token": "env:X"}}},
        {"negative": {"narrow_scope": {"token": "env:X", "tool": "t", "scope": "s"}}},
        {"other_principal": {}},
        {"other_principal": {"headers": {}}},
        {"other_principal": {"headers": {"a": "env:X"}, "denied": "read"}},
        {"other_principal": {"headers": {"a": "env:X"}, "denied": [""]}},
    ],
)
def test_what_has_another_form_is_refused(document: object) -> None:
    assert read_authorization(document) is None
