"""The run queue as the use cases see it. Celery carries it (`service.transport`), and is imported
when there is something to send: it would be a good part of the start of an API that only listens.
"""

import socket
import threading
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from service.transport import Sender

_PATIENCE_S = 5


class CeleryRunQueue:
    """Implements `service.admission.ports.RunQueue`. Safe to use from many threads.

    Whoever needs Celery first imports it, and everybody else waits for that. On a private socket
    the first answer of the broker begins the import, on a thread of its own.
    """

    def __init__(self, broker_url: str) -> None:
        self._broker_url = broker_url
        self._socket = _private_socket(broker_url)
        self._opening = threading.Lock()
        self._warmed = False
        self._sender: Sender | None = None

    def send(self, run_id: str) -> None:
        """Offer a run to the workers. An absent broker is logged; the dispatcher sends again."""
        self._open().send(run_id)

    def ping(self) -> bool:
        """True when the broker answers a PING now."""
        if self._socket is None:
            return self._open().ping()
        answers = _answers(self._socket)
        if answers and not self._warmed:
            self._warmed = True
            threading.Thread(target=self._open, name="celery").start()
        return answers

    def close(self) -> None:
        """Give back the connections."""
        with self._opening:
            if self._sender is not None:
                self._sender.close()

    def _open(self) -> "Sender":
        with self._opening:
            if self._sender is None:
                from service.transport import Sender  # noqa: PLC0415 - see above

                self._sender = Sender(self._broker_url)
            return self._sender


def _private_socket(broker_url: str) -> str | None:
    """The path in "redis+socket:///path", None for any address with more to it than a path."""
    address = urlsplit(broker_url)
    plain = address.scheme == "redis+socket" and not (address.netloc or address.query)
    return unquote(address.path) if plain else None


def _answers(path: str) -> bool:
    """PING, as its protocol writes it: there is nobody to authenticate to on a private socket."""
    try:
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(_PATIENCE_S)
            asked.connect(path)
            asked.sendall(b"PING\r\n")
            with asked.makefile("rb") as answer:
                return answer.readline() == b"+PONG\r\n"
    except OSError:
        return False
