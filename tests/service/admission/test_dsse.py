"""The envelope: what is signed, by whom, and that no changed byte gets through."""

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Refused
from service.admission.dsse import (
    PAYLOAD_TYPE,
    Ed25519Signer,
    TrustedKey,
    key_id_of,
    open_envelope,
    pae,
    seal,
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
SIGNER = Ed25519Signer(KEY)
TRUSTED = TrustedKey.from_pem(SIGNER.public_pem, "https://verifier.example")
STRANGER = Ed25519Signer(Ed25519PrivateKey.from_private_bytes(bytes(32)))
PAYLOAD = b'{"_type":"x","\xc3\xa9":1}'
ENVELOPE = seal(PAYLOAD, SIGNER)


def refusal(envelope: bytes, *trusted: TrustedKey) -> str:
    with pytest.raises(Refused) as refused:
        open_envelope(envelope, trusted or (TRUSTED,))
    assert refused.value.next_steps
    return refused.value.reason_code


def rewritten(**changes: Any) -> bytes:
    return json.dumps(json.loads(ENVELOPE) | changes).encode()


def signature(**changes: Any) -> dict[str, Any]:
    return json.loads(ENVELOPE)["signatures"][0] | changes  # type: ignore[no-any-return]


def test_what_was_sealed_comes_back_byte_for_byte_with_its_key() -> None:
    payload, key = open_envelope(ENVELOPE, [TRUSTED])
    assert payload == PAYLOAD
    assert key == TRUSTED


def test_the_encoding_is_the_one_the_protocol_publishes() -> None:
    """The example of the DSSE protocol document, and lengths that count bytes."""
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert pae("é", "ü".encode()) == "DSSEv1 2 é 2 ü".encode()


def test_the_library_alone_verifies_the_encoding() -> None:
    members = json.loads(ENVELOPE)
    body = base64.b64decode(members["payload"])
    message = b"DSSEv1 28 application/vnd.in-toto+json %d %b" % (len(body), body)
    KEY.public_key().verify(base64.b64decode(members["signatures"][0]["sig"]), message)


def test_public_tools_verify_the_encoding(tmp_path: Path) -> None:
    """openssl, where the machine has one; the key id as ssh-keygen prints it, likewise."""
    members = json.loads(ENVELOPE)
    paths = {name: tmp_path / name for name in ("pae", "sig", "pem", "ssh")}
    paths["pae"].write_bytes(pae(PAYLOAD_TYPE, base64.b64decode(members["payload"])))
    paths["sig"].write_bytes(base64.b64decode(members["signatures"][0]["sig"]))
    paths["pem"].write_bytes(SIGNER.public_pem)
    paths["ssh"].write_bytes(KEY.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    verify = [
        *("openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", str(paths["pem"])),
        *("-sigfile", str(paths["sig"]), "-in", str(paths["pae"])),
    ]
    said = {}
    for name, command in {
        "openssl": verify,
        "ssh-keygen": ["ssh-keygen", "-lf", str(paths["ssh"])],
    }.items():
        if shutil.which(name):
            said[name] = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert "Verified Successfully" in said.get("openssl", "Signature Verified Successfully")
    assert key_id_of(KEY.public_key()) in said.get("ssh-keygen", SIGNER.key_id)


def test_a_changed_byte_anywhere_is_refused() -> None:
    """Every byte of the envelope, each replaced by several others."""
    for place in range(len(ENVELOPE)):
        for other in {ENVELOPE[place] ^ 1, ENVELOPE[place] ^ 0x20, 0x20, ord("A")}:
            changed = ENVELOPE[:place] + bytes([other]) + ENVELOPE[place + 1 :]
            if changed != ENVELOPE:
                assert refusal(changed)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.data())
def test_a_removed_or_repeated_stretch_is_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(ENVELOPE) - 1))
    end = data.draw(st.integers(start + 1, len(ENVELOPE)))
    assert refusal(ENVELOPE[:start] + ENVELOPE[end:])
    assert refusal(ENVELOPE[:end] + ENVELOPE[start:])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.binary(max_size=300)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["payloadType", "payload", "signatures", "sig", "keyid", "x"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode())
)
def test_whatever_comes_in_is_refused_with_a_reason_and_never_crashes(envelope: bytes) -> None:
    assert refusal(envelope) == "ENVELOPE_MALFORMED"


