"""Structured logs: one JSON object a line on stderr, with secrets masked.

Context (request id, run id, candidate id) is bound with `structlog.contextvars` and follows the
call into threads. Import structlog from here: see `_plain_structlog`.
"""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO

import orjson

if TYPE_CHECKING:
    import structlog

__all__ = ["MASK", "configure", "redacted", "structlog"]

MASK = "***"

_SECRET_NAME = re.compile(
    r"(authorization|cookie|passw(or)?d|secret|bearer|api_?key|private|credential|token)$", re.I
)
_SECRET_VALUE = re.compile(
    r"(?P<keep>\bbearer\s+|\bbgt?_(?=[\w-]{16})|://[^/\s:@]*:)(?P<secret>[^\s@\"',]+)", re.I
)
_DEEPEST = 6


def _plain_structlog() -> Any:
    """Import structlog without rich, which it takes along wherever it finds it.

    rich would draw tracebacks on a terminal. Our lines are JSON, and importing it takes longer than
    all the rest of structlog, in every process of the service.
    """
    absent = "rich" not in sys.modules
    if absent:
        sys.modules["rich"] = None  # type: ignore[assignment]  # "not to be found", says Python
    try:
        return import_module("structlog")
    finally:
        if absent:
            del sys.modules["rich"]


if not TYPE_CHECKING:
    structlog = _plain_structlog()


def redacted(value: object, depth: int = 0) -> object:
    """A copy of a plain value with credentials masked: by member name, and inside any text."""
    if isinstance(value, str):
        return _SECRET_VALUE.sub(rf"\g<keep>{MASK}", value)
    if depth > _DEEPEST:
        return MASK
    if isinstance(value, Mapping):
        return {
            name: MASK if _SECRET_NAME.search(str(name)) else redacted(member, depth + 1)
            for name, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [redacted(member, depth + 1) for member in value]
    return value


def _redact(_: object, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    shown = redacted(event)
    return shown if isinstance(shown, Mapping) else {}


def _render(_: object, __: str, event: MutableMapping[str, Any]) -> str:
    return orjson.dumps(event, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()


def configure(level: str = "info", stream: TextIO | None = None) -> None:
    """Send structlog and the standard library's loggers to one stream as JSON lines.

    Args:
        level: debug, info, warning or error.
        stream: stderr unless given.
    """
    least = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _redact,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    lines = logging.StreamHandler(stream or sys.stderr)
    lines.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.PositionalArgumentsFormatter(), *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _render],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [lines]
    root.setLevel(least)
