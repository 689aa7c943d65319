"""`python -m bundlegate.lock`: write new reason codes into the append-only lock.

Run it after adding a check or a reason. It refuses to drop a code or to change a meaning; next
steps may improve.
"""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import bundles
from bundles.catalogue import registered
from bundles.lock import LOCK_FILE, Published, broken_promises, published, write_lock

PACKAGES = ("bundles", "service", "workers", "bundlegate")


def all_codes() -> dict[str, Published]:
    """The codes of the whole product: every module is imported, then asked."""
    for name in PACKAGES:
        package = import_module(name)
        for module in walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith(".__main__"):
                import_module(module.name)
    return registered()


def main() -> int:
    """Append what is new; exit 1, and write nothing, when a promise would be broken."""
    now = all_codes()
    broken = broken_promises(published(), now)
    for promise in broken:
        print(promise, file=sys.stderr)
    if broken:
        return 1
    lock = Path(bundles.__path__[0]) / LOCK_FILE
    lock.write_text(write_lock(now), encoding="utf-8")
    print(f"{len(now)} codes, {len(now.keys() - published().keys())} of them new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
