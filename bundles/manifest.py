"""The manifest of a bundle as a typed model: what `bundle.yaml` says, once it was read well.

`bundles.manifest_reader.read_manifest` makes it and reports everything that is wrong.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MANIFEST_FILE = "bundle.yaml"
ROOT_KEY = "contract_bundle"
DEFAULT_PROFILE = "default"

SUPPORTED_PROTOCOLS: Mapping[str, tuple[str, ...]] = {
    "mcp": ("2026-07-28", "2025-11-25"),
    "a2a": ("1.0",),
    "json_schema": ("2020-12",),
}
"""Protocol versions this harness reads."""

MODELS = ("task_state_machine", "invariants", "errors", "authorization", "temporal")
EXAMPLES = ("consumer_pacts", "positive_cases", "negative_cases")


@dataclass(frozen=True, slots=True)
class Reference:
    """A file or folder the manifest names.

    Attributes:
        pointer: where the manifest names it.
        path: the path, without a trailing slash.
        purpose: what it is for, in the manifest's words: "suites", "models.errors", ….
        profile: for snapshots, the profile it was taken under.
    """

    pointer: str
    path: str
    purpose: str
    profile: str = ""

    def covers(self, file: str) -> bool:
        """True for the file itself, or a file in the folder."""
        return file == self.path or file.startswith(self.path + "/")


@dataclass(frozen=True, slots=True)
class SafeTool:
    """A tool that may be called.

    Attributes:
        tool: its name.
        arguments: what to send; None when the harness derives arguments from the inputSchema.
        pointer: where the manifest names it.
    """

    tool: str
    arguments: Mapping[str, Any] | None
    pointer: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `bundle.yaml` says.

    Attributes:
        contract_id: name of the contract.
        contract_version: SemVer 2.0.0.
        protocol: protocol → version: "mcp", "a2a", "json_schema".
        producer: the producer's agent id.
        artifact_digests: the builds the contract is for; empty: each candidate brings its pin.
        references: every file and folder named, in manifest order.
        safe_tools: tools that may be called, in manifest order.
        observers: names of observers the operator must attach.
    """

    contract_id: str
    contract_version: str
    protocol: Mapping[str, str]
    producer: str
    artifact_digests: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    safe_tools: tuple[SafeTool, ...] = ()
    observers: tuple[str, ...] = field(default=())

    def of(self, purpose: str) -> Iterator[Reference]:
        """The references with a purpose."""
        return (r for r in self.references if r.purpose == purpose)
