"""The API of the embedded service, on a socket its parent listens with.

The parent keeps the socket, so a request that arrives while this process is started again waits
instead of being refused, and port 0 is known before the first import.
"""

import argparse
import json
import os
import socket
import sys

from bundlegate.embedded.first import prepare
from bundlegate.embedded.swift import growing
from bundles.errors import BundlegateError
from service.logs import configure
from service.settings import Settings


def main() -> int:
    """Prepare the database, say so, then serve until told to stop.

    The line written is {"key_id", "admin_token"?}, or {"refused": …} with exit code 2. From then on
    the worker has all it needs; that the API serves is seen by asking it.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--socket-fd", type=int, required=True)
    parser.add_argument("--ready-fd", type=int, required=True)
    asked = parser.parse_args()
    try:
        settings = Settings.from_env()
        configure(settings.log_level)
        prepared = prepare(settings)
    except BundlegateError as error:
        sys.stderr.write(f"{error}\n")
        _tell(asked.ready_fd, {"refused": error.to_dict()})
        return 2
    said: dict[str, object] = {"key_id": prepared.key_id}
    if prepared.token is not None:
        said["admin_token"] = prepared.token
    _tell(asked.ready_fd, said)
    with growing():
        # Not before: the worker waits for what is said above, and begins while this is imported.
        from service.app import ApiServer, create_app

        app = create_app(settings)
    server = ApiServer(app, timeout_graceful_shutdown=5)
    server.run(sockets=[socket.socket(fileno=asked.socket_fd)])
    return 0


def _tell(descriptor: int, line: dict[str, object]) -> None:
    with os.fdopen(descriptor, "w") as file:
        file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    sys.exit(main())
