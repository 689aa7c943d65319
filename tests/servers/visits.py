"""The tools of the reference server that ask for input, as they are listed and declared."""

from typing import Any

Json = dict[str, Any]


def _tool(name: str, description: str) -> Json:
    day = {"type": "string", "minLength": 1}
    schema = {"type": "object", "properties": {"day": day}, "required": ["day"]}
    return {"name": name, "description": description, "inputSchema": schema}


TOOLS = (
    _tool("book_visit", "Books a visit, for somebody it asks for."),
    _tool("cancel_visit", "Cancels a visit, once somebody has said that it may."),
)
DECLARED: Json = {
    "book_visit": {
        "arguments": {"day": "monday"},
        "capabilities": ["elicitation"],
        "state_expires_s": 0.001,
        "answers": {"who": {"action": "accept", "content": {"name": "Ada"}}},
    },
    # what it asks for says enough to be answered
    "cancel_visit": {"capabilities": ["elicitation"], "state_expires_s": 0.001},
}
QUESTIONS: Json = {
    "book_visit": ("who", "Who is it for?", "name", "string"),
    "cancel_visit": ("sure", "Are you sure?", "sure", "boolean"),
}
"""Tool → key, words, name and type of what it asks for."""
