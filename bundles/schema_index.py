"""All JSON Schemas of a bundle as one graph: subschemas, identifiers and references.

Built once, iteratively, and read by the checks of `bundles.checks.bundle_schemas`. References are
resolved inside the bundle only: by position in a file, by relative path between files under
`schemas`, by `$id` and by anchor. Nothing is ever fetched.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from bundles.json_walk import escape_pointer

_ROOT = "https://bundle.invalid/"  # a host that cannot exist (RFC 2606)

_ONE = (
    "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
)  # fmt: skip
_MANY = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("$defs", "definitions", "properties", "patternProperties", "dependentSchemas")
IN_PLACE = frozenset(("not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas"))
"""Keywords that apply to the very same value: a cycle through these alone never ends."""

_BRANCHING = ("allOf", "anyOf", "oneOf")
_KEYWORDS = frozenset((*_ONE, *_MANY, *_NAMED))
_LISTED = {*_MANY, "items"}  # "items" held a list in older drafts
_LONGEST_REFERENCE = 4_096
_Step = tuple[str, str | int | None]  # keyword, and the name or index under it
_NOTED = frozenset(("$id", "$schema", "$ref", "$dynamicRef", "$anchor", "$dynamicAnchor"))


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """A JSON Schema somewhere in the bundle.

    Attributes:
        path: its file.
        pointer: where in the file.
        schema: the schema, parsed.
        addressable: True when other files may refer to it by its path.
    """

    path: str
    pointer: str
    schema: Any
    addressable: bool


class Fault(StrEnum):
    """Why a reference is not followed."""

    EXTERNAL = "external"
    UNRESOLVED = "unresolved"


Node = int
"""A subschema, by number; `SchemaIndex.place` says where it is."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference as written, and where it leads (None with a fault)."""

    node: Node
    keyword: str
    value: Any
    target: Node | None
    fault: Fault | None


