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
  safe_tools: {safe}
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
) -> Drawn:
    """A bundle with snapshot, profile and suites: the same tools always give the same bytes.

    Args:
        tools: as the server lists them.
        revision: the protocol revision that was spoken.
        transport: "http" or "stdio".
        contract_id: name of the contract.
        producer: agent id of the producer.
        safe: tools that may be called although they do not say that they only read.
    """
    callable_ = [t for t in tools if t["name"] in safe or hint(t, "readOnlyHint")]
    names = tuple(str(tool["name"]) for tool in callable_)
    manifest = _MANIFEST.format(
        contract_id=_quoted(contract_id),
        producer=_quoted(producer),
        revision=_quoted(revision),
        suites="  suites: suites/" if tools else "  # suites: suites/    # no tool is listed yet",
        safe=f"[{', '.join(map(_quoted, names))}]",
    )
    files = {
        "bundle.yaml": manifest.encode(),
        "profiles.yaml": _PROFILES.format(revision=_quoted(revision), transport=transport).encode(),
        "mcp-tools.snapshot.json": _written({"tools": list(tools)}),
    }
    if tools:
        files[f"suites/{_SURFACE}.json"] = _written(_surface(tools))
    skipped: list[Skipped] = []
    ids = Ids()
    ids.unique(_SURFACE)
    for index, tool in enumerate(tools):
        if tool not in callable_:
            continue
        suite_id = ids.unique(tool_slug(str(tool["name"])))
        try:
            generated = generate_suite([tool], suite_id=suite_id, suite_name=_name(tool))
        except GenerationRefused as refusal:
            path = refusal.path.replace("tools[0]", f"tools[{index}]", 1)
            skipped.append(Skipped(index, str(tool["name"]), path, refusal.detail))
        else:
            files[f"suites/{suite_id}.json"] = _written(generated.suite)
    uncalled = tuple(str(tool["name"]) for tool in tools if tool not in callable_)
    return Drawn(files, names, uncalled, tuple(skipped))


def _quoted(text: str) -> str:
    """Text in double quotes, as YAML and JSON both read it."""
    written = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _name(tool: Tool) -> str:
    return f"Calls of {tool['name']}"


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
