"""`python -m workers`: one worker, configured by `BUNDLEGATE_*` variables alone."""

import argparse
import os
import sys

from bundles.errors import BundlegateError
from service.settings import Settings
from workers.app import run_worker
from workers.warm import warm


def main() -> int:
    """Run a worker. Exit code 2: the settings cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m workers", description=__doc__)
    parser.add_argument(
        "--ready-fd", type=int, help="descriptor that gets one line once runs are consumed"
    )
    parser.add_argument(
        "--go-fd", type=int, help="descriptor whose end is awaited before anything begins"
    )
    asked = parser.parse_args()
    warm()
    if asked.go_fd is not None:
        with os.fdopen(asked.go_fd, "rb") as go:
            go.read()

    def tell() -> None:
        if asked.ready_fd is not None:
            os.write(asked.ready_fd, b"ready\n")
            os.close(asked.ready_fd)

    try:
        return run_worker(Settings.from_env(), tell)
    except BundlegateError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
