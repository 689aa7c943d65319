"""Celery as the transport of run ids: nothing else travels, and losing them costs only time.

What sender and worker must agree on lives here: the task's name, its queue, the transport.
Importing this imports Celery: `service.queue` does so when there is something to send.
"""

from typing import Any

from celery import Celery
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from service.logs import structlog

RUN_TASK = "bundlegate.run"
"""Name of the task: one argument, a run id."""

_BROKER_AWAY = (OSError, KombuError, RedisError)

_log = structlog.get_logger(__name__)


def make_app(broker_url: str, transport_options: dict[str, Any] | None = None) -> Celery:
    """A Celery application that knows how run ids travel, and no more.

    Args:
        broker_url: "redis://…", "rediss://…" or "redis+socket:///path".
        transport_options: added to, and before, those all sides share.
    """
    app = Celery("bundlegate", broker=broker_url, set_as_current=False)
    app.conf.update(
        task_default_queue="bundlegate",
        # Run ids are plain strings; nothing that executes on loading may travel.
        task_serializer="json",
        accept_content=["json"],
        # The run row is where a run's progress is read; a second record could only disagree.
        task_ignore_result=True,
        result_backend=None,
        # The dispatcher sends again what was lost. A send that waits would hold up a request.
        task_publish_retry=False,
        broker_transport_options={
            # None would wait for ever on a broker that accepts and says nothing.
            "socket_timeout": 30,
            "socket_connect_timeout": 2,
            "socket_keepalive": True,
            "health_check_interval": 25,
            # Two services may share a broker without taking each other's runs.
            "global_keyprefix": "bundlegate:",
            **(transport_options or {}),
        },
    )
    return app


class Sender:
    """Sends run ids. Safe to use from many threads."""

    def __init__(self, broker_url: str) -> None:
        # One try: without this the transport retries for ever when the broker is away.
        self._app = make_app(broker_url, {"max_retries": 0, "socket_timeout": 5})

    def send(self, run_id: str) -> None:
        """Offer a run to the workers. An absent broker is logged; the dispatcher sends again."""
        try:
            self._app.send_task(RUN_TASK, args=[run_id], retry=False)
        except _BROKER_AWAY as error:
            _log.warning("run_not_sent", run_id=run_id, why=str(error))

    def ping(self) -> bool:
        """True when the broker answers a PING now."""
        try:
            with self._app.connection_for_write() as connection:
                channel: Any = connection.default_channel
                return bool(channel.client.ping())
        except _BROKER_AWAY:
            return False

    def close(self) -> None:
        """Give back the connections."""
        self._app.close()
