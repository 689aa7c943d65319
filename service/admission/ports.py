"""Ports: what the use cases need from the outside. The store and the queue implement them;
`service.app` and `workers.app` wire them.
"""

from typing import Protocol


class Clock(Protocol):
    """Wall time, injected so that rules about time can be tested."""

    def now(self) -> int:
        """Microseconds since the epoch, UTC."""
        ...


class RunQueue(Protocol):
    """Carries run ids to workers. May lose them: the run row is the outbox."""

    def send(self, run_id: str) -> None:
        """Offer a run to the workers, best effort; never raises for an absent broker."""
        ...

    def ping(self) -> bool:
        """True when the broker answers now."""
        ...


class Signer(Protocol):
    """Signs DSSE envelopes with one active key."""

    @property
    def key_id(self) -> str:
        """OpenSSH SHA256 fingerprint of the public key."""
        ...

    @property
    def public_pem(self) -> bytes:
        """The public key as SubjectPublicKeyInfo PEM."""
        ...

    def sign(self, message: bytes) -> bytes:
        """The raw Ed25519 signature over `message`."""
        ...


class Terms(Protocol):
    """The settings the use cases obey (`service.settings.Settings` has them)."""

    @property
    def lease_s(self) -> int:
        """Seconds a worker keeps a run without a heartbeat."""
        ...

    @property
    def max_attempts(self) -> int:
        """Attempts before a run ends INCONCLUSIVE."""
        ...

    @property
    def token_cache_s(self) -> int:
        """Seconds a known token is remembered."""
        ...

    @property
    def evidence_max_age_days(self) -> int:
        """Days until evidence expires."""
        ...
