"""Signing keys: made once, kept private, refused by name when unusable."""

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)

from bundles.errors import Refused
from service.signing import create_key, load_signer


def test_a_made_key_is_private_and_loads_as_the_same_key(tmp_path: Path) -> None:
    made = create_key(tmp_path / "signing.key")
    loaded = load_signer(f"file:{tmp_path / 'signing.key'}")
    assert loaded.key_id == made.key_id
    assert stat.S_IMODE((tmp_path / "signing.key").stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["signing.key"]


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    made = create_key(tmp_path / "k")
    with pytest.raises(FileExistsError):
        create_key(tmp_path / "k")
    assert load_signer(f"file:{tmp_path / 'k'}").key_id == made.key_id


def test_a_key_may_come_from_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = create_key(tmp_path / "k")
    monkeypatch.setenv("SIGNING", (tmp_path / "k").read_text())
    assert load_signer("env:SIGNING").key_id == made.key_id


@pytest.mark.parametrize("case", ["absent", "open", "rsa", "noise", "unset", "encrypted"])
def test_an_unusable_key_is_refused_and_never_quoted(tmp_path: Path, case: str) -> None:
    path = tmp_path / "k"
    if case == "open":
        create_key(path)
        path.chmod(0o640)
    if case == "rsa":
        _write(path, rsa.generate_private_key(65537, 2048), NoEncryption())
    if case == "encrypted":
        _write(path, Ed25519PrivateKey.generate(), BestAvailableEncryption(b"x"))
    if case == "noise":
        path.write_text("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
        path.chmod(0o600)
    with pytest.raises(Refused) as refused:
        load_signer("env:NO_SUCH_VARIABLE" if case == "unset" else f"file:{path}")
    ours = case in ("absent", "open", "unset")
    expected = "SIGNING_KEY_UNUSABLE" if ours else "KEY_UNREADABLE"
    assert refused.value.reason_code == expected
    assert "c2VjcmV0" not in str(refused.value.to_dict())


def _write(
    path: Path, key: Ed25519PrivateKey | rsa.RSAPrivateKey, cover: KeySerializationEncryption
) -> None:
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, cover))
    path.chmod(0o600)
