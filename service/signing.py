"""Signing keys by reference: where they are, who may read them, and making the first one."""

import os
import stat
from pathlib import Path

from bundles.errors import Refused
from bundles.reasons import reason
from service.admission.dsse import Ed25519Signer, generate_key

SIGNING_KEY_UNUSABLE = reason(
    "SIGNING_KEY_UNUSABLE",
    "The signing key that BUNDLEGATE_SIGNING_KEY names is absent, or others may read it.",
    "name an Ed25519 private key in PEM that only its owner may read; "
    "`openssl genpkey -algorithm ed25519` makes one",
)


def load_signer(reference: str) -> Ed25519Signer:
    """The signer of a key named "file:PATH" or "env:NAME".

    Raises:
        Refused: SIGNING_KEY_UNUSABLE (absent, readable by others), KEY_UNREADABLE (no such key).
    """
    kind, _, name = reference.partition(":")
    pem = _from_file(Path(name)) if kind == "file" else os.environb.get(os.fsencode(name))
    if pem is None:
        raise _unusable(reference, "there is no such variable")
    return Ed25519Signer.from_pem(pem)


def create_key(path: Path) -> Ed25519Signer:
    """Make a key, write it to a new file with mode 0600, and return its signer.

    Raises:
        FileExistsError: the file is there; a key is never overwritten.
    """
    pem = generate_key()
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
    return Ed25519Signer.from_pem(pem)


def _from_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise _unusable(f"file:{path}", f"others may read it (mode {mode:04o})")
            return file.read(65536)
    except OSError as error:
        raise _unusable(f"file:{path}", error.strerror or "it cannot be read") from error


def _unusable(reference: str, why: str) -> Refused:
    return Refused(SIGNING_KEY_UNUSABLE, f"{reference}: {why}", seen=reference)
