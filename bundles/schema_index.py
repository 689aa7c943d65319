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
# applied to the very same value: a cycle through these alone never ends
_IN_PLACE = {"not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas"}
_BRANCHING = ("allOf", "anyOf", "oneOf")
_KEYWORDS = frozenset((*_ONE, *_MANY, *_NAMED))
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


Node = tuple[int, str]
"""A subschema: index of its source, and its pointer inside that source's schema."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference as written, and where it leads (None with a fault)."""

    node: Node
    keyword: str
    value: Any
    target: Node | None
    fault: Fault | None


class SchemaIndex:
    """The graph over all schemas of a bundle."""

    def __init__(self, sources: Iterable[SchemaSource]) -> None:
        self.sources = tuple(sources)
        self._nodes: set[Node] = set()
        self._bases: dict[Node, str] = {}
        # identifier → node: by URI for schemas other files may name, by (source, URI) otherwise
        self._named: dict[str | tuple[int, str], Node] = {}
        self._raw_refs: list[tuple[Node, str, Any]] = []
        self._children: dict[Node, list[tuple[Node, bool]]] = {}
        self.dialects: list[tuple[Node, Any]] = []
        self.branches: list[tuple[Node, str, int]] = []
        self._deepest = 0  # subschemas nested in the text of one schema
        self.repeated_ids: list[tuple[Node, str]] = []
        for index, source in enumerate(self.sources):
            self._walk(index, source)

    def place(self, node: Node, member: str = "") -> tuple[str, str]:
        """(file, pointer in the file) of a subschema or one of its members."""
        source = self.sources[node[0]]
        tail = f"/{escape_pointer(member)}" if member else ""
        return source.path, f"{source.pointer}{node[1]}{tail}"

    def _walk(self, index: int, source: SchemaSource) -> None:
        """Visit every subschema by the keywords of 2020-12."""
        base = _ROOT + quote(source.path)
        if not source.addressable:
            base = f"{base}?at={quote(source.pointer)}"  # only "#…" leads back into it
        self._named[self._key(index, base)] = (index, "")
        stack: list[tuple[str, Any, str, int]] = [("", source.schema, base, 0)]
        while stack:
            pointer, schema, base, level = stack.pop()
            node = (index, pointer)
            self._nodes.add(node)
            if not isinstance(schema, dict):
                continue
            if not _NOTED.isdisjoint(schema):
                base = self._identify(node, schema, base)
            if _KEYWORDS.isdisjoint(schema):
                continue
            self._deepest = max(self._deepest, level + 1)
            children = self._children[node] = []
            for keyword, at, child in _subschemas(schema, pointer):
                children.append(((index, at), keyword in _IN_PLACE))
                stack.append((at, child, base, level + 1))
            for keyword in _BRANCHING:
                if isinstance(schema.get(keyword), list):
                    self.branches.append((node, keyword, len(schema[keyword])))

    def _key(self, index: int, uri: str) -> str | tuple[int, str]:
        return uri if self.sources[index].addressable else (index, uri)

    def _identify(self, node: Node, schema: Mapping[str, Any], base: str) -> str:
        """Note identifiers, dialects and references; return the base for what is inside."""
        stated = schema.get("$id")
        if isinstance(stated, str):
            base = urldefrag(_join(base, stated))[0]
            if self._named.setdefault(self._key(node[0], base), node) != node:
                self.repeated_ids.append((node, stated))
        if "$schema" in schema:
            self.dialects.append((node, schema["$schema"]))
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in schema:
                self._bases[node] = base
                self._raw_refs.append((node, keyword, schema[keyword]))
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(keyword), str):
                self._named.setdefault(self._key(node[0], f"{base}#{schema[keyword]}"), node)
        return base

    @cached_property
    def refs(self) -> tuple[Ref, ...]:
        """Every $ref and $dynamicRef, resolved."""
        return tuple(self._resolve(*raw) for raw in self._raw_refs)

    def _resolve(self, node: Node, keyword: str, value: Any) -> Ref:
        if not isinstance(value, str):
            return Ref(node, keyword, value, None, Fault.UNRESOLVED)
        uri, fragment = urldefrag(_join(self._bases[node], value))
        root = self._named.get(self._key(node[0], uri))
        if root is None:
            inside = uri.startswith(_ROOT) and not urlsplit(value).scheme
            fault = Fault.UNRESOLVED if inside or not uri else Fault.EXTERNAL
            return Ref(node, keyword, value, None, fault)
        target: Node | None = root
        if fragment.startswith("/"):
            target = self._descend(root, unquote(fragment))
        elif fragment:
            target = self._named.get(self._key(node[0], f"{uri}#{fragment}"))
        return Ref(node, keyword, value, target, None if target else Fault.UNRESOLVED)

    def _descend(self, root: Node, pointer: str) -> Node | None:
        """The subschema at a pointer under a root; None when there is none."""
        value = self._value(root)
        for token in pointer[1:].split("/"):
            name = token.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            else:
                return None
        node = (root[0], root[1] + pointer)
        return node if node in self._nodes else None

    def _value(self, node: Node) -> Any:
        value = self.sources[node[0]].schema
        for token in node[1].split("/")[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            value = value[int(name)] if isinstance(value, list) else value[name]
        return value

    @cached_property
    def _edges(self) -> Mapping[Node, list[tuple[Node, bool]]]:
        """Node → [(subschema or target, applied in place)]."""
        edges = {node: list(children) for node, children in self._children.items()}
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
        if self._depth_bound() <= most:
            return None
        known: dict[Node, int] = {}
        found = max(
            (
                (_longest((index, ""), self._edges, known), index)
                for index in range(len(self.sources))
            ),
            default=(0, 0),
        )
        return (found[0], (found[1], "")) if found[0] > most else None

    def _depth_bound(self) -> int:
        """An upper bound of any depth: every reference target once, each as deep as the deepest."""
        targets: dict[int, set[Node]] = {}
        for ref in self.refs:
            if ref.target is not None:
                # a reference between files puts all files in one heap
                heap = ref.node[0] if ref.node[0] == ref.target[0] else -1
                targets.setdefault(heap, set()).add(ref.target)
        if -1 in targets:
            most = len(set().union(*targets.values()))
        else:
            most = max(map(len, targets.values()), default=0)
        return (most + 1) * (self._deepest + 1)


def _subschemas(schema: Mapping[str, Any], at: str) -> Iterator[tuple[str, str, Any]]:
    """(keyword, pointer, subschema) of every direct subschema of the schema at a pointer."""
    for keyword in schema.keys() & _KEYWORDS:
        value = schema[keyword]
        base = f"{at}/{keyword}"
        if keyword in _NAMED:
            if isinstance(value, dict):
                for name, child in value.items():
                    plain = "~" not in name and "/" not in name
                    yield keyword, f"{base}/{name if plain else escape_pointer(name)}", child
        elif isinstance(value, list):
            for index, child in enumerate(value):
                yield keyword, f"{base}/{index}", child
        else:
            yield keyword, base, value


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
