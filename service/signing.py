"""Signing keys: Ed25519, named by reference, never logged, stored in the database or returned."""

import base64
import os
import stat
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from bundles.errors import Refused
from bundles.reasons import reason

SIGNING_KEY_UNUSABLE = reason(
    "SIGNING_KEY_UNUSABLE",
    "The signing key that BUNDLEGATE_SIGNING_KEY names cannot be used.",
    "name an unencrypted Ed25519 private key in PEM that only its owner may read; "
    "`openssl genpkey -algorithm ed25519` makes one",
)


class Ed25519Signer:
    """One active key. Implements `service.admission.ports.Signer`."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        public = key.public_key()
        self._key_id = _fingerprint(public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
        pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        self._public_pem = pem.decode("ascii")

    @property
    def key_id(self) -> str:
        """OpenSSH SHA256 fingerprint of the public key, as `ssh-keygen -l` prints it."""
        return self._key_id

    @property
    def public_pem(self) -> str:
        """The public key as SubjectPublicKeyInfo PEM."""
        return self._public_pem

    def sign(self, message: bytes) -> bytes:
        """The raw 64-byte signature over `message`."""
        return self._key.sign(message)


def load_signer(reference: str) -> Ed25519Signer:
    """The signer of a key named "file:PATH" or "env:NAME".

    Raises:
        Refused: SIGNING_KEY_UNUSABLE: absent, readable by others, or no Ed25519 key.
    """
    kind, _, name = reference.partition(":")
    pem = _from_file(Path(name)) if kind == "file" else os.environb.get(os.fsencode(name))
    if pem is None:
        raise _unusable(reference, "there is no such variable")
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # The library's own words may quote the key.
        raise _unusable(reference, "it is no unencrypted private key in PEM") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _unusable(reference, "it is not an Ed25519 key")
    return Ed25519Signer(key)


def create_key(path: Path) -> Ed25519Signer:
    """Make a key, write it to a new file with mode 0600, and return its signer.

    Raises:
        FileExistsError: the file is there; a key is never overwritten.
    """
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    # Written whole under another name first: a cut-off key file would be a lost signing key.
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(draft)
    finally:
        draft.unlink()
    return Ed25519Signer(key)


def _from_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise _unusable(f"file:{path}", f"others may read it (mode {mode:04o})")
            return file.read(65536)
    except OSError as error:
        raise _unusable(f"file:{path}", error.strerror or "it cannot be read") from error


def _fingerprint(openssh: bytes) -> str:
    blob = base64.b64decode(openssh.split()[1])
    return "SHA256:" + base64.b64encode(sha256(blob).digest()).decode("ascii").rstrip("=")


def _unusable(reference: str, why: str) -> Refused:
    return Refused(SIGNING_KEY_UNUSABLE, f"{reference}: {why}", seen=reference)
