"""Credentials are masked wherever a server puts them, and nothing else is touched."""

import base64
import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Invalid
from bundles.mcp.probes import REDACTED
from workers.credential_parts import SHORTEST_CREDENTIAL
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint, StdioEndpoint
from workers.probes import spellings
from workers.probes.redact import Redactor, credentials_of

SECRET = 's3cret/"värde"+x='


@pytest.mark.parametrize(
    "spelling",
    [
        SECRET,
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps(SECRET).replace("/", "\\/"),
        quote(SECRET, safe=""),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
        json.dumps(json.dumps(SECRET)),
        "".join(f"\\u{ord(c):04x}" for c in SECRET),
        "".join(f"\\\\u{ord(c):04X}" for c in SECRET),
        "".join(f"%{byte:02x}" for byte in SECRET.encode()),
        quote(quote(SECRET, safe=""), safe=""),
        quote_plus(SECRET),
        html.escape(SECRET),
        "".join(f"&#x{ord(c):X};" for c in SECRET),
        "s\\u0033cret" + SECRET[6:],
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
    ],
)
def test_a_known_credential_is_masked_in_every_spelling(spelling: str) -> None:
    masked = Redactor([f"Bearer {SECRET}"]).text(f"before {spelling} after")
    assert masked.startswith("before ")
    assert masked.endswith(" after")
    assert REDACTED in masked
    assert "s3cret" not in masked


