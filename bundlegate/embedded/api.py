"""The API of the embedded service, on a socket its parent listens with.

The parent keeps the socket, so a request that arrives while this process is started again waits
instead of being refused, and port 0 is known before the first import.
"""

import argparse
import os
import socket
import sys

from bundles.errors import BundlegateError
from service.app import ApiServer, create_app
from service.logs import configure
from service.settings import Settings


class _Announcing(ApiServer):
    """Writes one line to a descriptor once it serves."""

    ready_fd: int

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so; a start that failed closes the descriptor without a word."""
        await super().startup(sockets)
        if self.started:
            os.write(self.ready_fd, b"ready\n")
        os.close(self.ready_fd)


def main() -> int:
    """Serve until told to stop. Exit code 2: the settings cannot be used."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket-fd", type=int, required=True)
    parser.add_argument("--ready-fd", type=int, required=True)
    asked = parser.parse_args()
    try:
        settings = Settings.from_env()
        configure(settings.log_level)
        server = _Announcing(create_app(settings), timeout_graceful_shutdown=5)
    except BundlegateError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    server.ready_fd = asked.ready_fd
    server.run(sockets=[socket.socket(fileno=asked.socket_fd)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
