"""`--mrtr-tool`: the tools that ask for input and that a person allows to be called."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from bundlegate.cli.given_file import content_of
from bundles.errors import Invalid
from bundles.reasons import reason

R = TypeVar("R")

MRTR_TOOL_INVALID = reason(
    "MRTR_TOOL_INVALID",
    "A --mrtr-tool option names no tool, or neither a capability nor a file that declares one.",
    "write --mrtr-tool TOOL=elicitation (or sampling, roots), or --mrtr-tool TOOL=FILE, where FILE "
    "holds a JSON object of arguments and answers; docs/cli.md shows one",
)


def mrtr_tool_option(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--mrtr-tool`, passed as `mrtr_tool`, for `mrtr_tools`."""
    return click.option(
        "--mrtr-tool",
        "mrtr_tool",
        multiple=True,
        metavar="TOOL=CAPABILITY|FILE.json",
        help="A tool that asks for input and may be called: the capability it needs, or a file "
        "with the arguments and the answers.",
    )(function)


def mrtr_tools(options: Iterable[str]) -> dict[str, Any]:
    """Tool → its declaration, from `TOOL=CAPABILITY` and `TOOL=FILE` options.

    Raises:
        Invalid: MRTR_TOOL_INVALID.
        Refused: what is wrong with the JSON of a file.
    """
    from bundles.json_reader import read_json
    from bundles.mcp.multi_round import FORM, METHODS, problems_of

    declared: dict[str, Any] = {}
    for option in options:
        tool, _, stated = option.partition("=")
        if not tool or not stated or tool in declared:
            again = tool in declared
            why = "the tool is declared twice" if again else f"{option!r} is not TOOL=CAPABILITY"
            raise Invalid(MRTR_TOOL_INVALID, why, seen=option)
        if stated in METHODS:
            declared[tool] = stated
            continue
        try:
            declared[tool] = read_json(content_of(Path(stated)), path=stated)
        except OSError as error:
            why = f"no capability, and no file that can be read: {error.strerror or error}"
            raise Invalid(MRTR_TOOL_INVALID, why, path=stated, expected=list(METHODS)) from error
        for problem in problems_of({tool: declared[tool]}):
            pointer = problem.pointer.removeprefix("/").partition("/")[2]
            raise Invalid(
                MRTR_TOOL_INVALID,
                problem.message,
                path=stated,
                pointer=f"/{pointer}" if pointer else "",
                expected=FORM,
            )
    return declared
