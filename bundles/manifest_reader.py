"""Reading a manifest: every problem in one pass, with pointers and nearest-name suggestions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from bundles.digest import is_digest
from bundles.errors import BundlegateError
from bundles.json_walk import escape_pointer
from bundles.limits import DEFAULT_LIMITS
from bundles.manifest import (
    DEFAULT_PROFILE,
    EXAMPLES,
    MODELS,
    ROOT_KEY,
    SUPPORTED_PROTOCOLS,
    Manifest,
    Reference,
    SafeTool,
)
from bundles.names import MOST_OBSERVERS, NAME_FORM, is_name
from bundles.paths import clean_path

_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")
_MOST_SUGGESTIONS = 50  # a suggestion compares a key with every known one
_MOST_SNAPSHOTS = 100
_MOST_SAFE_TOOLS = 1_000
_DIGEST_FORM = "sha256:<64 lower-case hex digits>"


class Kind(StrEnum):
    """Which rule a problem breaks; each has its check in `bundles.checks`."""

    IDENTITY = "identity"  # one of the four fields without which there is no contract
    FIELD = "field"  # any other field of the wrong form
    UNKNOWN_KEY = "unknown-key"
    VERSION = "version"  # contract_version pins nothing
    ARTIFACT = "artifact"  # artifact_digest pins nothing
    PROTOCOL = "protocol"  # a version this harness does not support


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a manifest, at a pointer of the document."""

    kind: Kind
    pointer: str
    message: str
    seen: Any = None
    expected: Any = None


def read_manifest(document: object) -> tuple[Manifest | None, tuple[Problem, ...]]:
    """Read a parsed `bundle.yaml`.

    Returns:
        The manifest, or None when identity, version or artifact pins are not readable; and every
        problem in document order of the rules.
    """
    reader = _Reader()
    manifest = reader.read(document)
    return manifest, tuple(reader.problems)


