"""What must be there before the servers start: the schema, a signing key, one admin token."""

from dataclasses import dataclass
from pathlib import Path

from bundlegate.embedded.folder import private_folder
from migrations import upgrade
from service.admission.model import Principal
from service.admission.registry import Registry
from service.clock import SystemClock
from service.queue import CeleryRunQueue
from service.settings import Settings
from service.signing import create_key, load_signer
from service.store import open_store
from workers.launchers import Launchers

NAMESPACE = "default"
"""The namespace of the first token."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a start found or made. `token` is None unless this start made the first one."""

    key_id: str
    token: str | None


def prepare(settings: Settings) -> Prepared:
    """Bring the database to head, make the default key and the first token where there are none.

    Raises:
        Invalid: LAUNCHERS_INVALID, EGRESS_ALLOW_INVALID.
        Refused: SIGNING_KEY_UNUSABLE, KEY_UNREADABLE, DATA_FOLDER_UNUSABLE.
        Unreachable: STORE_UNREACHABLE.
    """
    # The worker reads this again; a person should learn of a mistake before anything starts.
    Launchers.read(settings.launchers, egress=settings.egress_allow)
    _make_default_key(settings)
    signer = load_signer(settings.signing_key)
    upgrade(settings.database_url)
    return Prepared(signer.key_id, make_first_token(settings))


def make_first_token(settings: Settings) -> str | None:
    """Make the first admin token, as the machine's owner; None where there is a token already.

    Raises:
        Refused: SIGNING_KEY_UNUSABLE, KEY_UNREADABLE.
        Unreachable: STORE_UNREACHABLE.
    """
    store = open_store(settings.database_url, pool_size=1)
    try:
        signer, queue = load_signer(settings.signing_key), CeleryRunQueue(settings.broker_url)
        return _first_token(Registry(store, signer, SystemClock(), queue, settings))
    finally:
        store.close()


def _make_default_key(settings: Settings) -> None:
    """Make the key file of the data folder; any other key is the operator's to bring."""
    path = Path(settings.signing_key.removeprefix("file:"))
    if path.parent != settings.data_dir or path.exists():
        return
    private_folder(settings.data_dir)
    create_key(path)


def _first_token(registry: Registry) -> str | None:
    owner = Principal("", "bundlegate up", NAMESPACE, frozenset({"admin"}))
    if registry.list_tokens(owner):
        return None
    token, _ = registry.create_token(
        None, name="admin", namespace=NAMESPACE, scopes=("admin",), expires_in_s=None
    )
    return token
