"""What the builders of both versions share: a case is an operation and what is asserted of it.

Assertions and operations are typed by what goes with what, so that a type checker refuses what the
validator would. All of it is JSON, exactly as the format writes it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from bundlegate.suite.arguments import plain
from bundles.suite.model import load_suite

Json = Mapping[str, Any]
"""A JSON object."""


class Tools:
    """`tools/list`."""


class Prompts:
    """`prompts/list`."""


class Resources:
    """`resources/list`."""


class Templates:
    """`resources/templates/list`."""


class Call:
    """`tools/call`."""


class Prompt:
    """`prompts/get`."""


class Read:
    """`resources/read`."""


Kind_contra = TypeVar("Kind_contra", contravariant=True)
Kind = TypeVar("Kind")


class Operation(dict[str, Any], Generic[Kind]):
    """An operation, as JSON. `Kind` is what it asks for."""


class Assertion(dict[str, Any], Generic[Kind_contra]):
    """An assertion, as JSON. `Kind_contra` is the operations it goes with: all, where `object`."""


class Case(dict[str, Any]):
    """A case, as JSON."""


class Document(dict[str, Any]):
    """A valid suite, as JSON: `json.dump` writes a file that `bundlegate suite lint` accepts."""


def written(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that were given: None stands for one that was not."""
    return {name: value for name, value in members.items() if value is not None}


def checked(document: Mapping[str, Any]) -> Document:
    """The document, once it is known to be valid.

    Raises:
        Refused: SUITE_VALIDATION_FAILED, of version 2 SUITE_V2_VALIDATION_FAILED; `seen` lists the
            issues.
    """
    made = Document(plain(document))
    load_suite(made)
    return made


def listed(cases: Sequence[Case]) -> list[Case] | None:
    """The cases of a part, None where it has none: an empty part may not be written."""
    return list(cases) or None
