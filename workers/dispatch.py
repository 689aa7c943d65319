"""What keeps runs moving when a broker forgot them or a worker died: send again, take back.

It runs in each worker's main process. Many dispatchers do no harm: rows are claimed in the
database.
"""

import os
import threading
from collections.abc import Callable

from service.admission.ports import RunQueue
from service.admission.registry import Registry
from service.logs import structlog

_log = structlog.get_logger(__name__)


class Dispatcher:
    """A loop on a thread of its own, which `stop` ends at once.

    The worker's children are forked from this process. A fork waits until a round is over, so that
    no child inherits a lock or a half-spoken connection.
    """

    def __init__(self, open_it: Callable[[], tuple[Registry, RunQueue]], every_s: float) -> None:
        self._open = open_it
        self._every_s = every_s
        self._stopping = threading.Event()
        self._round = threading.Lock()
        os.register_at_fork(
            before=self._round.acquire,
            after_in_parent=self._round.release,
            after_in_child=self._round.release,
        )
        self._thread = threading.Thread(target=self._loop, name="dispatcher", daemon=True)

    def start(self) -> None:
        """Start the loop with a first round at once."""
        self._thread.start()

    def stop(self) -> None:
        """End the loop; returns when a round under way is over."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _loop(self) -> None:
        with self._round:
            registry, queue = self._open()
        while not self._stopping.is_set():
            with self._round:
                try:
                    dispatch_once(registry, queue)
                except Exception:  # the database may be restarting; the next round asks again
                    _log.warning("dispatch_failed", exc_info=True)
            self._stopping.wait(self._every_s)


def dispatch_once(registry: Registry, queue: RunQueue) -> tuple[int, int]:
    """One round: take back runs whose lease is over, then send what waits.

    Returns:
        How many were taken back, how many were sent.
    """
    expired = registry.expire_leases()
    waiting = registry.dispatchable()
    for run_id in waiting:
        queue.send(run_id)
    if expired or waiting:
        _log.info("dispatched", expired=expired, sent=len(waiting))
    return expired, len(waiting)
