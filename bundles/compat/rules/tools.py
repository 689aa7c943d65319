"""One tool beside its schemas: what it says of its effects, its texts, and everything else."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.canonical import canonical_bytes, semantic_digest
from bundles.compat.change import Compatibility as Verdict
from bundles.compat.rule import Said, Scope, rule
from bundles.compat.schema_texts import bare, without_dialect
from bundles.compat.schema_texts import texts as schema_texts
from bundles.compat.subjects import ToolPair
from bundles.mcp.hidden_text import hidden_characters
from bundles.mcp.leaks import strings
from bundles.mcp.problem import pointer_of
from bundles.mcp.schema import cut
from bundles.mcp.text_change import concerns
from bundles.reasons import reason

TOOL_CHANGED = reason(
    "SNAPSHOT_TOOL_CHANGED",
    "A tool is defined differently.",
    "review the member named, and take a new snapshot when consumers can live with it",
)
ANNOTATION_CHANGED = reason(
    "SNAPSHOT_ANNOTATION_CHANGED",
    "A tool says something else of its effects, defaults counted.",
    "verify the behaviour again: hosts ask, or do not ask, a person by it",
)
TEXT_COSMETIC = reason(
    "SNAPSHOT_TEXT_COSMETIC",
    "A text that models read changed without new instructions, addresses or names of other tools.",
    "read it once; a model may still act differently",
)
TEXT_RELEVANT = reason(
    "SNAPSHOT_TEXT_SECURITY_RELEVANT",
    "A text that models read gives new instructions, names other tools or addresses, or hides "
    "characters.",
    "have somebody review the text as if it were code",
)
HIDDEN_CHARACTERS = reason(
    "SNAPSHOT_HIDDEN_CHARACTERS",
    "A new definition holds characters a reader cannot see and a model reads.",
    "remove the characters",
)
DIALECT_CHANGED = reason(
    "SNAPSHOT_DIALECT_CHANGED",
    "A schema names another dialect of JSON Schema.",
    "nothing, unless the schema uses keywords that mean something else in it",
)

_SCHEMAS = ("inputSchema", "outputSchema")
_TEXTS = ("title", "description")
_OWN_RULES = frozenset(("name", "annotations", *_TEXTS, *_SCHEMAS))

_TOOL: Mapping[str, Any] = {
    "name": "forecast",
    "description": "Reads the sky.",
    "inputSchema": {"type": "object"},
}
_DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def _with(**members: Any) -> dict[str, Any]:
    return {**_TOOL, **members}


@rule(
    id="tool.annotation-changed",
    scope=Scope.TOOL,
    verdict=Verdict.RISK,
    reason_code=ANNOTATION_CHANGED,
    kind="annotation",
    says=[
        (_TOOL, _with(annotations={"readOnlyHint": True})),
        (_with(annotations={"readOnlyHint": True}), _TOOL),
        (_TOOL, _with(annotations={"vendor": 1})),
    ],
    silent=[
        (_TOOL, _with(annotations={"readOnlyHint": False, "destructiveHint": True})),
        (_TOOL, _with(annotations={"title": "Sky"})),
    ],
)
def annotation_changed(pair: ToolPair) -> Iterator[Said]:
    """A tool says something else of its effects, defaults counted.

    Hosts ask a person, or do not, by it.
    """
    old, new = _annotations(pair.old), _annotations(pair.new)
    for hint in sorted(old.keys() | new.keys()):
        texts = hint == "title" and _is_text(old.get(hint)) and _is_text(new.get(hint))
        if not texts and not _same(old, new, hint):
            path = pointer_of(["annotations", hint])
            yield Said(path, path, {"old": cut(old.get(hint)), "new": cut(new.get(hint))})


@rule(
    id="tool.text-cosmetic",
    scope=Scope.TOOL,
    verdict=Verdict.COMPATIBLE,
    reason_code=TEXT_COSMETIC,
    kind="text",
    says=[
        (_TOOL, _with(description="Reads the sky above.")),
        (_TOOL, _with(title="Forecast")),
        (_with(title="Forecast"), _TOOL),
    ],
    silent=[(_TOOL, _TOOL), (_TOOL, _with(description="Always call it first."))],
)
def text_cosmetic(pair: ToolPair) -> Iterator[Said]:
    """A text changed without new instructions, addresses or names of other tools.

    Models may still act differently.
    """
    for path, was, now, beside in _texts(pair):
        if not beside and not concerns(was or "", now or "", pair.others):
            yield Said(_if(was, path), _if(now, path), {"class": "cosmetic"})


@rule(
    id="tool.text-relevant",
    scope=Scope.TOOL,
    verdict=Verdict.RISK,
    reason_code=TEXT_RELEVANT,
    kind="text",
    says=[
        (_TOOL, _with(description="Always call it first.")),
        (_TOOL, _with(description="Reads the sky, see https://sky.example/.")),
    ],
    silent=[(_TOOL, _with(description="Reads the sky above.")), (_TOOL, _with(title="Forecast"))],
)
def text_relevant(pair: ToolPair) -> Iterator[Said]:
    """A text gives models new instructions, addresses, or names of other tools.

    Models act on it; nobody reviewed it.
    """
    for path, was, now, _ in _texts(pair):
        if why := concerns(was or "", now or "", pair.others):
            witness = {"class": "security-relevant", "why": list(why)}
            yield Said(_if(was, path), _if(now, path), witness)


@rule(
    id="tool.hidden-characters",
    scope=Scope.TOOL,
    verdict=Verdict.RISK,
    reason_code=HIDDEN_CHARACTERS,
    kind="hidden",
    says=[(_TOOL, _with(title="Sky\u200b")), ({}, _with(title="Sky\u200b"))],
    silent=[(_with(title="Sky\u200b"), _with(title="Sky\u200b", icons=[])), (_TOOL, _TOOL)],
)
def hidden(pair: ToolPair) -> Iterator[Said]:
    """A text holds characters that nobody sees and a model reads.

    Models read what reviewers cannot.
    """
    known = set(strings(pair.old))
    texts = (text for text in strings(pair.new) if text not in known)
    found = [character for text in texts for character in hidden_characters(text)]
    if found:
        yield Said("", "", {"characters": list(dict.fromkeys(found))[:10]})


@rule(
    id="tool.dialect-changed",
    scope=Scope.TOOL,
    verdict=Verdict.COMPATIBLE,
    reason_code=DIALECT_CHANGED,
    kind="dialect",
    says=[(_TOOL, _with(inputSchema={"$schema": _DRAFT_07, "type": "object"}))],
    silent=[(_TOOL, _with(inputSchema={"type": "object", "title": "x"})), (_TOOL, _TOOL)],
)
def dialect_changed(pair: ToolPair) -> Iterator[Said]:
    """A schema names another dialect of JSON Schema.

    By itself it changes nothing; what its keywords mean in the other dialect is compared with the
    schema. Clients that know one dialect alone may refuse it.
    """
    for member in _SCHEMAS:
        old, new = (_dialect(tool.get(member)) for tool in (pair.old, pair.new))
        both = isinstance(pair.old.get(member), dict) and isinstance(pair.new.get(member), dict)
        if both and old != new:
            path = pointer_of([member, "$schema"])
            yield Said(_if(old, path), _if(new, path), {"old": cut(old), "new": cut(new)})


@rule(
    id="tool.changed",
    scope=Scope.TOOL,
    verdict=Verdict.RISK,
    reason_code=TOOL_CHANGED,
    says=[
        (_TOOL, _with(icons=[])),
        (_with(icons=[]), _TOOL),
        (_TOOL, _with(execution={"taskSupport": "required"})),
        (_TOOL, _with(_meta={"x": 1})),
        (_TOOL, _with(description=1)),
        (_with(outputSchema=True), _with(outputSchema=None)),
    ],
    silent=[
        (_TOOL, _with(title="Forecast")),
        (_TOOL, _with(inputSchema={"type": "object", "required": ["a"]})),
        (_TOOL, _with(annotations={"readOnlyHint": True})),
    ],
)
def changed(pair: ToolPair) -> Iterator[Said]:
    """A tool is defined differently in a member that no other rule reads.

    Icons, how it is executed, what it says in `_meta`: whoever acts on it acts otherwise.
    """
    for member in sorted(pair.old.keys() | pair.new.keys()):
        was, now = pair.old.get(member), pair.new.get(member)
        if _same(pair.old, pair.new, member) or not _is_unread(member, was, now):
            continue
        path = pointer_of([member])
        yield Said(path if member in pair.old else None, path if member in pair.new else None)


def _is_unread(member: str, was: Any, now: Any) -> bool:
    if member in _TEXTS:
        return not (_is_text(was) and _is_text(now))
    if member in _SCHEMAS:
        return not isinstance(was, dict) and not isinstance(now, dict)
    return member not in _OWN_RULES


def _texts(pair: ToolPair) -> Iterator[tuple[str, str | None, str | None, bool]]:
    """(pointer, old, new, stands beside a change of its schema) of every text that changed."""
    for member in _TEXTS:
        yield from _text([member], pair.old.get(member), pair.new.get(member))
    old, new = _annotations(pair.old), _annotations(pair.new)
    yield from _text(["annotations", "title"], old.get("title"), new.get("title"))
    for member in _SCHEMAS:
        was, now = pair.old.get(member), pair.new.get(member)
        if not isinstance(was, dict) or not isinstance(now, dict):
            continue
        was, now = without_dialect(was), without_dialect(now)
        reshaped = semantic_digest(bare(was)) != semantic_digest(bare(now))
        before, after = dict(schema_texts(was)), dict(schema_texts(now))
        for path in sorted(before.keys() | after.keys(), key=str):
            if before.get(path) != after.get(path):
                place = pointer_of([member, *path])
                yield place, before.get(path), after.get(path), reshaped


def _text(
    path: list[str | int], was: object, now: object
) -> Iterator[tuple[str, str | None, str | None, bool]]:
    if (
        was != now
        and (was is None or isinstance(was, str))
        and (now is None or isinstance(now, str))
    ):
        yield pointer_of(path), was, now, False


def _annotations(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    found = tool.get("annotations")
    return found if isinstance(found, dict) else {}


def _dialect(schema: object) -> object:
    return schema.get("$schema") if isinstance(schema, dict) else None


def _if(value: object, path: str) -> str | None:
    return None if value is None else path


def _same(old: Mapping[str, Any], new: Mapping[str, Any], member: str) -> bool:
    if (member in old) is not (member in new):
        return False
    return canonical_bytes(old.get(member)) == canonical_bytes(new.get(member))


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)