class _Reader:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.references: list[Reference] = []
        self.suggested = 0

    def read(self, document: object) -> Manifest | None:
        if not isinstance(document, dict) or not isinstance(document.get(ROOT_KEY), dict):
            seen = type(document).__name__ if not isinstance(document, dict) else list(document)[:5]
            self._problem(
                Kind.IDENTITY, "", f"the document has no {ROOT_KEY} mapping", seen, ROOT_KEY
            )
            return None
        self._unknown(document, (ROOT_KEY,), "")
        body, at = document[ROOT_KEY], f"/{ROOT_KEY}"
        contract_id = self._name(body, "contract_id", at)
        version = self._version(body, at)
        protocol = self._protocol(body, at)
        producer, artifacts = self._producer(body, at)
        self._references(body, at)
        safe_tools = self._safe_tools(body.get("safe_tools", []), f"{at}/safe_tools")
        observers = self._observers(body.get("observers", []), f"{at}/observers")
        self._unknown(body, _KEYS, at)
        if any(p.kind in (Kind.IDENTITY, Kind.VERSION, Kind.ARTIFACT) for p in self.problems):
            return None
        return Manifest(
            contract_id=contract_id,
            contract_version=version,
            protocol=protocol,
            producer=producer,
            artifact_digests=artifacts,
            references=tuple(self.references),
            safe_tools=safe_tools,
            observers=observers,
        )

    def _name(self, body: Mapping[str, Any], key: str, at: str) -> str:
        value = body.get(key)
        if isinstance(value, str) and _NAME.fullmatch(value):
            return value
        what = "is missing" if key not in body else "is not a name"
        self._problem(
            Kind.IDENTITY,
            f"{at}/{key}",
            f"{key} {what}",
            _shown(value),
            "a string of letters, digits, '.', '_', '/' and '-', at most 200",
        )
        return ""

    def _version(self, body: Mapping[str, Any], at: str) -> str:
        value = body.get("contract_version")
        if isinstance(value, str) and _SEMVER.fullmatch(value):
            return value
        if "contract_version" not in body:
            message = "contract_version is missing"
        elif isinstance(value, int | float) and not isinstance(value, bool):
            message = (
                f"contract_version is the number {value}: YAML reads an unquoted {value} as a "
                "number, and a version is a string of three parts"
            )
        else:
            message = "contract_version is no SemVer version, so it pins nothing"
        self._problem(
            Kind.VERSION,
            f"{at}/contract_version",
            message,
            _shown(value),
            "SemVer 2.0.0, such as 3.4.0",
        )
        return ""

    def _protocol(self, body: Mapping[str, Any], at: str) -> dict[str, str]:
        at = f"{at}/protocol"
        stated = body.get("protocol")
        if not isinstance(stated, dict) or not stated.keys() & {"mcp", "a2a"}:
            self._problem(
                Kind.IDENTITY,
                at,
                "protocol must be a mapping that names a version of mcp or a2a",
                _shown(stated),
                {"mcp": "2026-07-28"},
            )
            return {}
        self._unknown(stated, tuple(SUPPORTED_PROTOCOLS), at)
        for name, supported in SUPPORTED_PROTOCOLS.items():
            if name in stated and stated[name] not in supported:
                quote = "" if isinstance(stated[name], str) else " (quote it: it is no string)"
                self._problem(
                    Kind.PROTOCOL,
                    f"{at}/{name}",
                    f"this harness does not support {name} {_shown(stated[name])}{quote}",
                    _shown(stated[name]),
                    list(supported),
                )
        return {n: v for n, v in stated.items() if isinstance(v, str) and n in SUPPORTED_PROTOCOLS}

    def _producer(self, body: Mapping[str, Any], at: str) -> tuple[str, tuple[str, ...]]:
        at = f"{at}/producer"
        stated = body.get("producer")
        if not isinstance(stated, dict):
            self._problem(
                Kind.IDENTITY, at, "producer must be a mapping with agent_id", _shown(stated)
            )
            return "", ()
        self._unknown(stated, ("agent_id", "artifact_digest"), at)
        producer = self._name(stated, "agent_id", at)
        if "artifact_digest" not in stated:
            return producer, ()
        pins, where = stated["artifact_digest"], f"{at}/artifact_digest"
        if isinstance(pins, list) and pins:
            for index, pin in enumerate(pins):
                self._pin(pin, f"{where}/{index}")
            return producer, tuple(p for p in pins if is_digest(p))
        self._pin(pins, where)
        return producer, (pins,) if is_digest(pins) else ()

    def _pin(self, pin: object, pointer: str) -> None:
        if not is_digest(pin):
            self._problem(
                Kind.ARTIFACT,
                pointer,
                "artifact_digest is no digest; a tag or `latest` pins nothing",
                _shown(pin),
                _DIGEST_FORM,
            )

    def _references(self, body: Mapping[str, Any], at: str) -> None:
        declarations = self._mapping(body, "declarations", at)
        where = f"{at}/declarations"
        self._unknown(declarations, ("agent_card", "mcp_tools", "skills"), where)
        self._reference(declarations, "agent_card", where, "declarations.agent_card")
        self._snapshots(declarations.get("mcp_tools"), f"{where}/mcp_tools")
        self._reference(declarations, "skills", where, "declarations.skills")
        self._group(body, "models", MODELS, at)
        for key in ("profiles", "suites", "schemas"):
            self._reference(body, key, at, key)
        self._group(body, "examples", EXAMPLES, at)
        for key in ("skill_contracts", "execution_plan", "fixtures", "doubles", "coverage"):
            self._reference(body, key, at, key)
        self._reference(body, "incidents", at, "incidents")
        self._group(body, "expected_results", ("reason_codes",), at)

    def _group(self, body: Mapping[str, Any], key: str, members: tuple[str, ...], at: str) -> None:
        group = self._mapping(body, key, at)
        self._unknown(group, members, f"{at}/{key}")
        for member in members:
            self._reference(group, member, f"{at}/{key}", f"{key}.{member}")

    def _reference(self, group: Mapping[str, Any], key: str, at: str, purpose: str) -> None:
        if key in group:
            self._path(group[key], f"{at}/{key}", purpose)

    def _snapshots(self, stated: object, at: str) -> None:
        if stated is None:
            return
        if not isinstance(stated, list):
            self._path(stated, at, "declarations.mcp_tools", DEFAULT_PROFILE)
            return
        if len(stated) > _MOST_SNAPSHOTS:
            self._field(at, f"more than {_MOST_SNAPSHOTS} snapshots", len(stated), _MOST_SNAPSHOTS)
            return
        for index, entry in enumerate(stated):
            where = f"{at}/{index}"
            if not isinstance(entry, dict) or not isinstance(entry.get("profile"), str):
                self._field(where, "expected {profile, file}", entry, "{profile, file}")
                continue
            self._unknown(entry, ("profile", "file"), where)
            self._path(
                entry.get("file"), f"{where}/file", "declarations.mcp_tools", entry["profile"]
            )

    def _path(self, stated: object, pointer: str, purpose: str, profile: str = "") -> None:
        if not isinstance(stated, str):
            self._field(pointer, "expected the path of a file or folder", stated, "a path")
            return
        try:
            path = clean_path(stated.removesuffix("/"), DEFAULT_LIMITS)
        except BundlegateError as error:
            self._field(pointer, f"not a path in the bundle: {error.detail}", stated, "a path")
            return
        self.references.append(Reference(pointer, path, purpose, profile))

    def _safe_tools(self, stated: object, at: str) -> tuple[SafeTool, ...]:
        if not isinstance(stated, list):
            self._field(at, "expected a list of tools", stated, "a list")
            return ()
        if len(stated) > _MOST_SAFE_TOOLS:
            self._field(at, f"more than {_MOST_SAFE_TOOLS} tools", len(stated), _MOST_SAFE_TOOLS)
            return ()
        found = []
        for index, entry in enumerate(stated):
            where = f"{at}/{index}"
            if isinstance(entry, str) and entry:
                found.append(SafeTool(entry, None, where))
            elif isinstance(entry, dict) and isinstance(entry.get("tool"), str) and entry["tool"]:
                self._unknown(entry, ("tool", "arguments"), where)
                arguments = entry.get("arguments", {})
                if isinstance(arguments, dict):
                    found.append(SafeTool(entry["tool"], arguments, where))
                else:
                    self._field(f"{where}/arguments", "expected a mapping", arguments, "a mapping")
            else:
                self._field(
                    where, "expected a tool's name, or {tool, arguments}", entry, "a tool's name"
                )
        return tuple(found)

    def _observers(self, stated: object, at: str) -> tuple[str, ...]:
        if not isinstance(stated, list):
            self._field(at, "expected a list of names", stated, "a list of names")
            return ()
        if len(stated) > MOST_OBSERVERS:
            self._field(at, f"more than {MOST_OBSERVERS} observers", len(stated), MOST_OBSERVERS)
            return ()
        named: list[str] = []
        for index, entry in enumerate(stated):
            if not is_name(entry):
                self._field(f"{at}/{index}", "no observer can have this name", entry, NAME_FORM)
            elif entry in named:
                self._field(f"{at}/{index}", "a name appears twice", entry, "each name once")
            else:
                named.append(entry)
        return tuple(named)

    def _mapping(self, body: Mapping[str, Any], key: str, at: str) -> Mapping[str, Any]:
        stated = body.get(key, {})
        if isinstance(stated, dict):
            return stated
        self._field(f"{at}/{key}", "expected a mapping", stated, "a mapping")
        return {}

    def _unknown(self, body: Mapping[str, Any], known: tuple[str, ...], at: str) -> None:
        for key in body:
            if key not in known:
                self.suggested += 1
                short = key[:80] if self.suggested <= _MOST_SUGGESTIONS else ""
                near = get_close_matches(short, known, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self._problem(
                    Kind.UNKNOWN_KEY,
                    f"{at}/{escape_pointer(key)}",
                    f"unknown key {key[:80]!r}{hint}",
                    key[:80],
                    near[0] if near else list(known),
                )

    def _field(self, pointer: str, message: str, seen: object, expected: object) -> None:
        self._problem(Kind.FIELD, pointer, message, _shown(seen), expected)

    def _problem(
        self, kind: Kind, pointer: str, message: str, seen: object = None, expected: object = None
    ) -> None:
        self.problems.append(Problem(kind, pointer, message, seen, expected))


def _shown(value: object) -> Any:
    """A value as findings show it: scalars cut, collections by kind."""
    if isinstance(value, str):
        return value[:100]
    if value is None or isinstance(value, bool | int | float):
        return value
    return "a mapping" if isinstance(value, dict) else "a list"


_KEYS = (
    "contract_id",
    "contract_version",
    "protocol",
    "producer",
    "declarations",
    "models",
    "profiles",
    "suites",
    "schemas",
    "examples",
    "skill_contracts",
    "execution_plan",
    "safe_tools",
    "observers",
    "fixtures",
    "doubles",
    "coverage",
    "incidents",
    "expected_results",
)
