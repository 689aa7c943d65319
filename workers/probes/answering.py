"""Answers to what a tool asks for: as declared, else the plainest of their kind."""

from collections.abc import Mapping
from typing import Any

from bundles.mcp import wire
from bundles.mcp.multi_round import METHODS
from workers.judging import Judge

Responses = dict[str, Any]


async def responses_to(
    asked: Mapping[str, Any], declared: Mapping[str, Any], judge: Judge
) -> Responses | None:
    """The `inputResponses` to an InputRequiredResult.

    Args:
        asked: the result.
        declared: key of a request, or its method → the response to give.
        judge: makes the content of a form that no declaration fills in.

    Returns:
        A response for each request; None where one is not known.
    """
    requests = asked.get("inputRequests", {})
    if not isinstance(requests, dict):
        return None
    responses: Responses = {}
    for key, request in requests.items():
        if not isinstance(request, dict):
            return None
        response = _as_declared(key, request, declared) or await _plainest(request, judge)
        if response is None:
            return None
        responses[key] = response
    return responses


def _as_declared(key: str, request: Mapping[str, Any], declared: Mapping[str, Any]) -> Any:
    method = request.get("method")
    found = declared.get(key)
    return declared.get(method) if found is None and isinstance(method, str) else found


async def _plainest(request: Mapping[str, Any], judge: Judge) -> Any:
    method = request.get("method")
    if method == METHODS["roots"]:
        return {"roots": []}
    if method == METHODS["sampling"]:
        text = {"type": "text", "text": "example"}
        return {"role": "assistant", "content": text, "model": wire.CLIENT_INFO["name"]}
    params = request.get("params")
    schema = params.get("requestedSchema") if isinstance(params, dict) else None
    content = await judge.valid_arguments(schema)
    return None if content is None else {"action": "accept", "content": content}
