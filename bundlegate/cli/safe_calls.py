"""`--safe-call TOOL` and `TOOL=ARGS.json`: the calls a person allows; no other is ever made."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from bundlegate.cli.given_file import content_of
from bundles.errors import Invalid
from bundles.reasons import reason

R = TypeVar("R")

SAFE_CALL_INVALID = reason(
    "SAFE_CALL_INVALID",
    "A --safe-call option names no tool, or no file with the arguments of a call.",
    "write --safe-call TOOL, or TOOL=FILE, where FILE holds a JSON object or an array of them",
)


def safe_call_option(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--safe-call`, passed as `safe_call`, for `safe_calls`."""
    return click.option(
        "--safe-call",
        "safe_call",
        multiple=True,
        metavar="TOOL[=ARGS.json]",
        help="A tool that may be called, with arguments from a file or else derived from its "
        "schema. Nothing else is called.",
    )(function)


def safe_calls(options: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Tool → arguments of each call, from `TOOL=FILE` options; none for a `TOOL` alone.

    Raises:
        Invalid: SAFE_CALL_INVALID.
        Refused: what is wrong with the JSON of a file.
    """
    from bundles.json_reader import read_json

    calls: dict[str, list[dict[str, Any]]] = {}
    for option in options:
        tool, given_file, name = option.partition("=")
        if not tool or (given_file and not name):
            raise Invalid(SAFE_CALL_INVALID, f"{option!r} is not TOOL or TOOL=FILE", seen=option)
        calls.setdefault(tool, [])
        if not given_file:
            continue
        try:
            document = read_json(content_of(Path(name)), path=name)
        except OSError as error:
            why = error.strerror or str(error)
            raise Invalid(SAFE_CALL_INVALID, f"cannot read it: {why}", path=name) from error
        given = document if isinstance(document, list) else [document]
        if not given or not all(isinstance(arguments, dict) for arguments in given):
            raise Invalid(SAFE_CALL_INVALID, "arguments are a JSON object", path=name)
        calls[tool].extend(given)
    return calls
