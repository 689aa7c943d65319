"""What commands that talk to the service share: address and token, and safe lines."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from bundlegate.cli.output import emit_line, shows_refusals

if TYPE_CHECKING:
    from bundlegate.client import Client

P = ParamSpec("P")
R = TypeVar("R")


def talks_to_service(function: Callable[Concatenate["Client", P], R]) -> Callable[P, R]:
    """Add `--url` and `--token`; call the command with an open client as its first argument."""

    @click.option(
        "--url",
        metavar="URL",
        help="Address of the service.  [env: BUNDLEGATE_URL; default: http://127.0.0.1:8321]",
    )
    @click.option(
        "--token",
        metavar="TOKEN",
        help="Bearer token; better in the environment.  [env: BUNDLEGATE_TOKEN]",
    )
    @shows_refusals
    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> R:
        from bundlegate.client import Client
        from service.settings import refuse_unknown

        refuse_unknown(os.environ)
        url, token = kwargs.pop("url"), kwargs.pop("token")
        with Client.from_env(url, token) as client:
            return function(client, *args, **kwargs)

    return wrapped


def safe(value: object) -> str:
    """A value from elsewhere as one line that cannot act on a terminal."""
    from bundles.report.cut import cut, escaped

    if isinstance(value, bool):
        return "yes" if value else "no"
    return escaped(cut("" if value is None else str(value)))


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Print rows as aligned columns with a head; only the head where there are none."""
    cells = [list(columns), *([safe(row.get(name)) for name in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        emit_line("  ".join(padded).rstrip())


def members(record: Mapping[str, Any], names: Sequence[str]) -> None:
    """Print members of a record, one a line."""
    width = max(len(name) for name in names)
    for name in names:
        emit_line(f"{name.ljust(width)}  {safe(record.get(name))}".rstrip())


def decision_lines(decision: Mapping[str, Any]) -> list[str]:
    """What the gate said, for people: verdict, reasons, what nobody watched or covered, next."""
    from bundles.report.text import MARKS

    mark = MARKS.get(str(decision["verdict"]), "?")
    asked = " ".join(safe(decision[name]) for name in ("candidate_id", "to", "environment"))
    lines = [f"{mark} {safe(decision['verdict'])}  {asked}"]
    for reason in decision["reasons"]:
        cell = " ".join(safe(reason[n]) for n in ("stage", "profile") if reason.get(n))
        where = f" [{cell}]" if cell else ""
        lines.append(f"  {safe(reason.get('code'))}{where}  {safe(reason.get('detail'))}")
    lines += [
        f"  not verified: {safe(claim.get('claim'))}  {safe(claim.get('why'))}"
        for claim in decision["unverified_claims"]
    ]
    if decision["not_covered"]:
        lines.append(f"  not covered: {safe(', '.join(decision['not_covered']))}")
    lines += [f"  next: {safe(step)}" for step in decision["next_steps"]]
    lines.append(f"  decision {safe(decision['id'])}, valid until {safe(decision['valid_until'])}")
    return lines
