"""Tools as a transcript lists them, and the digests they are compared by.

The digest of a tool is the semantic one over its definition as sent, with annotations replaced by
their effective values (an absent hint means its default) and `$schema` in one spelling. Cache
hints and cursors belong to the page and take no part.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bundles.canonical import semantic_digest
from bundles.errors import Refused
from bundles.mcp import probes
from bundles.transcript import Exchange, Transcript

Tool = Mapping[str, Any]

HINT_DEFAULTS: Mapping[str, bool] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
"""What an absent annotation means (schema.ts, ToolAnnotations)."""


_DEFAULT_DIALECT = "json-schema.org/draft/2020-12/schema"


def tools_in(exchanges: Iterable[Exchange]) -> tuple[Tool, ...]:
    """The tool objects of the pages of one walk, in order; what is no object is left out."""
    return tuple(
        tool
        for exchange in exchanges
        if isinstance(exchange.result, dict) and isinstance(exchange.result.get("tools"), list)
        for tool in exchange.result["tools"]
        if isinstance(tool, dict)
    )


def listed_tools(transcript: Transcript) -> tuple[Tool, ...]:
    """The tools of the first walk over tools/list, in order."""
    return tools_in(transcript.of(probes.TOOLS_LIST))


def gap_in(pages: Sequence[Exchange]) -> str:
    """Why the pages of a walk over tools/list are not the whole list, "" where they are.

    What is counted over all tools cannot be told from some of them.
    """
    if not pages:
        return "tools/list was not asked"
    for page in pages:
        if page.failure is not None:
            return f"tools/list: {page.failure}: {page.note}".rstrip(": ")
        if not isinstance(page.result, dict) or not isinstance(page.result.get("tools"), list):
            code = None if page.error is None else page.error.get("code")
            told = "no list of tools" if code is None else f"JSON-RPC error {code}"
            return f"tools/list was answered with {told}"
    if pages[-1].result.get("nextCursor") is not None:
        return f"the list of tools has no end within {len(pages)} page(s)"
    return ""


def by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Tools by name; of two with one name the first counts."""
    named: dict[str, Tool] = {}
    for tool in tools:
        named.setdefault(str(tool.get("name", "")), tool)
    return named


def hint(tool: Tool, name: str) -> bool:
    """The effective value of an annotation: as declared, else its default."""
    annotations = tool.get("annotations")
    declared = annotations.get(name) if isinstance(annotations, dict) else None
    return declared if isinstance(declared, bool) else HINT_DEFAULTS[name]


def effective(tool: Tool) -> dict[str, Any]:
    """A tool with the defaults of its annotations written out and `$schema` in one spelling."""
    annotations = tool.get("annotations")
    declared = annotations if isinstance(annotations, dict) else {}
    schemas = {m: one_dialect(tool[m]) for m in ("inputSchema", "outputSchema") if m in tool}
    return {**tool, **schemas, "annotations": {**HINT_DEFAULTS, **declared}}


def one_dialect(schema: Any) -> Any:
    """A schema whose `$schema` is spelled one way: http or https, with an empty fragment or
    without are the same, and the default dialect need not be named.
    """
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(named, str):
        return schema
    dialect = named.removesuffix("#").partition("://")[2]
    if not dialect.startswith("json-schema.org/"):
        return schema
    rest = {key: value for key, value in schema.items() if key != "$schema"}
    if dialect == _DEFAULT_DIALECT:
        return rest
    return {"$schema": f"https://{dialect}", **rest}


def tool_digest(tool: Tool) -> str:
    """The semantic digest of one tool.

    Raises:
        Refused: the tool holds a value without canonical form.
    """
    return semantic_digest(effective(tool))


def definitions(tools: Iterable[Tool]) -> dict[str, Any]:
    """Each tool's digest by name; of one without canonical form the tool itself, to compare by."""
    return {name: _comparable(tool) for name, tool in by_name(tools).items()}


def _comparable(tool: Tool) -> object:
    try:
        return tool_digest(tool)
    except Refused:
        return tool


def list_digest(tools: Sequence[Tool]) -> str:
    """The semantic digest of an ordered tool list: a snapshot's digest.

    Raises:
        Refused: a tool holds a value without canonical form.
    """
    return semantic_digest([effective(tool) for tool in tools])
