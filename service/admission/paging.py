"""Opaque cursors: where the next page goes on, without telling how."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import TypeVar

from bundles.errors import Invalid
from service.admission.ids import is_id
from service.admission.model import Page
from service.admission.refusals import CURSOR_INVALID, LIMIT_INVALID

T = TypeVar("T")

MOST = 200
"""The longest page."""


def page(
    prefix: str,
    cursor: str | None,
    limit: int,
    *,
    fetch: Callable[[str | None, int], Sequence[T]],
    id_of: Callable[[T], str],
    show: Callable[[T], object] = lambda item: item,
) -> Page:
    """One page of things whose ids have `prefix`.

    Args:
        prefix: of the ids; a cursor of another list is refused.
        cursor: as the page before gave it, None for the first.
        limit: items wanted, 1 to 200.
        fetch: (id after which the page begins or None, how many) → items in the list's order.
        id_of: the id of an item.
        show: what of an item is given out.

    Raises:
        Invalid: CURSOR_INVALID, LIMIT_INVALID.
    """
    if not 1 <= limit <= MOST:
        raise Invalid(LIMIT_INVALID, "no page is that long", seen=limit, expected=f"1 to {MOST}")
    items = fetch(None if cursor is None else _read(prefix, cursor), limit + 1)
    shown = items[:limit]
    more = len(items) > limit
    return Page(tuple(show(item) for item in shown), _write(id_of(shown[-1])) if more else None)


def _write(last: str) -> str:
    return base64.urlsafe_b64encode(last.encode("ascii")).decode("ascii").rstrip("=")


def _read(prefix: str, cursor: str) -> str:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        last = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeError):
        last = ""
    if not is_id(prefix, last):
        raise Invalid(CURSOR_INVALID, "the cursor is not one of this list", seen=cursor[:200])
    return last