class SchemaIndex:
    """The graph over all schemas of a bundle.

    Subschemas are numbers with parents; pointers are written out only for findings, since a hostile
    schema can have a million subschemas under one key of a megabyte.
    """

    def __init__(self, sources: Iterable[SchemaSource]) -> None:
        self.sources = tuple(sources)
        self.roots: list[Node] = []
        self.dialects: list[tuple[Node, Any]] = []
        self.branches: list[tuple[Node, str, int]] = []
        self.repeated_ids: list[tuple[Node, str]] = []
        self.overlong_ids: list[Node] = []
        self._source_of: list[int] = []
        self._parents: list[tuple[Node, _Step] | None] = []
        self._children: dict[Node, dict[_Step, Node]] = {}
        self._bases: dict[Node, str] = {}
        # identifier → node: by URI for schemas other files may name, by (source, URI) otherwise
        self._named: dict[str | tuple[int, str], Node] = {}
        self._raw_refs: list[tuple[Node, str, Any]] = []
        self._dynamic: dict[str, list[Node]] = {}
        self._deepest = 0  # subschemas nested in the text of one schema
        for index, source in enumerate(self.sources):
            self._walk(index, source)

    def place(self, node: Node, member: str = "") -> tuple[str, str]:
        """(file, pointer in the file) of a subschema or one of its members."""
        tokens = [member] if member else []
        source = self.sources[self._source_of[node]]
        above = self._parents[node]
        while above is not None:
            node, (keyword, name) = above
            tokens += [keyword] if name is None else [str(name), keyword]
            above = self._parents[node]
        tail = "".join(f"/{escape_pointer(token)}" for token in reversed(tokens))
        return source.path, source.pointer + tail

    def _walk(self, index: int, source: SchemaSource) -> None:
        """Visit every subschema by the keywords of 2020-12."""
        base = _ROOT + quote(source.path)
        if not source.addressable:
            base = f"{base}?at={quote(source.pointer)}"  # only "#…" leads back into it
        root = self._add(index, None)
        self.roots.append(root)
        self._named[self._key(root, base)] = root
        stack: list[tuple[Node, Any, str, int]] = [(root, source.schema, base, 0)]
        while stack:
            node, schema, base, level = stack.pop()
            if not isinstance(schema, dict):
                continue
            if not _NOTED.isdisjoint(schema):
                base = self._identify(node, schema, base)
            if _KEYWORDS.isdisjoint(schema):
                continue
            self._deepest = max(self._deepest, level + 1)
            children = self._children[node] = {}
            for step, child in _subschemas(schema):
                number = children[step] = self._add(index, (node, step))
                stack.append((number, child, base, level + 1))
            for keyword in _BRANCHING:
                if isinstance(schema.get(keyword), list):
                    self.branches.append((node, keyword, len(schema[keyword])))

    def _add(self, index: int, above: "tuple[Node, _Step] | None") -> Node:
        self._source_of.append(index)
        self._parents.append(above)
        return len(self._parents) - 1

    def _key(self, node: Node, uri: str) -> str | tuple[int, str]:
        index = self._source_of[node]
        return uri if self.sources[index].addressable else (index, uri)

    def _identify(self, node: Node, schema: Mapping[str, Any], base: str) -> str:
        """Note identifiers, dialects and references; return the base for what is inside."""
        stated = schema.get("$id")
        if isinstance(stated, str) and len(stated) > _LONGEST_REFERENCE:
            self.overlong_ids.append(node)
        elif isinstance(stated, str):
            base = urldefrag(_join(base, stated))[0]
            if self._named.setdefault(self._key(node, base), node) != node:
                self.repeated_ids.append((node, stated))
        if "$schema" in schema:
            self.dialects.append((node, schema["$schema"]))
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in schema:
                self._bases[node] = base
                self._raw_refs.append((node, keyword, schema[keyword]))
        if isinstance(schema.get("$dynamicAnchor"), str):
            self._dynamic.setdefault(schema["$dynamicAnchor"], []).append(node)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(keyword), str):
                self._named.setdefault(self._key(node, f"{base}#{schema[keyword]}"), node)
        return base

    @cached_property
    def refs(self) -> tuple[Ref, ...]:
        """Every $ref and $dynamicRef, resolved."""
        return tuple(self._resolve(*raw) for raw in self._raw_refs)

    def _resolve(self, node: Node, keyword: str, value: Any) -> Ref:
        if not isinstance(value, str) or len(value) > _LONGEST_REFERENCE:
            return Ref(node, keyword, value, None, Fault.UNRESOLVED)
        uri, fragment = urldefrag(_join(self._bases[node], value))
        root = self._named.get(self._key(node, uri))
        if root is None:
            inside = uri.startswith(_ROOT) and not urlsplit(value).scheme
            fault = Fault.UNRESOLVED if inside or not uri else Fault.EXTERNAL
            return Ref(node, keyword, value, None, fault)
        target: Node | None = root
        if fragment.startswith("/"):
            target = self._descend(root, unquote(fragment))
        elif fragment:
            target = self._named.get(self._key(node, f"{uri}#{fragment}"))
        return Ref(node, keyword, value, target, None if target is not None else Fault.UNRESOLVED)

    def _descend(self, node: Node, pointer: str) -> Node | None:
        """The subschema at a pointer under another; None when there is none."""
        tokens = [t.replace("~1", "/").replace("~0", "~") for t in pointer[1:].split("/")]
        at = 0
        while at < len(tokens):
            keyword = tokens[at]
            children = self._children.get(node, {})
            name: str | int | None = tokens[at + 1] if at + 1 < len(tokens) else None
            if isinstance(name, str) and name.isdecimal() and keyword in _LISTED:
                name = int(name)
            if name is not None and (keyword, name) in children:
                node, at = children[keyword, name], at + 2
            elif (keyword, None) in children:
                node, at = children[keyword, None], at + 1
            else:
                return None
        return node

    @cached_property
    def referred(self) -> int:
        """Subschemas that references lead to, all inside of each counted for every reference."""
        sizes = [1] * len(self._parents)
        for node in range(len(self._parents) - 1, 0, -1):  # a parent has the lower number
            if (above := self._parents[node]) is not None:
                sizes[above[0]] += sizes[node]
        return sum(sizes[ref.target] for ref in self.refs if ref.target is not None)

    @cached_property
    def applied(self) -> Mapping[Node, list[tuple[_Step, Node]]]:
        """Node → [(step, subschema)], references among them as a step of their own.

        Where a $dynamicRef leads is known only on the way there: it has every place it may lead to.
        """
        applied = {node: list(children.items()) for node, children in self._children.items()}
        for ref in self.refs:
            targets = {ref.target}
            if ref.keyword == "$dynamicRef" and isinstance(ref.value, str):
                targets.update(self._dynamic.get(urldefrag(ref.value)[1], ()))
            steps = applied.setdefault(ref.node, [])
            steps += [((ref.keyword, None), target) for target in targets if target is not None]
        return applied

    @cached_property
    def _edges(self) -> Mapping[Node, list[tuple[Node, bool]]]:
        """Node → [(subschema or target, applied in place)]."""
        edges = {
            node: [(child, step[0] in IN_PLACE) for step, child in children.items()]
            for node, children in self._children.items()
        }
        for ref in self.refs:
            if ref.target is not None:
                edges.setdefault(ref.node, []).append((ref.target, True))
        return edges

    def endless(self) -> Iterator[Node]:
        """Subschemas that refer back to themselves without consuming any of the value."""
        referring = {ref.node for ref in self.refs}
        if not referring:
            return
        in_place = {
            node: [target for target, same in targets if same]
            for node, targets in self._edges.items()
        }
        for node in _cyclic(in_place):
            if node in referring:
                yield node

    def too_deep(self, most: int) -> tuple[int, Node] | None:
        """The deepest schema with more than `most` subschemas nested in each other, and how many.

        References are followed; one back to an enclosing schema is recursion over the value and
        counts once. None when no schema is so deep.
        """
        if not self.roots or self._depth_bound() <= most:
            return None
        known: dict[Node, int] = {}
        deepest = max((_longest(root, self._edges, known), -root) for root in self.roots)
        return (deepest[0], -deepest[1]) if deepest[0] > most else None

    def _depth_bound(self) -> int:
        """An upper bound of any depth: every reference target once, each as deep as the deepest."""
        targets: dict[int, set[Node]] = {}
        for ref in self.refs:
            if ref.target is not None:
                # a reference between files puts all files in one heap
                here, there = self._source_of[ref.node], self._source_of[ref.target]
                heap = here if here == there else -1
                targets.setdefault(heap, set()).add(ref.target)
        if -1 in targets:
            most = len(set().union(*targets.values()))
        else:
            most = max(map(len, targets.values()), default=0)
        return (most + 1) * (self._deepest + 1)


