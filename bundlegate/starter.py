"""What `bundlegate bundle init` writes: the smallest bundle that says something."""

import json

_MANIFEST = """\
# What one provider promises, and what may be called to prove it.
contract_bundle:
  contract_id: {contract_id}
  contract_version: 0.1.0            # SemVer, three parts
  protocol: {{mcp: "2026-07-28", json_schema: "2020-12"}}
  producer:
    agent_id: {producer}
    # artifact_digest: sha256:…      # left out, each candidate brings its own pin
  declarations:
    mcp_tools: mcp-tools.snapshot.json   # take it with `bundlegate snapshot take`
  suites: suites/
  safe_tools: [echo]                 # what may be called with derived arguments
"""

_SNAPSHOT = [
    {
        "name": "echo",
        "description": "Says the text again.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
]

_SUITE = {
    "schemaVersion": 1,
    "id": "smoke",
    "name": "Smoke",
    "cases": [
        {
            "id": "echo-exists",
            "name": "The tool is listed",
            "operation": {"type": "listTools"},
            "assertions": [{"type": "toolExists", "tool": "echo"}],
        },
        {
            "id": "echo-answers",
            "name": "The tool answers",
            "operation": {"type": "callTool", "tool": "echo", "input": {"text": "hello"}},
            "assertions": [{"type": "isError", "expected": False}],
        },
    ],
}


def starter_files(contract_id: str, producer: str) -> dict[str, bytes]:
    """Path → content of a bundle that passes every static check when the names are well formed."""
    manifest = _MANIFEST.format(contract_id=json.dumps(contract_id), producer=json.dumps(producer))
    return {
        "bundle.yaml": manifest.encode("utf-8"),
        "mcp-tools.snapshot.json": _document(_SNAPSHOT),
        "suites/smoke.json": _document(_SUITE),
    }


def _document(value: object) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode("utf-8")