@pytest.mark.parametrize("run", ["\\", "%25", "%", "&#0", "&#", "0", "25"])
@pytest.mark.parametrize("secret", [SECRET, "\\" + SECRET, "0" + SECRET, "%" + SECRET])
def test_a_long_run_of_what_escapes_begin_with_is_searched_in_time(run: str, secret: str) -> None:
    text = run * (400_000 // len(run))  # the square of it would be hours
    assert Redactor([secret]).text(text) == text


@pytest.mark.parametrize("ahead", ["", "a", "ab", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_credential_inside_of_something_encoded_is_masked(
    ahead: str, encode: Callable[[bytes], bytes]
) -> None:
    echoed = encode(f"{ahead}{SECRET} and more".encode()).decode()
    masked = Redactor([SECRET]).text(echoed)
    assert REDACTED in masked
    kept = masked.split(REDACTED)[0]
    assert b"s3cret" not in base64.urlsafe_b64decode(kept[: len(kept) // 4 * 4])


def test_a_credential_in_the_name_of_a_header_is_masked() -> None:
    masked = Redactor(["Bearer ToKeN-1234"]).headers({"x-token-1234": "1", "x-other": "2"})
    assert masked == {f"x-{REDACTED}]": "1", "x-other": "2"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "jwt"),
        ("Authorization: Bearer abcdefghijklmnop1234", "bearer"),
        ("AKIA" + "ABCDEFGHIJKLMNOP", "aws"),
        ("ghp_" + "a" * 36, "github"),
        ("xoxb-" + "1234567890-abc", "slack"),
        ("sk-" + "a1" * 15, "api_key"),
        ("postgresql://app:hunter22@db.internal/prod", "dsn"),
        (
            "-----BEGIN PRIVATE " + "KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----",
            "private_key",
        ),
    ],
)
def test_what_looks_like_a_credential_is_masked_by_kind(text: str, kind: str) -> None:
    assert f"{REDACTED}:{kind}]" in Redactor().text(f"x {text} y")


@pytest.mark.parametrize(
    "text",
    [
        "File /srv/app/server.py, line 12, in handler",
        "connect to 10.0.0.7:5432 failed",
        "the bearer of this letter",
        "https://example.com/a@b",
        "an eyJ-shaped word and a sk-etch",
        "sha256:" + "a" * 64,
    ],
)
def test_paths_addresses_and_innocent_words_stay(text: str) -> None:
    assert Redactor(["Bearer another-token"]).text(text) == text


LONG = "".join(f"{n:x}-Zq{n}" for n in range(700))
"""As long as a signed token may be."""


def in_unicode_escapes(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


@pytest.mark.parametrize("secret", [LONG, LONG[:97], LONG[:65], f"{LONG[:200]} and {LONG[:200]}"])
@pytest.mark.parametrize(
    "spell",
    [
        str,
        json.dumps,
        in_unicode_escapes,
        lambda text: quote(quote(text, safe=""), safe=""),
        lambda text: html.escape(text).replace("-", "&#x2d;"),
        lambda text: text.encode().hex(),
        lambda text: base64.b64encode(text.encode()).decode(),
        lambda text: base64.urlsafe_b64encode(b"user:" + text.encode()).decode(),
        lambda text: quote(base64.b64encode(text.encode()).decode(), safe=""),
    ],
)
def test_of_a_long_credential_nothing_is_left_in_any_spelling(
    spell: Callable[[str], str], secret: str
) -> None:
    masked = Redactor([f"Bearer {secret}"]).text(f"before <{spell(secret)}> after")
    assert masked.startswith("before <")
    assert masked.endswith("> after")
    kept = masked.removeprefix("before <").removesuffix("> after").replace(REDACTED, "")
    assert len(kept) < 40, kept


def test_a_long_credential_is_looked_for_by_a_short_pattern(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes, compiled = [], re.compile

    def noted(pattern: str) -> re.Pattern[str]:
        sizes.append(len(pattern))
        return compiled(pattern)

    monkeypatch.setattr(spellings.re, "compile", noted)
    Redactor([f"Bearer {LONG[:64]}"])
    short = sum(sizes)
    sizes.clear()
    masked = Redactor([f"Bearer {LONG}"]).text(f"x {LONG} y")
    assert masked == f"x {REDACTED}:credential] y"
    assert sum(sizes) < 2 * short, "whatever its length, which is read and not compiled"


def test_a_token_that_begins_like_a_known_one_goes_whole() -> None:
    ours, theirs = LONG[:300], LONG[:150] + "another.end-of_it"
    assert Redactor([ours]).text(f"x {theirs} y") == f"x {REDACTED}:credential] y"
    both = Redactor([ours, theirs])
    for text in (ours, theirs):
        assert both.text(f"x {text} y") == f"x {REDACTED}:credential] y"


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize(
    ("said", "masked", "kept"),
    [
        ("weather:p\u00e4ss-w\u00f6rd>?", ["p\u00e4ss-w\u00f6rd>?"], ["weather"]),
        ("weather:hunter22", ["hunter22", "weather:hunter22"], ["weather"]),
        ("live_0123456789abcdef:", ["live_0123456789abcdef"], []),
        ("live_0123456789abcdef:x-oauth-basic", ["live_0123456789abcdef", "x-oauth-basic"], []),
        ("no-colon-here", ["no-colon-here"], []),
    ],
)
def test_what_a_basic_credential_says_is_masked(
    encode: Callable[[bytes], bytes], said: str, masked: list[str], kept: list[str]
) -> None:
    token = encode(said.encode()).decode()
    for padded in (token, token.rstrip("=")):
        redactor = Redactor([f"Basic {padded}"])
        for secret in [*masked, token.rstrip("=")]:
            assert secret not in redactor.text(f"x {secret} y")
        for word in kept:
            assert redactor.text(f"x {word} y") == f"x {word} y"


@pytest.mark.parametrize("token", ["=====", "%%%%%%%%", "aaaaa", "YWJj\u00e9", "/////w=="])
def test_a_basic_credential_that_says_nothing_is_still_masked_itself(token: str) -> None:
    assert token not in Redactor([f"Basic {token}"]).text(f"x Basic {token} y")


@pytest.mark.parametrize("word", ["string", "default", "object", "inputSchema", "content"])
def test_a_header_that_says_a_word_of_the_protocol_spoils_no_observation(word: str) -> None:
    redactor = Redactor([word])
    listed = {"inputSchema": {"type": "object", "properties": {"a": {"default": "string"}}}}
    assert redactor.value(listed) is listed
    assert redactor.headers({"content-type": "text/plain"}) == {"content-type": "text/plain"}
    endpoint = HttpEndpoint("http://example.com", EgressRules(), {"X-Tenant": word})
    assert endpoint.headers == {"X-Tenant": word}


@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "Cookie", "X-Auth-Token"])
@pytest.mark.parametrize("value", ["string", "Bearer default", "propert"])
def test_a_credential_that_is_a_word_of_the_protocol_is_refused_and_not_repeated(
    name: str, value: str
) -> None:
    with pytest.raises(Invalid) as refused:
        HttpEndpoint("http://example.com", EgressRules(), {name: value})
    assert refused.value.reason_code == "CREDENTIAL_TOO_PLAIN"
    assert value not in refused.value.detail


def test_a_weak_credential_that_is_no_word_of_the_protocol_is_masked() -> None:
    for weak in ("secret", "letmein", "password", "hunter"):
        assert weak not in Redactor([f"Bearer {weak}"]).text(f"x{weak}y")


def test_values_too_short_to_be_credentials_are_not_looked_for() -> None:
    assert Redactor(["a" * (SHORTEST_CREDENTIAL - 1)]).text("banaaaaana") == "banaaaaana"


def test_values_and_keys_of_json_are_masked_and_innocent_ones_are_not_copied() -> None:
    redactor = Redactor(["topsecret"])
    document = {"a": [1, {"topsecret": "x topsecret"}], "b": None}
    masked = redactor.value(document)
    mask = f"{REDACTED}:credential]"
    assert masked == {"a": [1, {mask: f"x {mask}"}], "b": None}
    innocent = {"a": [1, {"b": "c"}]}
    assert redactor.value(innocent) is innocent


def test_headers_that_are_credentials_are_masked_whole() -> None:
    headers = {"set-cookie": "sid=1", "x-key": "v", "x-echo": "topsecret", "etag": '"1"'}
    masked = Redactor(["topsecret"]).headers(headers, ["x-key"])
    mask = f"{REDACTED}:credential]"
    expected = {"set-cookie": "[redacted]", "x-key": "[redacted]", "x-echo": mask, "etag": '"1"'}
    assert masked == expected


def test_the_credentials_of_an_endpoint() -> None:
    over_http = HttpEndpoint("http://example.com", EgressRules(), {"X-Any": "value"})
    assert credentials_of(over_http) == ["value"]
    env = {"PATH": "/bin", "API_KEY": "a", "db_password": "b", "GITHUB_TOKEN": "c", "MONKEY": "d"}
    assert credentials_of(StdioEndpoint(("x",), env, Path("/"))) == ["a", "b", "c"]


_ALPHABET = "abcXYZ019 ./+=-_\\\"'{}[]\u00e9\u6f22\U0001f600"


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.text(_ALPHABET, min_size=8, max_size=30).filter(
        lambda text: len(text.strip()) >= SHORTEST_CREDENTIAL
    ),
    st.text(_ALPHABET, max_size=20),
    st.text(_ALPHABET, max_size=20),
)
def test_no_credential_survives_in_a_json_body(secret: str, before: str, after: str) -> None:
    body = json.dumps({"text": before + secret + after})
    masked = Redactor([secret]).value(json.loads(body))["text"]
    assert secret.strip() not in masked.replace(f"{REDACTED}:credential]", "\0")
