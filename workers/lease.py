"""Holding a run while it is worked on: one thread renews the lease and writes progress.

A database that is away for a while is no reason to give up a run: the next beat tries again, and
only a lease that is really over, or taken, stops the work.
"""

import threading
import time
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from bundles.errors import Conflict
from service.admission.model import Claim
from service.admission.registry import Registry
from service.logs import structlog
from workers.halt import Halt, Why

STIMULUS = "stimulus"
"""The kind of event a probe reports for each exchange: too many to write them all."""

_STIMULUS_INTERVAL_S = 0.2
_log = structlog.get_logger(__name__)


class Lease:
    """A context manager around the work on one claimed run.

    Cancelled, lost or run out, it sets `halt`; on leaving, what was reported has been written.
    """

    def __init__(
        self, registry: Registry, claim: Claim, halt: Halt, *, heartbeat_s: float, lease_s: float
    ) -> None:
        self._registry = registry
        self._claim = claim
        self._halt = halt
        self._heartbeat_s = heartbeat_s
        self._lease_s = lease_s
        self._waiting: deque[tuple[str, Mapping[str, Any]]] = deque()
        self._latest: Mapping[str, Any] | None = None
        self._wake = threading.Event()
        self._over = False
        self._thread = threading.Thread(target=self._hold, name="lease", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over = True
        self._wake.set()
        self._thread.join()

    def report(self, kind: str, body: Mapping[str, Any]) -> None:
        """Record progress; returns at once. Of many stimuli the latest is written now and then."""
        if kind == STIMULUS:
            self._latest = body
            return
        self._waiting.append((kind, body))
        self._wake.set()

    def _hold(self) -> None:
        renewed = time.monotonic()
        beat_at = renewed + self._heartbeat_s
        while not self._over and self._halt.why is None:
            self._wake.wait(min(_STIMULUS_INTERVAL_S, max(0.0, beat_at - time.monotonic())))
            self._wake.clear()
            self._write()
            if time.monotonic() >= beat_at:
                asked = time.monotonic()
                if self._renew():
                    renewed = asked
                beat_at = asked + self._heartbeat_s
            if time.monotonic() - renewed > self._lease_s:
                self._halt.set(Why.LEASE_LOST)
        self._write()

    def _renew(self) -> bool:
        """True when the lease was renewed, or need not be any more."""
        try:
            if not self._registry.heartbeat(self._claim.run.id, self._claim.fence):
                self._halt.set(Why.CANCELLED)
        except Conflict:
            self._halt.set(Why.LEASE_LOST)
        except Exception:  # whatever ails the database, the next beat may find it well
            _log.warning("lease_not_renewed", run_id=self._claim.run.id, exc_info=True)
            return False
        return True

    def _write(self) -> None:
        latest, self._latest = self._latest, None
        if latest is not None:
            self._waiting.append((STIMULUS, latest))
        while self._waiting and self._halt.why is not Why.LEASE_LOST:
            kind, body = self._waiting.popleft()
            try:
                self._registry.progress(self._claim.run.id, self._claim.fence, kind, body)
            except Conflict:
                self._halt.set(Why.LEASE_LOST)
            except Exception:  # progress is for watchers; no run is given up for it
                _log.warning("progress_not_written", run_id=self._claim.run.id, exc_info=True)
