"""What every command shares: formats, exit codes, and how a refusal is shown.

JSON is one document on stdout; human words about progress go to stderr. Text and JSON agree, and
both agree with the exit code.
"""

import json
import os
import sys
from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from itertools import chain
from typing import Any, ParamSpec, TypeVar

import click

from bundles.errors import (
    BundlegateError,
    Conflict,
    Forbidden,
    Unauthorised,
    Unreachable,
)

P = ParamSpec("P")
R = TypeVar("R")


class Exit(IntEnum):
    """Exit codes of every command."""

    YES = 0
    NO = 1
    USAGE = 2
    NOT_YET = 3
    UNREACHABLE = 4
    NOT_AUTHORISED = 5
    INTERRUPTED = 130  # 128 + SIGINT, as shells have it


_EXIT_OF_VERDICT = {"PASS": Exit.YES, "FAIL": Exit.NO, "INCONCLUSIVE": Exit.NOT_YET}


def exit_of(verdict: str) -> Exit:
    """Exit code of a verdict; anything unknown is "not yet", never yes."""
    return _EXIT_OF_VERDICT.get(verdict, Exit.NOT_YET)


def format_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add `--format text|json`, passed as `output`."""
    return click.option(
        "--format",
        "output",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Text for people, or one JSON document on stdout.",
    )(function)


def emit_json(document: object) -> None:
    """Write one JSON document to stdout."""
    try:
        text = json.dumps(document, ensure_ascii=False, indent=2, sort_keys=False)
    except RecursionError:  # it quotes a value nested deeper than `json` can write
        from bundles.report.cut import compact

        text = compact(document)
    emit(f"{text}\n")


def emit(text: str) -> None:
    """Write to stdout what it can take: the rest as escapes, which inside JSON are the same text.

    A reader who went away (`| head`) has read enough. That is no error, and the exit code stands.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit_line(line: str = "") -> None:
    """Write a line to stdout, as `emit` does: every command that people read line by line."""
    emit(f"{line}\n")


def say(message: str) -> None:
    """Human words beside a machine's document: stderr."""
    click.echo(message, err=True)


def progress(message: str) -> None:
    """Progress: stderr, and only when it is a terminal."""
    if sys.stderr.isatty():
        click.echo(message, err=True)


def exit_code_of(error: BundlegateError) -> Exit:
    """Exit code of a refusal."""
    if isinstance(error, Unreachable):
        return Exit.UNREACHABLE
    if isinstance(error, Unauthorised | Forbidden):
        return Exit.NOT_AUTHORISED
    if isinstance(error, Conflict):
        return Exit.NO
    return Exit.USAGE


def shows_refusals(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a `BundlegateError` into words (or JSON, with `--format json`) and its exit code."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BundlegateError as error:
            show_refusal(error, as_json=kwargs.get("output") == "json")
            raise SystemExit(exit_code_of(error)) from error

    return wrapped


def show_refusal(error: BundlegateError, *, as_json: bool) -> None:
    """A refusal: code, sentence, where, seen, expected, next steps."""
    if as_json:
        emit_json({"error": error.to_dict()})
        return
    for line in refusal_lines(error.to_dict()):
        say(line)


def refusal_lines(refusal: dict[str, Any]) -> list[str]:
    """The lines of a refusal for people."""
    where = ":".join(str(refusal[k]) for k in ("path", "line", "pointer") if refusal.get(k))
    lines = [f"{refusal['reason_code']}  {refusal['detail']}"]
    for name in ("seen", "expected"):
        if refusal.get(name) is not None:
            lines += _valued(name, refusal[name])
    if where:
        lines.insert(1, f"  where: {where}")
    return lines + [f"  next: {step}" for step in refusal.get("next_steps", ())]


def _valued(name: str, value: object) -> list[str]:
    """A value of a refusal: words as they are, objects as JSON and one a line."""
    from bundles.report.cut import compact, escaped

    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return [f"  {name}:", *(f"    {escaped(compact(item))}" for item in value)]
    if isinstance(value, list) and _are_lines(value):
        return [f"  {name}: {escaped(', '.join(value))}"]
    if isinstance(value, dict) and value and all(map(_are_lines, value.values())):
        # the sign at their head keeps a server from writing lines that read as our own
        parts = ([f"    {key}:", *(f"      · {escaped(x)}" for x in value[key])] for key in value)
        return [f"  {name}:", *chain.from_iterable(parts)]
    return [f"  {name}: {escaped(value if isinstance(value, str) else compact(value))}"]


def _are_lines(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
