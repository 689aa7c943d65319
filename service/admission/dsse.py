"""DSSE envelopes signed with Ed25519: the seal on evidence and decisions.

Protocol: https://github.com/secure-systems-lab/dsse. The signature covers the pre-authentication
encoding of payload type and payload bytes; keys are named by their OpenSSH SHA256 fingerprint, the
default of public verifiers.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from bundles.canonical import parse_json
from bundles.errors import BundlegateError, Refused
from bundles.reasons import reason
from service.admission.ports import Signer

PAYLOAD_TYPE = "application/vnd.in-toto+json"

KEY_UNREADABLE = reason(
    "KEY_UNREADABLE",
    "The file is not an Ed25519 key in PEM form.",
    "give the PEM file of an Ed25519 key, as `GET /v1/keys` shows it",
)
ENVELOPE_MALFORMED = reason(
    "ENVELOPE_MALFORMED",
    "The bytes are not a DSSE envelope of an in-toto statement.",
    "export the envelope again, byte for byte",
)
SIGNER_UNKNOWN = reason(
    "SIGNER_UNKNOWN",
    "No signature of the envelope is by a key that is trusted here.",
    "compare the key id with the registry's published keys, and trust it only if it is there",
)
SIGNATURE_INVALID = reason(
    "SIGNATURE_INVALID",
    "A signature by a trusted key does not match the bytes: they were changed.",
    "discard the envelope and fetch the evidence again",
)

_MOST_BYTES = 8 << 20
_MOST_SIGNATURES = 16


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """A public key, and the one verifier id it may speak for."""

    key_id: str
    public_key: Ed25519PublicKey
    verifier_id: str

    @classmethod
    def from_pem(cls, pem: bytes, verifier_id: str) -> "TrustedKey":
        """Read a PEM public key.

        Raises:
            Refused: KEY_UNREADABLE.
        """
        try:
            key = serialization.load_pem_public_key(pem)
        except (ValueError, UnsupportedAlgorithm) as error:
            raise _unreadable("it cannot be read as a public key in PEM form") from error
        if not isinstance(key, Ed25519PublicKey):
            raise _unreadable("it is a public key of another algorithm")
        return cls(key_id_of(key), key, verifier_id)


class Ed25519Signer:
    """The Signer port over one private key, which never leaves this object."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._key_id = key_id_of(key.public_key())

    @classmethod
    def from_pem(cls, pem: bytes) -> "Ed25519Signer":
        """Read an unencrypted PEM (PKCS#8) private key.

        Raises:
            Refused: KEY_UNREADABLE. The message never holds key material.
        """
        try:
            key = serialization.load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            # `from None`: a parser's words may quote the key.
            raise _unreadable("it cannot be read as a private key in PEM form") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise _unreadable("it is a private key of another algorithm")
        return cls(key)

    @property
    def key_id(self) -> str:
        """OpenSSH SHA256 fingerprint of the public key."""
        return self._key_id

    @property
    def public_pem(self) -> bytes:
        """The public key, as verifiers take it."""
        return self._key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    def sign(self, message: bytes) -> bytes:
        """The raw 64-byte signature over `message`."""
        return self._key.sign(message)


def generate_key() -> bytes:
    """A new Ed25519 private key as unencrypted PEM (PKCS#8)."""
    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def key_id_of(key: Ed25519PublicKey) -> str:
    """OpenSSH SHA256 fingerprint, "SHA256:…", as `ssh-keygen -l` prints it."""
    line = key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    wire = b64decode(line.split()[1])
    return "SHA256:" + b64encode(sha256(wire).digest()).rstrip(b"=").decode()


