"""Why a run must stop early, told from a thread or a signal to the loop that runs it."""

from collections.abc import Callable
from enum import StrEnum


class Why(StrEnum):
    """Reasons to stop a run before its end."""

    CANCELLED = "cancelled"  # a person asked
    LEASE_LOST = "lease lost"  # the run is another worker's now, or over
    WORKER_STOPPING = "worker stopping"  # this process is to end


class Halt:
    """A one-way switch. The first reason stays; later ones change nothing.

    It takes no lock, for a signal may arrive on the very thread that is inside it.
    """

    def __init__(self) -> None:
        self.why: Why | None = None
        self._tell: Callable[[], None] | None = None

    def set(self, why: Why) -> None:
        """Ask for the stop."""
        if self.why is None:
            self.why = why
        tell = self._tell
        if tell is not None:
            tell()

    def on_set(self, tell: Callable[[], None] | None) -> None:
        """Call `tell` when the stop is asked for, at once where it was already; None: nobody."""
        self._tell = tell
        if tell is not None and self.why is not None:
            tell()
