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
    """

    files: dict[str, bytes]
    safe: tuple[str, ...]
    uncalled: tuple[str, ...]
    skipped: tuple[Skipped, ...]


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
    suites, skipped = _suites(tools, names, fixtures or {})
    manifest = _MANIFEST.format(
        contract_id=_quoted(contract_id),
        producer=_quoted(producer),
        revision=_quoted(revision),
        suites="  suites: suites/" if tools else "  # suites: suites/    # no tool is listed yet",
        safe="".join(f"\n    - {_safe(name, suites, fixtures or {})}" for name in names) or " []",
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
    return Drawn(files, names, uncalled, tuple(skipped))


def _suites(
    tools: Sequence[Tool], called: Collection[str], fixtures: Fixtures
) -> tuple[dict[str, dict[str, Any]], list[Skipped]]:
    """Tool → its generated suite; and the tools that cannot have one."""
    suites: dict[str, dict[str, Any]] = {}
    skipped: list[Skipped] = []
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
            path = refusal.path.replace("tools[0]", f"tools[{index}]", 1)
            skipped.append(Skipped(index, name, path, refusal.detail))
        else:
            suites[name] = generated.suite
    return suites, skipped


def _safe(tool: str, suites: dict[str, dict[str, Any]], fixtures: Fixtures) -> str:
    """A safe tool as the manifest names it, with arguments where somebody vouches for some."""
    if tool not in fixtures or tool not in suites:
        return _quoted(tool)
    arguments = suites[tool]["cases"][0]["operation"]["input"]
    return _quoted({"tool": tool, "arguments": arguments})


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
