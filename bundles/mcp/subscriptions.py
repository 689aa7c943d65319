"""What may be subscribed to with subscriptions/listen (2026-07-28); pure."""

from types import MappingProxyType
from typing import Any

SUBSCRIPTION_ID_KEY = "io.modelcontextprotocol/subscriptionId"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"

CHANGES = MappingProxyType(
    {
        "notifications/tools/list_changed": "toolsListChanged",
        "notifications/prompts/list_changed": "promptsListChanged",
        "notifications/resources/list_changed": "resourcesListChanged",
        "notifications/resources/updated": "resourceSubscriptions",
    }
)
"""Notification of a change → the member of a filter that asks for it."""

_LISTS = ("tools", "prompts", "resources")


def declared_changes(opening: Any) -> tuple[str, ...]:
    """Members of a filter for the list changes that the answer to discover declares, in order."""
    capabilities = opening.get("capabilities") if isinstance(opening, dict) else None
    if not isinstance(capabilities, dict):
        return ()
    declared = ((name, capabilities.get(name)) for name in _LISTS)
    return tuple(
        f"{name}ListChanged"
        for name, settings in declared
        if isinstance(settings, dict) and settings.get("listChanged") is True
    )
