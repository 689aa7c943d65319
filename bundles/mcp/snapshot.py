"""Snapshots: what a server listed under one profile, kept to be compared; pure.

Two tools are the same when their digests are (`bundles.mcp.tools`): formatting, key order, the
spelling of `$schema` and spelled-out annotation defaults make no difference. The digests of the
bytes are kept beside them. `bundles.mcp.snapshot_diff` compares two snapshots.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bundles.errors import Refused
from bundles.limits import DEFAULT_LIMITS
from bundles.mcp.served_bytes import byte_digests, tool_texts
from bundles.mcp.tools import Tool, by_name, list_digest, tool_digest
from bundles.reasons import reason

SNAPSHOT_SHAPE = reason(
    "SNAPSHOT_SHAPE",
    "A document is no tool snapshot.",
    "give a tools/list result, or an array of tools that each have a name of their own",
)

OFFERS = ("prompts", "resources", "resourceTemplates")
"""Lists a server may offer beside its tools, as their list results name them."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot as it was read.

    Attributes:
        profile, revision: "" where the document does not say.
        capabilities: what the server declared, None where the document does not say.
        offers: the lists beside the tools that the document holds: "prompts", "resources",
            "resourceTemplates".
        byte_digests: tool → digest of its bytes: as served where that was recorded, else as they
            stand in the document.
    """

    tools: tuple[Tool, ...]
    profile: str = ""
    revision: str = ""
    capabilities: Mapping[str, Any] | None = None
    offers: Mapping[str, Any] = field(default_factory=dict)
    byte_digests: Mapping[str, str] = field(default_factory=dict)


def read_snapshot(document: object, text: str, path: str = "") -> Snapshot:
    """A snapshot document: a tools/list result, an array of tools, or what `take` wrote.

    Args:
        document: the document, parsed.
        text: the same, as it stands in the file.
        path: its name, for refusals.

    Raises:
        Refused: SNAPSHOT_SHAPE, with the pointer of what is wrong.
    """
    tools = read_tools(document, path)
    facts = document if isinstance(document, dict) else {}
    capabilities, recorded = facts.get("capabilities"), facts.get("byte_digests")
    told = {name: str(facts.get(name, "") or "") for name in ("profile", "revision")}
    return Snapshot(
        tools,
        **told,
        capabilities=capabilities if isinstance(capabilities, dict) else None,
        offers={name: facts[name] for name in OFFERS if isinstance(facts.get(name), list)},
        byte_digests=(
            {str(name): str(digest) for name, digest in recorded.items()}
            if isinstance(recorded, dict)
            else byte_digests(tool_texts(text))
        ),
    )


def read_tools(document: object, path: str = "") -> tuple[Tool, ...]:
    """The tools of a snapshot document: a tools/list result, or an array of tools.

    Raises:
        Refused: SNAPSHOT_SHAPE, with the pointer of what is wrong.
    """
    listed, at = document, ""
    if isinstance(document, dict):
        listed, at = document.get("tools"), "/tools"
    if not isinstance(listed, list):
        raise Refused(SNAPSHOT_SHAPE, "there is no array of tools", path=path, pointer=at)
    if len(listed) > DEFAULT_LIMITS.tools:
        raise Refused(
            SNAPSHOT_SHAPE,
            "too many tools",
            path=path,
            pointer=at,
            seen=len(listed),
            expected=DEFAULT_LIMITS.tools,
        )
    names: set[str] = set()
    for index, tool in enumerate(listed):
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str) or name in names:
            what = "two tools have this name" if isinstance(name, str) else "no tool with a name"
            raise Refused(SNAPSHOT_SHAPE, what, path=path, pointer=f"{at}/{index}", seen=name)
        names.add(name)
    return tuple(listed)


def snapshot_document(tools: Sequence[Tool], **facts: Any) -> dict[str, Any]:
    """A snapshot to keep: the tools as served, their digests, and facts outside every digest.

    It is a tools/list result with more beside it, so `read_tools` and bundles take it.

    Raises:
        Refused: a tool has no canonical form.
    """
    return {
        **facts,
        "digest": list_digest(tools),
        "tool_digests": {name: tool_digest(tool) for name, tool in by_name(tools).items()},
        "tools": [dict(tool) for tool in tools],
    }