MALFORMED = {
    "another payload type": rewritten(payloadType="application/json"),
    "a member more": rewritten(extra=1),
    "no signature": rewritten(signatures=[]),
    "too many signatures": rewritten(signatures=[signature()] * 17),
    "a signature that is a string": rewritten(signatures=["x"]),
    "a signature with a member more": rewritten(signatures=[signature(cert="x")]),
    "a key id that is a number": rewritten(signatures=[signature(keyid=1)]),
    "a sig that is a number": rewritten(signatures=[signature(sig=1)]),
    "a payload with a line break": rewritten(payload=json.loads(ENVELOPE)["payload"] + "\n"),
    "a payload in URL-safe letters": rewritten(payload="-_-_"),
    "a duplicate key": ENVELOPE.replace(b'{"payloadType"', b'{"payload":"e30=","payloadType"'),
    "bytes after the end": ENVELOPE + b"{}",
    "a byte order mark": b"\xef\xbb\xbf" + ENVELOPE,
    "endless nesting": b"[" * 100_000,
    "too large": b" " * ((8 << 20) + 1),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_what_is_no_envelope_is_refused(case: str) -> None:
    assert refusal(MALFORMED[case]) == "ENVELOPE_MALFORMED"


def test_base64_that_carries_unused_bits_is_refused_although_it_decodes_alike() -> None:
    sig = signature()["sig"]
    other = sig[:-3] + chr(ord(sig[-3]) + 1) + "=="
    assert base64.b64decode(other) == base64.b64decode(sig)
    assert refusal(rewritten(signatures=[signature(sig=other)])) == "ENVELOPE_MALFORMED"


def test_a_stranger_is_not_trusted_under_its_own_name_or_a_trusted_one() -> None:
    assert refusal(seal(PAYLOAD, STRANGER)) == "SIGNER_UNKNOWN"
    forged = json.loads(seal(PAYLOAD, STRANGER))
    forged["signatures"][0]["keyid"] = SIGNER.key_id
    assert refusal(json.dumps(forged).encode()) == "SIGNATURE_INVALID"


def test_nobody_is_trusted_when_no_key_is_given() -> None:
    with pytest.raises(Refused) as refused:
        open_envelope(ENVELOPE, [])
    assert refused.value.reason_code == "SIGNER_UNKNOWN"


def test_a_key_id_is_optional_and_then_every_trusted_key_is_tried() -> None:
    anonymous = rewritten(signatures=[{"sig": signature()["sig"]}])
    stranger = TrustedKey.from_pem(STRANGER.public_pem, "https://other.example")
    assert open_envelope(anonymous, [stranger, TRUSTED])[1] == TRUSTED
    assert refusal(anonymous, stranger) == "SIGNATURE_INVALID"


def test_one_false_signature_by_a_trusted_key_spoils_a_true_one() -> None:
    false = signature(sig=base64.b64encode(bytes(64)).decode())
    assert refusal(rewritten(signatures=[signature(), false])) == "SIGNATURE_INVALID"
    beside = rewritten(signatures=[signature(keyid="SHA256:someone"), signature()])
    assert open_envelope(beside, [TRUSTED])[1] == TRUSTED


@pytest.mark.parametrize(
    "pem",
    [
        b"",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        rsa.generate_private_key(65537, 2048)
        .public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    ],
    ids=["nothing", "noise", "rsa"],
)
def test_only_an_ed25519_public_key_is_trusted(pem: bytes) -> None:
    with pytest.raises(Refused) as refused:
        TrustedKey.from_pem(pem, "https://verifier.example")
    assert refused.value.reason_code == "KEY_UNREADABLE"