def pae(payload_type: str, payload: bytes) -> bytes:
    """Pre-authentication encoding: what is signed. Lengths count bytes."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, signer: Signer) -> bytes:
    """The envelope of a payload, as compact JSON bytes."""
    signature = signer.sign(pae(PAYLOAD_TYPE, payload))
    envelope = {
        "payloadType": PAYLOAD_TYPE,
        "payload": b64encode(payload).decode(),
        "signatures": [{"keyid": signer.key_id, "sig": b64encode(signature).decode()}],
    }
    return json.dumps(envelope, separators=(",", ":")).encode()


def open_envelope(envelope: bytes, trusted: Iterable[TrustedKey]) -> tuple[bytes, TrustedKey]:
    """Verify an envelope and return the payload bytes, unparsed, with the key that signed them.

    A signature that names a trusted key and does not match is fatal, whatever others say. One
    without a key id (it is optional) is tried under every trusted key.

    Raises:
        Refused: ENVELOPE_MALFORMED, SIGNER_UNKNOWN or SIGNATURE_INVALID.
    """
    keys = tuple(trusted)
    payload, signatures = _parts(envelope)
    message = pae(PAYLOAD_TYPE, payload)
    signer: TrustedKey | None = None
    for key_id, signature in signatures:
        candidates = [key for key in keys if key_id in {None, key.key_id}]
        matching = next((key for key in candidates if _matches(key, signature, message)), None)
        if matching is None and candidates:
            detail = "the signature does not match the bytes under the key it names"
            raise Refused(SIGNATURE_INVALID, detail, seen=key_id)
        signer = signer or matching
    if signer is None:
        raise Refused(
            SIGNER_UNKNOWN,
            "no signature is by a trusted key",
            seen=[key_id for key_id, _ in signatures],
            expected=[key.key_id for key in keys],
        )
    return payload, signer


def _matches(key: TrustedKey, signature: bytes, message: bytes) -> bool:
    try:
        key.public_key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _parts(envelope: bytes) -> tuple[bytes, list[tuple[str | None, bytes]]]:
    """Payload bytes and (key id, signature) pairs of a well-formed envelope."""
    if len(envelope) > _MOST_BYTES:
        raise _malformed("it is larger than any evidence", seen=len(envelope), expected=_MOST_BYTES)
    try:
        members = parse_json(envelope, max_depth=4, max_string=_MOST_BYTES)
    except BundlegateError as error:
        raise _malformed(f"it is not strict JSON: {error.detail}") from error
    names = {"payloadType", "payload", "signatures"}
    if not isinstance(members, dict) or set(members) != names:
        raise _malformed("it has other members", expected=sorted(names))
    if members["payloadType"] != PAYLOAD_TYPE:
        raise _malformed("payloadType", seen=members["payloadType"], expected=PAYLOAD_TYPE)
    entries = members["signatures"]
    if not isinstance(entries, list) or not 0 < len(entries) <= _MOST_SIGNATURES:
        raise _malformed(f"signatures is not a list of 1 to {_MOST_SIGNATURES}")
    return _base64(members["payload"], "payload"), [_signature(entry) for entry in entries]


def _signature(entry: object) -> tuple[str | None, bytes]:
    if not isinstance(entry, dict) or not {"sig"} <= set(entry) <= {"sig", "keyid"}:
        raise _malformed("a signature has other members", expected=["keyid", "sig"])
    key_id = entry.get("keyid")
    if key_id is not None and not isinstance(key_id, str):
        raise _malformed("keyid is not a string")
    return key_id or None, _base64(entry["sig"], "sig")


def _base64(value: object, name: str) -> bytes:
    """Canonical base64 only, so that no two texts carry the same bytes."""
    try:
        if isinstance(value, str):
            decoded = b64decode(value, validate=True)
            if b64encode(decoded).decode() == value:
                return decoded
    except ValueError:
        pass
    raise _malformed(f"{name} is not canonical base64")


def _malformed(what: str, **more: Any) -> Refused:
    return Refused(ENVELOPE_MALFORMED, f"not a DSSE envelope of a statement: {what}", **more)


def _unreadable(what: str) -> Refused:
    return Refused(KEY_UNREADABLE, f"not an Ed25519 key: {what}")
