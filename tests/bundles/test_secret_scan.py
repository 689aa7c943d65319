"""Secrets: found by kind and line, never repeated; words about secrets are left alone."""

import json

import pytest

from bundles.contract import files_contract
from bundles.secret_scan import scan_file
from bundles.static import findings_of, judge_bundle

RANDOM = "q9X2" + "vLr7TzB4kWm8YpD1"
GITHUB = "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"


def found_in(content, document=None):
    parsed = document is not None
    return list(scan_file(content.encode(), document, parsed=parsed))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE\n", "private key"),
        ("-----BEGIN " + "OPENSSH PRIVATE KEY-----\n", "private key"),
        ("Authorization: Bearer " + RANDOM, "authorization header"),
        ("authorization: basic " + "dXNlcjpodW50ZXIyeDk=", "authorization header"),
        ("amqps://svc:" + "s3cr3tpass@broker/vhost", "password in a connection URL"),
        ("password: " + "tr0ub4dor3", "password field"),
        ("export API_KEY=" + RANDOM, "high-entropy value in a credential field"),
        ("xoxb-" + "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx", "slack-bot-token"),
    ],
)
def test_a_credential_in_text_is_found_by_kind(content, kind):
    assert kind in {secret.kind for secret in found_in("first line\n" + content)}
    assert {secret.line for secret in found_in("first line\n" + content)} == {2}


@pytest.mark.parametrize(
    "document",
    [
        {"db_password": "tr0ub4dor3"},
        {"env": [{"clientSecret": RANDOM}]},
        {"Authorization": RANDOM},
        {"\u0070assword": "tr0ub4dor3"},
    ],
)
def test_a_credential_field_is_found_with_its_pointer(document):
    (secret,) = found_in(json.dumps(document), document)
    assert secret.pointer


def test_a_key_hidden_by_escapes_is_found():
    content = '{"\\u0070\\u0061\\u0073\\u0073word": "tr0ub4dor3"}'
    assert found_in(content, json.loads(content))


@pytest.mark.parametrize(
    "document",
    [
        {"password": "${PASSWORD}"},
        {"password": "wrong-password"},
        {"password": "********"},
        {"token": "<token>"},
        {"token": "env:GITHUB_TOKEN"},
        {"token": "a word about what a token is, in prose"},
        {"properties": {"password": {"type": "string"}, "secret": {"$ref": "#/$defs/x"}}},
        {"required": ["password", "token", "api_key"]},
        {"key": "work_plan_lookup_by_identifier"},
        {"artifact_digest": "sha256:" + "0123456789abcdef" * 4},
        {"id": "123e4567-e89b-12d3-a456-426614174000"},
        {"url": "https://example.com/docs/authentication#bearer-tokens"},
        {"description": "Bearer tokens and basic credentials are refused."},
    ],
)
def test_words_about_secrets_are_no_secrets(document):
    assert found_in(json.dumps(document), document) == []


def test_bytes_that_are_no_text_go_to_the_catalogue():
    utf_16 = f"see {GITHUB}\n".encode("utf-16")
    assert [secret.kind for secret in scan_file(utf_16, None, parsed=False)] == ["github-pat"]


def test_a_finding_names_path_and_line_and_never_the_secret():
    contract = files_contract(
        {"f/a.json": '{\n "x": 1,\n "client_secret": "' + RANDOM + '"\n}'}, {"fixtures": "f/"}
    )
    found = [f for f in findings_of(judge_bundle(contract)) if f.reason_code == "SECRET_IN_BUNDLE"]
    assert [(f.path, f.line) for f in found] == [("f/a.json", 3)]
    assert RANDOM not in json.dumps([f.to_dict() for f in found])
