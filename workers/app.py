"""The Celery application of the worker, and the wiring of its processes.

One worker is a main process, which consumes run ids and dispatches, and its pool children, which
exercise candidates. What each opens it opens after the fork, and never shares.
"""

import os
import signal
import socket
from collections.abc import Callable

from celery import Celery
from celery.apps.worker import Worker
from celery.signals import (
    setup_logging,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

from service.admission.registry import Registry
from service.clock import SystemClock
from service.logs import configure
from service.queue import CeleryRunQueue
from service.settings import Settings
from service.signing import load_signer
from service.store import open_store
from service.transport import make_app
from workers.dispatch import Dispatcher
from workers.tasks import Child, register


def create_worker_app(settings: Settings) -> Celery:
    """The application whose worker exercises candidates."""
    # A run that ignores its own deadline is killed for good one lease later.
    hard_limit_s = settings.run_deadline_s + settings.lease_s
    app = make_app(
        settings.broker_url,
        {
            # Longer than any task may live, or the broker hands out runs that are being worked on.
            "visibility_timeout": hard_limit_s + 60,
            # Look for messages of dead workers every 5 s; the default is every 100 s.
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
        },
    )
    app.conf.update(
        # A message is gone only when its task is over: a killed process gives it back ...
        task_acks_late=True,
        # ... at once, when only the child died. It cannot loop: the database caps attempts.
        task_reject_on_worker_lost=True,
        # A worker holds the runs it works on and no others.
        worker_prefetch_multiplier=1,
        worker_concurrency=settings.worker_concurrency,
        task_time_limit=hard_limit_s,
        # The run goes on while the broker is away: its lease is in the database, not there.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_max_retries=None,
        broker_connection_retry_on_startup=True,
        broker_channel_error_retry=True,
        # A child imports the checks and opens its database before it is alive.
        worker_proc_alive_timeout=60,
        # Runs are cancelled through the database; a second way in could only be misused.
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_redirect_stdouts=False,
    )
    register(app)
    return app


def open_registry(settings: Settings) -> tuple[Registry, CeleryRunQueue]:
    """The registry as one process of the worker uses it, and the queue it sends with."""
    queue = CeleryRunQueue(settings.broker_url)
    store = open_store(settings.database_url, pool_size=settings.db_pool_size)
    signer = load_signer(settings.signing_key)
    return Registry(store, signer, SystemClock(), queue, settings), queue


def run_worker(settings: Settings, on_ready: Callable[[], None]) -> int:
    """Run a worker until it is told to stop.

    SIGTERM and SIGINT stop it in order: runs under way are given back, to be taken up again by the
    next worker, and nobody waits for a slow candidate.

    Returns:
        The exit code of the process.
    """
    app = create_worker_app(settings)
    every_s = min(5.0, settings.lease_s / 4)
    dispatcher = Dispatcher(lambda: open_registry(settings), every_s)
    pools: list[Worker] = []

    @setup_logging.connect(weak=False)
    def configure_logs(**_: object) -> None:
        # Being there is enough for Celery to leave logging alone, in every process.
        configure(settings.log_level)

    @worker_init.connect(weak=False)
    def remember(sender: Worker, **_: object) -> None:
        pools.append(sender)

    @worker_process_init.connect(weak=False)
    def open_child(**_: object) -> None:
        # The terminal's Ctrl-C reaches the whole group; only the main process answers it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        registry, _queue = open_registry(settings)
        Child.open(registry, settings)

    @worker_ready.connect(weak=False)
    def begin(**_: object) -> None:
        dispatcher.start()
        on_ready()

    @worker_shutting_down.connect(weak=False)
    def give_back(**_: object) -> None:
        for pid in _children(pools):
            os.kill(pid, signal.SIGUSR2)

    @worker_shutdown.connect(weak=False)
    def end(**_: object) -> None:
        dispatcher.stop()

    worker = app.Worker(
        hostname=f"bundlegate@{socket.gethostname()}",
        loglevel=settings.log_level.upper(),
        pool_cls="prefork",
        concurrency=settings.worker_concurrency,
        # Workers meet in the database; greeting each other would cost a second at the start.
        without_mingle=True,
        without_gossip=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def _children(pools: list[Worker]) -> list[int]:
    """Process ids of the pool's children; none before the pool is up."""
    found: list[int] = []
    for worker in pools:
        processes = getattr(getattr(worker.pool, "_pool", None), "_pool", None) or []
        found += [process.pid for process in processes if process.is_alive()]
    return found
