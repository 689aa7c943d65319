"""What `bundlegate bundle init --from-server` writes: a server's surface as a contract to review.

Only what may be called is called later: a suite of calls is written for tools that are named safe,
or that say themselves that they only read. The others are in the snapshot, and a suite that calls
nothing looks for all of them.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from bundles.mcp.arguments import valid_arguments
from bundles.mcp.tools import Tool, hint
from bundles.suite.generate import GenerationRefused, Skipped, generate_suite
from bundles.suite.generate.fixtures import Fixtures
from bundles.suite.generate.refusals import INVALID_FIXTURE_VALUE
from bundles.suite.generate.slugs import Ids, tool_slug

_MANIFEST = """\
# What one provider promises, as its server says it today, and what may be called to prove it.
contract_bundle:
  contract_id: {contract_id}
  contract_version: 0.1.0            # SemVer, three parts
  protocol: {{mcp: {revision}, json_schema: "2020-12"}}
  producer:
    agent_id: {producer}
    # artifact_digest: sha256:…      # left out, each candidate brings its own pin
  declarations:
    mcp_tools:
      - {{profile: default, file: mcp-tools.snapshot.json}}
  profiles: profiles.yaml
{suites}
  # What verification may call: named with --safe, or declared read-only by the server. Review it.
  safe_tools:{safe}
"""
_PROFILES = """\
# The conditions the snapshot was taken under: candidates are observed under the same.
default:
  revision: {revision}
  transport: {transport}
"""
_SURFACE = "surface"
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A bundle drawn from a server.

    Attributes:
        files: path → content.
        safe: the tools that suites call, in the order the server lists them.
        uncalled: the tools that no suite calls because nobody says that it is safe.
        skipped: safe tools without a suite, because their schema cannot be followed.
        uncovered_outputs: outputs that no suite asserts.
        uncovered_fields: fields and branches that no suite tries.
        without_arguments: safe tools that verification cannot call, for want of arguments.
    """

    files: dict[str, bytes]
    safe: tuple[str, ...]
    uncalled: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    uncovered_outputs: tuple[Skipped, ...]
    uncovered_fields: tuple[Skipped, ...]
    without_arguments: tuple[str, ...]


def draw_bundle(
    tools: Sequence[Tool],
    *,
    revision: str,
    transport: str,
    contract_id: str,
    producer: str,
    safe: Collection[str],
    fixtures: Fixtures | None = None,
) -> Drawn:
    """A bundle with snapshot, profile and suites: the same tools always give the same bytes.

    Args:
        tools: as the server lists them.
        revision: the protocol revision that was spoken.
        transport: "http" or "stdio".
        contract_id: name of the contract.
        producer: agent id of the producer.
        safe: tools that may be called although they do not say that they only read.
        fixtures: values that exist on the server, for the arguments of safe tools.

    Raises:
        GenerationRefused: INVALID_FIXTURE_VALUE.
    """
    callable_ = [t for t in tools if t["name"] in safe or hint(t, "readOnlyHint")]
    names = tuple(str(tool["name"]) for tool in callable_)
    suites, left = _suites(tools, names, fixtures or {})
    arguments = {str(t["name"]): _arguments(t, suites, fixtures or {}) for t in callable_}
    manifest = _MANIFEST.format(
        contract_id=_quoted(contract_id),
        producer=_quoted(producer),
        revision=_quoted(revision),
        suites="  suites: suites/" if tools else "  # suites: suites/    # no tool is listed yet",
        safe="".join(f"\n    - {_safe(name, arguments[name])}" for name in names) or " []",
    )
    files = {
        "bundle.yaml": manifest.encode(),
        "profiles.yaml": _PROFILES.format(revision=_quoted(revision), transport=transport).encode(),
        "mcp-tools.snapshot.json": _written({"tools": list(tools)}),
    }
    if tools:
        files[f"suites/{_SURFACE}.json"] = _written(_surface(tools))
    for document in suites.values():
        files[f"suites/{document['id']}.json"] = _written(document)
    uncalled = tuple(str(tool["name"]) for tool in tools if tool not in callable_)
    return Drawn(
        files,
        names,
        uncalled,
        skipped=tuple(left.skipped),
        uncovered_outputs=tuple(left.outputs),
        uncovered_fields=tuple(left.fields),
        without_arguments=tuple(name for name in names if arguments[name] is None),
    )


@dataclass(frozen=True, slots=True)
class _Left:
    """What the suites leave out."""

    skipped: list[Skipped]
    outputs: list[Skipped]
    fields: list[Skipped]


def _suites(
    tools: Sequence[Tool], called: Collection[str], fixtures: Fixtures
) -> tuple[dict[str, dict[str, Any]], _Left]:
    """Tool → its generated suite; and what cannot be had of the others."""
    suites: dict[str, dict[str, Any]] = {}
    left = _Left([], [], [])
    ids = Ids()
    ids.unique(_SURFACE)
    for index, tool in enumerate(tools):
        name = str(tool["name"])
        if name not in called:
            continue
        suite_id = ids.unique(tool_slug(name))
        given = {name: fixtures[name]} if name in fixtures else None
        try:
            generated = generate_suite(
                [tool], suite_id=suite_id, suite_name=f"Calls of {name}", fixtures=given
            )
        except GenerationRefused as refusal:
            if refusal.reason_code == INVALID_FIXTURE_VALUE:
                raise
            left.skipped.append(_placed(Skipped(0, name, refusal.path, refusal.detail), index))
        else:
            suites[name] = generated.suite
            left.outputs.extend(_placed(one, index) for one in generated.uncovered_outputs)
            left.fields.extend(_placed(one, index) for one in generated.uncovered_fields)
    return suites, left


def _placed(left: Skipped, index: int) -> Skipped:
    """What was said of a tool alone, said of the tool in its list."""
    path = re.sub(r"^tools\[0\]", f"tools[{index}]", left.path)
    return Skipped(index, left.tool, path, left.message)


def _arguments(
    tool: Tool, suites: dict[str, dict[str, Any]], fixtures: Fixtures
) -> dict[str, Any] | None:
    """What a safe tool is to be called with; {} where verification makes it, None for nothing.

    Somebody vouches for a fixture. Verification makes plainer arguments than suites do: of what it
    cannot follow it takes theirs, for a tool that nobody can call is never verified.
    """
    name = str(tool["name"])
    derived = valid_arguments(tool.get("inputSchema"))
    if name in suites and (name in fixtures or derived is None):
        given: dict[str, Any] = suites[name]["cases"][0]["operation"]["input"]
        return given
    return None if derived is None else {}


def _safe(tool: str, arguments: dict[str, Any] | None) -> str:
    """A safe tool as the manifest names it."""
    return _quoted({"tool": tool, "arguments": arguments} if arguments else tool)


def _quoted(value: object) -> str:
    """A JSON value on one line, as YAML and JSON both read it."""
    written = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _surface(tools: Sequence[Tool]) -> dict[str, Any]:
    """One case: every tool is listed. It calls none."""
    return {
        "schemaVersion": 1,
        "id": _SURFACE,
        "name": "Tools that are listed",
        "cases": [
            {
                "id": "tools-listed",
                "name": "The server lists every tool",
                "operation": {"type": "listTools"},
                "assertions": [{"type": "toolExists", "tool": tool["name"]} for tool in tools],
            }
        ],
    }


def _written(document: object) -> bytes:
    return (json.dumps(document, ensure_ascii=True, indent=2) + "\n").encode()
