"""The wall clock of the running service; tests pass their own."""

import time


class SystemClock:
    """Implements `service.admission.ports.Clock`."""

    def now(self) -> int:
        """Microseconds since the epoch, UTC."""
        return time.time_ns() // 1000
