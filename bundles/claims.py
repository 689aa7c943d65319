"""Claims: what a server says of itself that only watching can prove.

A claim with a check behind it becomes verified, contradicted or *not verified* by that check. A
claim that nothing here can watch yet has no check, since a check that cannot fail proves nothing:
it is listed in evidence as unwatched, and policy decides whether it may stand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bundles.mcp.tools import hint, listed_tools
from bundles.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: its name in policies and evidence, what it means, and the check that proves it.

    `check_id` is "" for a claim that nothing watches yet; `why` then says what is missing.
    """

    name: str
    meaning: str
    check_id: str = ""
    why: str = ""


_ALL = (
    Claim(
        "read-only-hint",
        "a tool with readOnlyHint: true writes nothing",
        check_id="mcp.annotations.read-only-hint",
    ),
    Claim(
        "idempotent-hint",
        "a tool with idempotentHint: true changes nothing more when called again",
        check_id="mcp.annotations.idempotent-hint",
    ),
    Claim(
        "destructive-hint",
        "a tool with destructiveHint: false removes nothing",
        check_id="mcp.annotations.destructive-hint",
    ),
    Claim(
        "refused-calls",
        "a call that a tool refuses for its arguments has changed nothing",
        check_id="mcp.calls.refused-call-does-nothing",
    ),
    Claim(
        "open-world-hint",
        "a tool with openWorldHint: false reaches nothing outside",
        why="no egress observer was attached",
    ),
    Claim(
        "tenant-isolation",
        "one tenant's principal neither reads nor changes what belongs to another",
        why="no run had the credentials of two tenants",
    ),
    Claim(
        "authorization",
        "each operation is denied to those the authorization matrix denies it to",
        why="no run had the credentials of an authorization matrix",
    ),
)

CLAIMS: Mapping[str, Claim] = MappingProxyType({claim.name: claim for claim in _ALL})
"""Every claim by name. Policies may name these and no others."""


@dataclass(frozen=True, slots=True)
class Unwatched:
    """A claim nobody watched in a run, and why: {"claim", "why"} in evidence."""

    claim: str
    why: str


def unwatched(transcript: Transcript) -> tuple[Unwatched, ...]:
    """The claims without a check that a security run leaves unverified, in name order.

    Only the security stage proves claims; for every other stage the answer is empty. The open-world
    claim is made by a tool with `openWorldHint: false`; where the list is known and no tool makes
    it, there is nothing to watch.
    """
    if transcript.stage != "security":
        return ()
    tools = listed_tools(transcript)
    unclaimed = bool(tools) and all(hint(tool, "openWorldHint") for tool in tools)
    without_check = sorted(name for name, claim in CLAIMS.items() if not claim.check_id)
    return tuple(
        Unwatched(name, CLAIMS[name].why)
        for name in without_check
        if not (unclaimed and name == "open-world-hint")
    )
