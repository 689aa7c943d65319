"""Request bodies, read strictly.

Litestar and msgspec keep the last of two equal keys and answer 500 to a body nested 100,000 deep;
here the product's own parser reads first (depth, duplicates, numbers), then msgspec checks types
without coercion and refuses unknown members.
"""

from collections.abc import Generator, Iterator, Sequence
from enum import Enum
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from litestar.dto import AbstractDTO, DTOFieldDefinition
from litestar.typing import FieldDefinition

from bundles.canonical import parse_json
from bundles.errors import Invalid, Refused
from service.errors import CONTENT_TYPE_UNSUPPORTED, REQUEST_INVALID

T = TypeVar("T")

_DEEPEST = 32


class JsonBody(AbstractDTO[T], Generic[T]):
    """Reads a JSON body as a msgspec type: `body=JsonBody[NewCandidate]`."""

    def decode_bytes(self, value: bytes) -> Any:
        """The body as the declared type.

        Raises:
            Invalid: not JSON, not the declared shape, or not declared as JSON.
        """
        sent = self.asgi_connection.headers.get("content-type", "application/json")
        kind = sent.partition(";")[0].strip().lower()
        if kind != "application/json" and not kind.endswith("+json"):
            raise Invalid(
                CONTENT_TYPE_UNSUPPORTED,
                "this address reads JSON",
                path="body",
                seen=kind[:100],
                expected="application/json",
            )
        return read_json(value, self.model_type)

    @classmethod
    def create_for_field_definition(cls, *_: Any, **__: Any) -> None:
        """Nothing to prepare: msgspec knows the type."""

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Any:
        """The schema of the declared type."""
        del handler_id
        return schema_creator.for_field_definition(field_definition)

    @classmethod
    def generate_field_definitions(
        cls, model_type: type[Any]
    ) -> Generator[DTOFieldDefinition, None, None]:
        """Unused by this reader."""
        del model_type
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        """Unused by this reader."""
        del field_definition
        return False


def read_json(data: bytes, kind: type[T]) -> T:
    """Parse a body strictly and convert it to `kind` without coercion.

    Raises:
        Invalid: the parser's own code where it is no JSON, REQUEST_INVALID where the shape is
            wrong, with the pointer of the member.
    """
    try:
        value = parse_json(data, max_depth=_DEEPEST)
    except Refused as error:
        raise Invalid(
            error.reason_code,
            error.detail,
            path="body",
            pointer=error.pointer,
            line=error.line,
            seen=error.seen,
            expected=error.expected,
            next_steps=error.next_steps,
        ) from error
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `")
        pointer = _pointer(where.rstrip("`"))
        raise Invalid(
            REQUEST_INVALID,
            message,
            path="body",
            pointer=pointer,
            expected=_expected(kind, pointer.split("/")[1:]),
        ) from error


def choices_of(kind: object) -> list[str] | None:
    """The values of an enumeration or of a literal of words; None for every other type."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(member.value) for member in kind]
    words = get_args(kind) if get_origin(kind) is Literal else ()
    return list(words) if words and all(isinstance(word, str) for word in words) else None


def _expected(kind: Any, steps: Sequence[str]) -> list[str] | None:
    """What may stand at a place in a body: the values of an enumeration, the members of an object,
    None where neither says it.
    """
    for step in steps:
        kind = next((inner for inner in _inside(kind, step)), None)
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and issubclass(each, msgspec.Struct):
            return list(each.__struct_encode_fields__)
        if (choices := choices_of(each)) is not None:
            return choices
    return None


def _inside(kind: Any, step: str) -> Iterator[Any]:
    """The type of a member or an item; none where the step is into something else."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and issubclass(each, msgspec.Struct):
            names = dict(zip(each.__struct_encode_fields__, each.__struct_fields__, strict=True))
            if step in names:
                yield get_type_hints(each)[names[step]]
    if step.isdecimal() and get_args(kind):
        yield from (item for item in get_args(kind) if item is not Ellipsis)


def _pointer(where: str) -> str:
    """`$.targets[0].url` as a JSON pointer. Keys of maps come as `[...]` and end it."""
    steps = where.removeprefix("$").replace("[", ".").replace("]", "").split(".")
    known = []
    for step in steps[1:]:
        if not step:
            break
        known.append(step)
    return "".join(f"/{step}" for step in known)
