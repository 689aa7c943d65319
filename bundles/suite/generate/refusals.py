"""Why a suite, or the cases of one tool, cannot be generated."""

from typing import NoReturn

from bundles.errors import Refused
from bundles.reasons import reason

INVALID_TOOL = reason(
    "INVALID_TOOL",
    "A tool has no definition that cases could be generated from.",
    "give every tool a name and an inputSchema",
)
UNSUPPORTED_SCHEMA = reason(
    "UNSUPPORTED_SCHEMA",
    "A tool's schema uses something that arguments cannot be made from.",
    "write cases for this tool by hand, or give the place named a default or an example",
)
INVALID_SCHEMA_CONSTRAINT = reason(
    "INVALID_SCHEMA_CONSTRAINT",
    "A tool's schema contradicts itself: no value can satisfy it.",
    "correct the schema of the server; nothing is generated from a broken one",
)
INVALID_FIXTURES = reason(
    "INVALID_FIXTURES",
    "A document is no set of fixtures.",
    'give {"schemaVersion": 1, "tools": {TOOL: {FIELD: value}}}',
)
INVALID_FIXTURE_VALUE = reason(
    "INVALID_FIXTURE_VALUE",
    "A fixture is for a field that the tool does not declare, or its value breaks the schema.",
    "correct the name or the value in the fixtures",
)
GENERATED_SUITE_INVALID = reason(
    "GENERATED_SUITE_INVALID",
    "What would be generated is no valid suite.",
    "look at the issues listed: there may be no tool at all, or too much to write down",
)


class GenerationRefused(Refused):
    """Nothing is generated, or nothing for one tool.

    `path` is the place as the suite format spells places:
    `tools[0].inputSchema.properties.city.pattern`.
    """


class Unsupported(GenerationRefused):
    """One tool cannot be followed; the others can."""


class TooLarge(Unsupported):
    """Following one tool's schema would take too long: no other branch is tried."""


def unsupported(path: str, detail: str) -> NoReturn:
    """Give up on one tool."""
    raise Unsupported(UNSUPPORTED_SCHEMA, detail, path=path)


def too_large(path: str, detail: str) -> NoReturn:
    """Give up on one tool for good."""
    raise TooLarge(UNSUPPORTED_SCHEMA, detail, path=path)


def contradiction(path: str, detail: str, *, seen: object = None) -> NoReturn:
    """Give up on the whole suite: the declaration itself is broken."""
    raise GenerationRefused(INVALID_SCHEMA_CONSTRAINT, detail, path=path, seen=seen)


def invalid_suite(detail: str, issues: object = None) -> NoReturn:
    """Give up on the whole suite: it would not be valid."""
    raise GenerationRefused(GENERATED_SUITE_INVALID, detail, path="suite", seen=issues)
