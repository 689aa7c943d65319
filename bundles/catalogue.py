"""All checks and reason codes as plain data: `bundlegate checks`, GET /v1/checks, a page."""

from typing import Any

from bundles.check import Check, registry
from bundles.lock import Published, published
from bundles.reasons import reasons


def checks_catalogue() -> list[dict[str, Any]]:
    """Every check, in id order.

    Returns:
        {"id", "reason_code", "title", "explanation", "subject", "stages", "layer", "blocks",
        "severity", "spec", "claim"?} each.
    """
    return [_entry(check) for check in registry().values()]


def reasons_catalogue() -> list[dict[str, Any]]:
    """Every published reason code, in code order.

    Returns:
        {"code", "meaning", "next_step", "check"?} each; `check` names the check that gives it.
    """
    givers = {check.reason_code: check.id for check in registry().values()}
    return [
        {"code": entry.code, "meaning": entry.meaning, "next_step": entry.next_step}
        | ({"check": givers[entry.code]} if entry.code in givers else {})
        for entry in published().values()
    ]


def registered() -> dict[str, Published]:
    """The reason codes of every module imported so far and of all checks, as the lock holds them.

    A code that a check shares with a reader keeps the reader's meaning.
    """
    codes = {
        check.reason_code: Published(check.reason_code, check.title, check.fix)
        for check in registry().values()
    }
    codes |= {r.code: Published(r.code, r.meaning, r.next_step) for r in reasons().values()}
    return codes


def _entry(check: Check) -> dict[str, Any]:
    entry = {
        "id": check.id,
        "reason_code": check.reason_code,
        "title": check.title,
        "explanation": check.explanation,
        "subject": check.subject.value,
        "stages": [stage.value for stage in check.stages],
        "layer": check.layer.value,
        "blocks": check.layer.blocks,
        "severity": check.severity.value,
        "spec": check.spec,
    }
    return entry | ({"claim": check.claim} if check.claim else {})
