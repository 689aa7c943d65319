"""A contract: the files of one bundle, each parsed once, and what its manifest makes of them.

Everything is derived on first use and kept. A document that cannot be read is a fact here
(`unreadable`), for a check to report; nothing stops at the first.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from bundles.coverage_policy import CoveragePolicy, read_coverage_policy
from bundles.digest import bundle_digest
from bundles.errors import BundlegateError, LimitExceeded, Refused
from bundles.json_reader import count_nodes as json_nodes
from bundles.json_reader import read_json
from bundles.json_walk import JSON_TOO_MANY_NODES, walk_json
from bundles.limits import DEFAULT_LIMITS, Limits
from bundles.lines import Lines
from bundles.manifest import EXAMPLES, MANIFEST_FILE, MODELS, Manifest
from bundles.manifest_reader import Problem, read_manifest
from bundles.reasons import reason
from bundles.schema_index import SchemaIndex, SchemaSource
from bundles.yaml_reader import count_nodes as yaml_nodes
from bundles.yaml_reader import parse_yaml

MANIFEST_UNUSABLE = reason(
    "MANIFEST_UNUSABLE",
    "The bundle has no manifest that names and pins a contract.",
    "Run `bundlegate bundle lint` and correct bundle.yaml first.",
)

_JSON = (".json",)
_YAML = (".yaml", ".yml")
DOCUMENT_SUFFIXES = (*_JSON, *_YAML)
_FAULT_WEIGHT = 5  # naming the fault of JSON takes the exact reader, which is that much slower
_LINED_NODES = 100_000  # values whose lines are looked up in one bundle; beyond, findings have none
_YAML_WEIGHT = 10  # a YAML value costs about ten times a JSON value to read

# what a complete bundle covers beyond its identity, in the manifest's words
_COVERABLE = (
    "declarations.agent_card",
    "declarations.mcp_tools",
    "declarations.skills",
    *(f"models.{name}" for name in MODELS),
    "profiles",
    "suites",
    "schemas",
    *(f"examples.{name}" for name in EXAMPLES),
    "skill_contracts",
    "execution_plan",
    "fixtures",
    "doubles",
    "coverage",
    "incidents",
    "expected_results.reason_codes",
)
# what this harness judges statically or live; anything else a bundle declares is kept, not judged
_JUDGED = {
    "declarations.mcp_tools",
    "profiles",
    "suites",
    "schemas",
    "fixtures",
    "coverage",
    "expected_results.reason_codes",
}


class Contract:
    """The files of one bundle and everything they say. Treat as immutable."""

    def __init__(self, files: Mapping[str, bytes], limits: Limits) -> None:
        self.files = files
        self.limits = limits
        self._lined = 0

    @classmethod
    def read(cls, files: Mapping[str, bytes], limits: Limits = DEFAULT_LIMITS) -> "Contract":
        """A contract over files that `read_archive` or `collect` let through.

        Args:
            files: path → content.
            limits: bounds on the documents.
        """
        return cls(dict(sorted(files.items(), key=lambda item: item[0].encode("utf-8"))), limits)

    @cached_property
    def digest(self) -> str:
        """The bundle digest."""
        return bundle_digest(self.files)

    @cached_property
    def _parsed(self) -> tuple[dict[str, Any], dict[str, BundlegateError]]:
        documents: dict[str, Any] = {}
        unreadable: dict[str, BundlegateError] = {}
        budget = self.limits.bundle_nodes
        crowded = self._may_be_crowded()
        for path, content in self.files.items():
            if not path.endswith(DOCUMENT_SUFFIXES):
                continue
            try:
                budget -= self._weight(path, content) if crowded and budget >= 0 else 0
                if budget < 0:  # by this document, or by the faults of those before it
                    raise LimitExceeded(
                        JSON_TOO_MANY_NODES,
                        "the bundle's documents hold too many values together",
                        path=path,
                        seen=self.limits.bundle_nodes - budget,
                        expected=self.limits.bundle_nodes,
                    )
                documents[path] = self._parse(path, content)
            except BundlegateError as error:
                unreadable[path] = error
                if budget >= 0 and path.endswith(_JSON):
                    budget -= _FAULT_WEIGHT * self._weight(path, content)
        return documents, unreadable

    def _may_be_crowded(self) -> bool:
        """False when the documents are too small to hold too many values, so none are counted."""
        in_json = sum(len(content) for path, content in self.files.items() if path.endswith(_JSON))
        in_yaml = sum(len(content) for path, content in self.files.items() if path.endswith(_YAML))
        # every JSON value takes two bytes, every YAML value one
        return in_json // 2 + _YAML_WEIGHT * in_yaml > self.limits.bundle_nodes

    def _weight(self, path: str, content: bytes) -> int:
        """Most values a document can hold, in JSON values; never more than it may hold."""
        if path.endswith(_JSON):
            return min(json_nodes(content, 0), self.limits.document_nodes)
        return _YAML_WEIGHT * min(yaml_nodes(content), self.limits.yaml_nodes)

    def _parse(self, path: str, content: bytes) -> Any:
        if path.endswith(_JSON):
            return read_json(content, limits=self.limits, path=path)
        return parse_yaml(content, limits=self.limits, path=path)

    @property
    def documents(self) -> Mapping[str, Any]:
        """Path → parsed JSON or YAML, for every readable .json, .yaml and .yml file."""
        return self._parsed[0]

    @property
    def unreadable(self) -> Mapping[str, BundlegateError]:
        """Path → why it could not be parsed."""
        return self._parsed[1]

    @cached_property
    def _manifest(self) -> tuple[Manifest | None, tuple[Problem, ...]]:
        if MANIFEST_FILE not in self.documents:
            return None, ()
        return read_manifest(self.documents[MANIFEST_FILE])

    @property
    def manifest_problems(self) -> tuple[Problem, ...]:
        """Everything wrong with bundle.yaml; empty also when it is missing or unreadable."""
        return self._manifest[1]

    @property
    def has_manifest(self) -> bool:
        """True when bundle.yaml names and pins a contract."""
        return self._manifest[0] is not None

    @property
    def manifest(self) -> Manifest:
        """The manifest.

        Raises:
            Refused: MANIFEST_UNUSABLE; `bundles.static.refusal_of` names the cause.
        """
        manifest = self._manifest[0]
        if manifest is None:
            raise Refused(MANIFEST_UNUSABLE, "bundle.yaml names no contract", path=MANIFEST_FILE)
        return manifest

    def files_of(self, purpose: str) -> tuple[str, ...]:
        """The files a reference of the manifest covers, in path order; empty without manifest."""
        if not self.has_manifest:
            return ()
        wanted = tuple(self.manifest.of(purpose))
        return tuple(path for path in self.files if any(r.covers(path) for r in wanted))

    @cached_property
    def suites(self) -> Mapping[str, Any]:
        """Path → parsed suite document, valid or not."""
        found = self.files_of("suites")
        return {path: self.documents[path] for path in found if path in self.documents}

    @cached_property
    def snapshots(self) -> Mapping[str, tuple[str, Any]]:
        """Profile → (path, parsed document), the first where a profile is named twice."""
        found: dict[str, tuple[str, Any]] = {}
        for reference in self.manifest.of("declarations.mcp_tools") if self.has_manifest else ():
            if reference.path in self.documents:
                document = self.documents[reference.path]
                found.setdefault(reference.profile, (reference.path, document))
        return found

    def snapshot_for(self, profile: str) -> tuple[Mapping[str, Any], ...] | None:
        """The tools the bundle declares for a profile, in order; None where it declares none."""
        known = self.snapshots.get(profile)
        if known is None:
            return None
        return tuple(tool for tool in tools_in(known[1])[0] if isinstance(tool, dict))

    @cached_property
    def tool_names(self) -> frozenset[str]:
        """Names of all tools in all snapshots."""
        return frozenset(
            tool["name"]
            for profile in self.snapshots
            for tool in self.snapshot_for(profile) or ()
            if isinstance(tool.get("name"), str)
        )

    @cached_property
    def tools_shown(self) -> list[str]:
        """The first twenty tool names, for findings that say what would have been known."""
        return sorted(self.tool_names)[:20]

    @cached_property
    def safe_calls(self) -> Mapping[str, tuple[Mapping[str, Any], ...]]:
        """Tool → argument objects that may be sent; empty tuple: derive them from inputSchema."""
        calls: dict[str, tuple[Mapping[str, Any], ...]] = {}
        for safe in self.manifest.safe_tools:
            given = () if safe.arguments is None else (safe.arguments,)
            calls[safe.tool] = calls.get(safe.tool, ()) + given
        return calls

    @property
    def safe_tools(self) -> tuple[str, ...]:
        """Names of the tools that may be called, in manifest order."""
        return tuple(self.safe_calls)

    @property
    def observers(self) -> tuple[str, ...]:
        """Names of the observers the bundle asks for."""
        return self.manifest.observers

    @cached_property
    def coverage_policy(self) -> CoveragePolicy:
        """What the bundle asks of its verification; nothing where it has no policy, or a wrong one
        (`bundle.coverage.policy-known` then fails).
        """
        for path in self.files_of("coverage"):
            if path in self.documents:
                return read_coverage_policy(self.documents[path])[0]
        return CoveragePolicy()

    @cached_property
    def profiles(self) -> Mapping[str, Mapping[str, Any]]:
        """Profile → its conditions, for every profile that profiles.yaml or a snapshot names; empty
        where none does.
        """
        named: dict[str, Mapping[str, Any]] = {}
        for path in self.files_of("profiles"):
            document = self.documents.get(path)
            for name, conditions in document.items() if isinstance(document, dict) else ():
                named.setdefault(name, conditions if isinstance(conditions, dict) else {})
        return {profile: {} for profile in self.snapshots} | named

    @property
    def unpinned(self) -> tuple[str, ...]:
        """The profiles for which the bundle declares no tools, in order."""
        return tuple(profile for profile in self.profiles if profile not in self.snapshots)

    @cached_property
    def schemas(self) -> SchemaIndex:
        """Every JSON Schema within the size limit: files under `schemas`, then tools' schemas."""
        return SchemaIndex(source for source in self._schema_sources if self._is_bearable(source))

    @property
    def oversized_schemas(self) -> tuple[SchemaSource, ...]:
        """Schemas beyond the size limit, which no check looks into."""
        return tuple(s for s in self._schema_sources if not self._is_bearable(s))

    def schema_size(self, source: SchemaSource) -> int:
        """Characters of a schema without white space; its file's size where that is enough."""
        size = len(self.files[source.path])
        if size <= self.limits.schema_bytes:
            return size
        return len(json.dumps(source.schema, ensure_ascii=False, separators=(",", ":")))

    def _is_bearable(self, source: SchemaSource) -> bool:
        return self.schema_size(source) <= self.limits.schema_bytes

    @cached_property
    def _schema_sources(self) -> tuple[SchemaSource, ...]:
        found = [
            SchemaSource(path, "", self.documents[path], addressable=True)
            for path in self.files_of("schemas")
            if path in self.documents
        ]
        for path, document in self.snapshots.values():
            listed, at = tools_in(document)
            for index, tool in enumerate(listed[: self.limits.tools]):
                for member in ("inputSchema", "outputSchema"):
                    if isinstance(tool, dict) and member in tool:
                        where = f"{at}/{index}/{member}"
                        found.append(SchemaSource(path, where, tool[member], addressable=False))
        return tuple(found)

    @cached_property
    def not_covered(self) -> tuple[str, ...]:
        """What the bundle says nothing about, or says and this harness does not judge yet."""
        if not self.has_manifest:
            return ()
        named = {reference.purpose for reference in self.manifest.references}
        absent = [name for name in _COVERABLE if name not in named]
        if self.snapshots:
            absent += [f"declarations.mcp_tools of profile {name}" for name in self.unpinned]
        unjudged = [
            f"{name} (declared, not judged by this harness)"
            for name in _COVERABLE
            if name in named and name not in _JUDGED
        ]
        unjudged += [
            f"coverage.{rule} (declared, not judged by this harness)"
            for rule in self.coverage_policy.combinations
        ]
        if "a2a" in self.manifest.protocol:
            unjudged.append("protocol.a2a (declared, not judged by this harness)")
        return (*absent, *unjudged)

    @cached_property
    def case_ids(self) -> frozenset[str]:
        """Ids of all cases: of suites, and of positive and negative case files."""
        found: set[str] = set()
        for document in self.suites.values():
            cases = document.get("cases") if isinstance(document, dict) else None
            found.update(_ids(cases, "id"))
        for purpose in ("examples.positive_cases", "examples.negative_cases"):
            for path in self.files_of(purpose):
                found.update(_ids(self.documents.get(path), "case"))
        return frozenset(found)

    def line_of(self, path: str, pointer: str) -> int | None:
        """The line of a value in a document, or of its nearest parent; None when unreadable, or
        when too many values would have to be read again.
        """
        known = self._lines.get(path)
        if known is None:
            known = self._lines[path] = self._read_lines(path)
        return known.of(pointer)

    def _read_lines(self, path: str) -> Lines:
        """Read a document once more for its lines: only files in which something is wrong."""
        lines = Lines()
        if path in self.documents:
            self._lined += self._weight(path, self.files[path])
        if self._lined > _LINED_NODES:
            return lines
        if path in self.documents and path.endswith(_YAML):
            parse_yaml(self.files[path], limits=self.limits, path=path, seen=lines)
        elif path in self.documents:
            text = self.files[path].decode("utf-8")
            walk_json(text, self.limits, exact_integers=True, path=path, seen=lines)
        return lines

    @cached_property
    def _lines(self) -> dict[str, Lines]:
        return {}


