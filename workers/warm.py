"""What Celery imports while a worker starts, and again in each child: done before, and once.

The embedded worker waits for its database meanwhile, so that nobody waits for this; children are
forked from a process that has it.
"""

from contextlib import suppress
from importlib import import_module

_LATE = (
    "billiard.sharedctypes",
    "celery.concurrency.prefork",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.strategy",
    "kombu.transport.redis",
)


def warm() -> None:
    """Import it, and go through what each child does first: that parses a C declaration."""
    for name in _LATE:
        import_module(name)
    with suppress(OSError):  # not Linux: there is nothing to tie a child to its parent with
        import_module("billiard.util").get_pdeathsig()
