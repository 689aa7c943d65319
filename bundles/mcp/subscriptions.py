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
RESOURCE_SUBSCRIPTIONS = "resourceSubscriptions"
_NOWHERE = "bundlegate://no/such/resource"


def declared_changes(opening: Any) -> tuple[str, ...]:
    """Members of a filter for what the answer to discover declares: lists first, then resources."""
    capabilities = opening.get("capabilities") if isinstance(opening, dict) else None
    if not isinstance(capabilities, dict):
        return ()
    lists = tuple(f"{name}ListChanged" for name in _LISTS if _says(capabilities, name))
    resources = _says(capabilities, "resources", "subscribe")
    return (*lists, RESOURCE_SUBSCRIPTIONS) if resources else lists


def filter_for(kind: str) -> dict[str, Any]:
    """The filter that asks for one kind of change; of resources, of one that no list holds."""
    return {kind: [_NOWHERE] if kind == RESOURCE_SUBSCRIPTIONS else True}


def _says(capabilities: dict[str, Any], name: str, member: str = "listChanged") -> bool:
    settings = capabilities.get(name)
    return isinstance(settings, dict) and settings.get(member) is True
