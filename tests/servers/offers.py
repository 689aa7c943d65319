"""What the reference server offers besides tools: one prompt and one resource."""

from typing import Any

from tests.servers.toolbox import ProtocolError

Json = dict[str, Any]

_PROMPT: Json = {
    "name": "pack",
    "description": "What to pack for a city.",
    "arguments": [{"name": "city", "required": True}],
}
_RESOURCE: Json = {"uri": "weather://stations", "name": "stations"}


def capabilities(fault: str) -> Json:
    """Of both eras."""
    return {"resources": {}} if fault == "prompts-undeclared" else {"prompts": {}, "resources": {}}


def answer(fault: str, method: str, params: Json, *, modern: bool) -> Json | None:
    """The result of a method about prompts or resources, None for any other method.

    Raises:
        ProtocolError: there is no such prompt or resource, or an argument is missing.
    """
    if method == "resources/list" and fault != "resources-phantom":
        found: Json = {"resources": [_RESOURCE]}
    elif method == "prompts/list" and fault != "input-required-on-list":
        found = {"prompts": [_PROMPT]}
    elif method == "resources/read":
        found = _read(fault, params, modern=modern)
    elif method == "prompts/get":
        return _prompt(fault, params) | ({"resultType": "complete"} if modern else {})
    else:
        return None
    if fault == "resource-uncacheable" and method == "resources/read":
        return {**found, "resultType": "complete"} if modern else found
    cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    return {**found, **cached} if modern else found


def _read(fault: str, params: Json, *, modern: bool) -> Json:
    if params.get("uri") == _RESOURCE["uri"]:
        return {"contents": [{**_RESOURCE, "text": "Oslo, Bergen"}]}
    if fault == "unknown-resource-empty":
        return {"contents": []}
    raise ProtocolError(-32602 if modern else -32002, "there is no such resource")


def _prompt(fault: str, params: Json) -> Json:
    if params.get("name") != _PROMPT["name"]:
        code = -32603 if fault == "unknown-prompt-as-internal-error" else -32602
        raise ProtocolError(code, "there is no such prompt")
    arguments = params.get("arguments")
    city = arguments.get("city") if isinstance(arguments, dict) else None
    if city is None and fault != "prompt-argument-unchecked":
        raise ProtocolError(-32602, "the prompt is for a city")
    asked = {"role": "user", "content": {"type": "text", "text": f"What do I pack for {city}?"}}
    return {"messages": [asked]}
