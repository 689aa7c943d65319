"""The lists of a server: tools, prompts, resources and resource templates."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.canonical import canonical_bytes
from bundles.compat.change import Compatibility as Verdict
from bundles.compat.rule import Said, Scope, rule
from bundles.compat.subjects import SnapshotPair
from bundles.compat.verdict import NOTHING
from bundles.mcp.problem import pointer_of
from bundles.reasons import reason

TOOL_ADDED = reason(
    "SNAPSHOT_TOOL_ADDED",
    "A tool is in the new snapshot only.",
    "nothing: consumers of the old snapshot are not affected",
)
TOOL_REMOVED = reason(
    "SNAPSHOT_TOOL_REMOVED",
    "A tool is in the old snapshot only.",
    "keep the tool until no consumer calls it",
)
TOOL_RENAMED = reason(
    "SNAPSHOT_TOOL_RENAMED",
    "A tool is gone, and one with the same description and schemas has another name.",
    "offer it under its old name too until no consumer calls that",
)
ORDER_CHANGED = reason(
    "SNAPSHOT_ORDER_CHANGED",
    "The same tools are listed in another order.",
    "list tools in a fixed order, so that prompt caches of clients hold",
)
OFFER_ADDED = reason(
    "SNAPSHOT_OFFER_ADDED",
    "A prompt, a resource or a resource template is in the new snapshot only.",
    "nothing: consumers of the old snapshot are not affected",
)
OFFER_REMOVED = reason(
    "SNAPSHOT_OFFER_REMOVED",
    "A prompt, a resource or a resource template is in the old snapshot only.",
    "keep it until no consumer uses it",
)
OFFER_CHANGED = reason(
    "SNAPSHOT_OFFER_CHANGED",
    "A prompt, a resource or a resource template is declared differently.",
    "review the member named: a text that models read, or a type that readers rely on",
)
PROMPT_ARGUMENT_REQUIRED = reason(
    "SNAPSHOT_PROMPT_ARGUMENT_REQUIRED",
    "A prompt needs an argument that could be left out, or was not known.",
    "make the argument optional, or offer the prompt under a new name",
)
PROMPT_ARGUMENT_FREED = reason(
    "SNAPSHOT_PROMPT_ARGUMENT_FREED",
    "A prompt no longer needs an argument.",
    "nothing: requests with it are still served",
)

_KEYS: Mapping[str, str] = {
    "prompts": "name",
    "resources": "uri",
    "resourceTemplates": "uriTemplate",
}
"""List → the member that tells its items apart (schema.ts: Prompt, Resource, ResourceTemplate)."""

_A: Mapping[str, Any] = {"name": "a", "inputSchema": {"type": "object"}}
_B: Mapping[str, Any] = {"name": "b", "inputSchema": {"type": "object"}}
_GREET: Mapping[str, Any] = {"name": "greet", "arguments": [{"name": "who"}]}
_GREET_WHO: Mapping[str, Any] = {"name": "greet", "arguments": [{"name": "who", "required": True}]}


def _tools(*tools: Mapping[str, Any]) -> dict[str, Any]:
    return {"tools": list(tools)}


def _prompts(*prompts: Mapping[str, Any]) -> dict[str, Any]:
    return {"tools": [], "prompts": list(prompts)}


_RESOURCE = {"tools": [], "resources": [{"uri": "file:///a", "name": "a"}]}
_NO_RESOURCE: dict[str, Any] = {"tools": [], "resources": []}
_READ = {"name": "a", "description": "Reads."}


@rule(
    id="tools.added",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.COMPATIBLE,
    reason_code=TOOL_ADDED,
    says=[(_tools(_A), _tools(_A, _B))],
    silent=[(_tools(_A, _B), _tools(_A)), (_tools(_READ), _tools(_READ | {"name": "b"}))],
)
def added(pair: SnapshotPair) -> Iterator[Said]:
    """A tool was added.

    Whoever calls the others is not affected.
    """
    for name in sorted(pair.new.keys() - pair.old.keys() - set(pair.renamed.values())):
        yield Said(None, "", tool=name)


@rule(
    id="tools.removed",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.BREAKING,
    reason_code=TOOL_REMOVED,
    says=[(_tools(_A, _B), _tools(_A))],
    silent=[(_tools(_A), _tools(_A, _B)), (_tools(_READ), _tools(_READ | {"name": "b"}))],
)
def removed(pair: SnapshotPair) -> Iterator[Said]:
    """A tool is gone.

    Whoever calls it, or names it in an allow-list, finds nothing.
    """
    for name in sorted(pair.old.keys() - pair.new.keys() - pair.renamed.keys()):
        yield Said("", None, {"missing": name}, tool=name)


@rule(
    id="tools.renamed",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.BREAKING,
    reason_code=TOOL_RENAMED,
    says=[(_tools(_READ), _tools(_READ | {"name": "b"}))],
    silent=[(_tools(_A), _tools(_B)), (_tools(_READ), _tools(_READ, _READ | {"name": "b"}))],
)
def renamed(pair: SnapshotPair) -> Iterator[Said]:
    """A tool is gone, and one with the same description and schemas has another name.

    Whoever calls it by its old name finds nothing.
    """
    for name in sorted(pair.renamed):
        yield Said("", None, {"to": pair.renamed[name]}, tool=name)


@rule(
    id="tools.reordered",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.COMPATIBLE,
    reason_code=ORDER_CHANGED,
    says=[(_tools(_A, _B), _tools(_B, _A))],
    silent=[(_tools(_A, _B), _tools(_A)), (_tools(_A, _B), _tools(_A, _B))],
)
def reordered(pair: SnapshotPair) -> Iterator[Said]:
    """The same tools are listed in another order.

    Consumers do not notice; prompt caches of clients start anew.
    """
    common = pair.old.keys() & pair.new.keys()
    if [n for n in pair.old if n in common] != [n for n in pair.new if n in common]:
        yield Said("", "")


@rule(
    id="offers.added",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.COMPATIBLE,
    reason_code=OFFER_ADDED,
    says=[(_prompts(), _prompts(_GREET)), (_NO_RESOURCE, _RESOURCE)],
    silent=[(_prompts(_GREET), _prompts()), (_tools(), _prompts(_GREET))],
)
def offer_added(pair: SnapshotPair) -> Iterator[Said]:
    """A prompt, a resource or a resource template was added.

    Whoever uses the others is not affected.
    """
    for path, was, _ in _offers(pair):
        if was is None:
            yield Said(None, path)


@rule(
    id="offers.removed",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.BREAKING,
    reason_code=OFFER_REMOVED,
    says=[(_prompts(_GREET), _prompts()), (_RESOURCE, _NO_RESOURCE)],
    silent=[(_prompts(), _prompts(_GREET)), (_prompts(_GREET), _tools())],
)
def offer_removed(pair: SnapshotPair) -> Iterator[Said]:
    """A prompt, a resource or a resource template is gone.

    Whoever uses it finds nothing.
    """
    for path, was, now in _offers(pair):
        if now is None and was is not None:
            yield Said(path, None, {"missing": _key_of(was)})


@rule(
    id="offers.changed",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.RISK,
    reason_code=OFFER_CHANGED,
    says=[
        (_prompts(_GREET), _prompts(_GREET_WHO)),
        (_prompts(_GREET), _prompts({"name": "greet"})),
    ],
    silent=[(_prompts(_GREET), _prompts(_GREET)), (_prompts(), _prompts(_GREET))],
)
def offer_changed(pair: SnapshotPair) -> Iterator[Said]:
    """A prompt, a resource or a resource template is declared differently.

    Models read its texts, readers rely on its type.
    """
    for path, was, now in _offers(pair):
        if was is None or now is None:
            continue
        for member in sorted(was.keys() | now.keys()):
            if canonical_bytes(was.get(member)) != canonical_bytes(now.get(member)):
                place = path + pointer_of([member])
                yield Said(place if member in was else None, place if member in now else None)


@rule(
    id="prompt.required-added",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.BREAKING,
    reason_code=PROMPT_ARGUMENT_REQUIRED,
    says=[
        (_prompts(_GREET), _prompts(_GREET_WHO)),
        (_prompts({"name": "greet"}), _prompts(_GREET_WHO)),
    ],
    silent=[(_prompts(_GREET_WHO), _prompts(_GREET)), (_prompts(), _prompts(_GREET_WHO))],
)
def prompt_argument_required(pair: SnapshotPair) -> Iterator[Said]:
    """A prompt needs an argument that it did not need.

    Whoever asks for the prompt without it is refused.
    """
    for path, was, now in _of(pair, "prompts"):
        if was is not None and now is not None:
            for name in sorted(_needed(now) - _needed(was)):
                place = f"{path}/arguments"
                yield Said(place, place, {"missing": name})


@rule(
    id="prompt.required-removed",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.COMPATIBLE,
    reason_code=PROMPT_ARGUMENT_FREED,
    says=[(_prompts(_GREET_WHO), _prompts(_GREET))],
    silent=[(_prompts(_GREET), _prompts(_GREET_WHO)), (_prompts(_GREET_WHO), _prompts())],
)
def prompt_argument_freed(pair: SnapshotPair) -> Iterator[Said]:
    """A prompt no longer needs an argument.

    Whoever sends it is served as before.
    """
    for path, was, now in _of(pair, "prompts"):
        if was is not None and now is not None and _needed(was) - _needed(now):
            yield Said(f"{path}/arguments", f"{path}/arguments", NOTHING)


_Offer = tuple[str, Mapping[str, Any] | None, Mapping[str, Any] | None]


def _offers(pair: SnapshotPair) -> Iterator[_Offer]:
    for listed in _KEYS:
        yield from _of(pair, listed)


def _of(pair: SnapshotPair, listed: str) -> Iterator[_Offer]:
    """(pointer, old, new) of each item of a list that both snapshots hold."""
    if listed not in pair.old_facts or listed not in pair.new_facts:
        return
    old, new = (_by_key(facts[listed], listed) for facts in (pair.old_facts, pair.new_facts))
    for key in sorted(old.keys() | new.keys()):
        yield pointer_of([listed, key]), old.get(key), new.get(key)


def _by_key(items: object, listed: str) -> dict[str, Mapping[str, Any]]:
    found = items if isinstance(items, list) else []
    key = _KEYS[listed]
    return {str(item.get(key, "")): item for item in found if isinstance(item, dict)}


def _key_of(item: Mapping[str, Any]) -> str:
    return str(next((item[key] for key in ("uri", "uriTemplate", "name") if key in item), ""))


def _needed(prompt: Mapping[str, Any]) -> set[str]:
    arguments = prompt.get("arguments")
    listed = arguments if isinstance(arguments, list) else []
    return {str(a.get("name")) for a in listed if isinstance(a, dict) and a.get("required") is True}
