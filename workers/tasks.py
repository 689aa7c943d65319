"""The task: a run id comes in. All the rest is `workers.runner`."""

import os
import signal
import socket
from typing import ClassVar

from celery import Celery

from service.admission.registry import Registry
from service.clock import SystemClock
from service.settings import Settings
from service.transport import RUN_TASK
from workers.halt import Halt, Why
from workers.observing import TargetObserver
from workers.runner import Runner


class Child:
    """What one pool child holds for its whole life: its runner, and whether it is to end."""

    current: ClassVar["Child"]

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._halt = Halt()
        self._stopping = False
        signal.signal(signal.SIGUSR2, lambda *_: self._stop())

    @classmethod
    def open(cls, registry: Registry, settings: Settings) -> None:
        """Make this process ready for runs."""
        name = f"{socket.gethostname()}:{os.getpid()}"
        observe = TargetObserver.from_settings(settings)
        cls.current = cls(Runner(registry, observe, SystemClock(), settings, name))

    def run(self, run_id: str) -> None:
        """Work on one run, unless this process is to end."""
        self._halt = Halt()
        if self._stopping:
            # Not claimed, so not lost: the run is still queued, and another worker takes it.
            return
        self._runner.run(run_id, self._halt)

    def _stop(self) -> None:
        self._stopping = True
        self._halt.set(Why.WORKER_STOPPING)


def register(app: Celery) -> None:
    """Put the task into an application."""

    @app.task(name=RUN_TASK)
    def run(run_id: str) -> None:
        Child.current.run(run_id)