def _ids(cases: object, key: str) -> Iterator[str]:
    """The ids of one case or a list of them."""
    for case in cases if isinstance(cases, list) else [cases]:
        if isinstance(case, dict) and isinstance(case.get(key), str):
            yield case[key]


def tools_in(snapshot: object) -> tuple[list[Any], str]:
    """(tools, JSON pointer to the array) of a snapshot; no tools where its shape is wrong.

    A snapshot is an array of tools, or an object with a `tools` array, as tools/list answers.
    """
    at = ""
    if isinstance(snapshot, dict):
        snapshot, at = snapshot.get("tools"), "/tools"
    return (snapshot, at) if isinstance(snapshot, list) else ([], at)


def files_contract(
    files: Mapping[str, object] | None = None, manifest: Mapping[str, object] | None = None
) -> Contract:
    """A small contract for examples: a valid manifest, changed and extended.

    Args:
        files: path → bytes, text, or a JSON value to be written. A `bundle.yaml` here wins.
        manifest: members of `contract_bundle` to add or replace; None removes one.
    """
    body: dict[str, object] = {
        "contract_id": "example",
        "contract_version": "1.0.0",
        "protocol": {"mcp": "2026-07-28"},
        "producer": {"agent_id": "example-server"},
    }
    body.update(manifest or {})
    kept = {key: value for key, value in body.items() if value is not None}
    written: dict[str, bytes] = {MANIFEST_FILE: _as_bytes({"contract_bundle": kept})}
    written.update({path: _as_bytes(content) for path, content in (files or {}).items()})
    return Contract.read(written)


def _as_bytes(content: object) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode("utf-8")
    return json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8")