def _subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[_Step, Any]]:
    """Every direct subschema of a schema, with the step that leads to it."""
    for keyword in schema.keys() & _KEYWORDS:
        value = schema[keyword]
        if keyword in _NAMED:
            if isinstance(value, dict):
                for name, child in value.items():
                    yield (keyword, name), child
        elif isinstance(value, list):
            for index, child in enumerate(value):
                yield (keyword, index), child
        else:
            yield (keyword, None), value


def _join(base: str, reference: str) -> str:
    """RFC 3986 resolution; what cannot be parsed leads nowhere."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return ""


def _cyclic(edges: Mapping[Node, list[Node]]) -> Iterator[Node]:
    """Nodes from which a walk closes a cycle through themselves, found without recursion."""
    finished: set[Node] = set()
    for start in edges:
        path: list[tuple[Node, Iterator[Node]]] = []
        on_path: set[Node] = set()
        if start not in finished:
            path.append((start, iter(edges.get(start, ()))))
            on_path.add(start)
        while path:
            node, targets = path[-1]
            target = next(targets, None)
            if target is None:
                path.pop()
                on_path.discard(node)
                finished.add(node)
            elif target in on_path:
                yield node
            elif target not in finished:
                path.append((target, iter(edges.get(target, ()))))
                on_path.add(target)


def _longest(
    start: Node, edges: Mapping[Node, list[tuple[Node, bool]]], known: dict[Node, int]
) -> int:
    """Longest walk from a node, edges that close a cycle left out; fills `known`."""
    path: list[tuple[Node, Iterator[tuple[Node, bool]]]] = [(start, iter(edges.get(start, ())))]
    on_path, best = {start}, {start: 0}
    if start in known:
        return known[start]
    while path:
        node, targets = path[-1]
        step = next(targets, None)
        if step is None:
            path.pop()
            on_path.discard(node)
            known[node] = best.pop(node) + 1
            if path:
                parent = path[-1][0]
                best[parent] = max(best[parent], known[node])
        elif step[0] in known:
            best[node] = max(best[node], known[step[0]])
        elif step[0] not in on_path:
            path.append((step[0], iter(edges.get(step[0], ()))))
            on_path.add(step[0])
            best[step[0]] = 0
    return known[start]
