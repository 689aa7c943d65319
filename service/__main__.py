"""`python -m service`: the API, configured by `BUNDLEGATE_*` variables alone."""

import sys
from importlib import import_module

from bundles.errors import BundlegateError
from service.app import ApiServer, create_app
from service.logs import configure
from service.settings import Settings

_GRACE_S = 30


def main() -> int:
    """Serve until told to stop. Exit code 2: the settings cannot be used."""
    try:
        settings = Settings.from_env()
        configure(settings.log_level)
        import_module("service.transport")  # before it serves: here no start is waited for
        app = create_app(settings)
    except BundlegateError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    server = ApiServer(
        app, host=settings.host, port=settings.port, timeout_graceful_shutdown=_GRACE_S
    )
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
