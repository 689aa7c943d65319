"""`--safe-call TOOL=ARGS.json`: the calls a person allows; nothing else is ever called."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from bundles.errors import Invalid
from bundles.reasons import reason

R = TypeVar("R")

SAFE_CALL_INVALID = reason(
    "SAFE_CALL_INVALID",
    "A --safe-call option names no tool, or no file with the arguments of a call.",
    "write --safe-call TOOL=FILE, where FILE holds a JSON object or an array of them",
)


def safe_call_option(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--safe-call`, passed as `safe_call`, for `safe_calls`."""
    return click.option(
        "--safe-call",
        "safe_call",
        multiple=True,
        metavar="TOOL=ARGS.json",
        help="A tool that may be called, and a file with the arguments. Nothing else is called.",
    )(function)


def safe_calls(options: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Tool → arguments of each call, from `TOOL=FILE` options.

    Raises:
        Invalid: SAFE_CALL_INVALID.
        Refused: what is wrong with the JSON of a file.
    """
    from bundles.json_reader import read_json

    calls: dict[str, list[dict[str, Any]]] = {}
    for option in options:
        tool, _, name = option.partition("=")
        if not tool or not name:
            raise Invalid(SAFE_CALL_INVALID, f"{option!r} is not TOOL=FILE", seen=option)
        try:
            document = read_json(Path(name).read_bytes(), path=name)
        except OSError as error:
            why = error.strerror or str(error)
            raise Invalid(SAFE_CALL_INVALID, f"cannot read it: {why}", path=name) from error
        given = document if isinstance(document, list) else [document]
        if not given or not all(isinstance(arguments, dict) for arguments in given):
            raise Invalid(SAFE_CALL_INVALID, "arguments are a JSON object", path=name)
        calls.setdefault(tool, []).extend(given)
    return calls
