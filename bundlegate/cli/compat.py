"""`bundlegate compat`: whether schemas can replace one another, row by row."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import Exit, emit_line, format_option, say, shows_refusals
from bundles.errors import Refused
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.compat.verdict import Answer
    from service.containment import Pair

COMPAT_FILE_UNREADABLE = reason(
    "COMPAT_FILE_UNREADABLE",
    "A file of schema pairs cannot be read.",
    "check the path and its permissions",
)
COMPAT_ROW_INVALID = reason(
    "COMPAT_ROW_INVALID",
    "A row is no pair of schemas.",
    'give {"id", "old", "new", "direction": "backward" or "forward"} on one line',
)

_LONGEST_ROW = 4 << 20
_EXIT = {"compatible": Exit.YES, "conditional": Exit.NOT_YET, "breaking": Exit.NO}
_MEMBERS = ("id", "old", "new", "direction")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--content-model",
    type=click.Choice(["open", "closed"]),
    default="open",
    show_default=True,
    help="open: every value the writing side admits counts; closed: what it declares.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["conditional"]),
    help="Exit 1 instead of 3 for this verdict.",
)
@format_option
@shows_refusals
def compat(file: Path, content_model: str, fail_on: str | None, output: str) -> None:
    """Compare the schemas of each row of FILE, a document of JSON lines.

    A row is {"id", "old", "new", "direction"}: backward asks whether the new schema still accepts
    what the old one did (inputs), forward whether the old one accepts what the new one may produce
    (outputs). Prints a line each, with a counterexample where there is one. Exit 0 when all are
    compatible, 1 when one breaks, 3 when one could not be decided, 2 when a row is no pair.
    """
    from service.containment import Comparisons

    seen: set[Exit] = set()
    with Comparisons() as comparisons:
        for number, line in _lines(file):
            try:
                row = _row(line, content_model)
            except Refused as refusal:
                say(f"{file}:{number}: {refusal.reason_code}  {refusal.detail}")
                seen.add(Exit.USAGE)
                continue
            answer = comparisons.answer(row[1])
            seen.add(_EXIT[answer.word.value])
            _show(row[0], answer, output)
    if fail_on is not None and Exit.NOT_YET in seen:
        seen.add(Exit.NO)
    for code in (Exit.USAGE, Exit.NO, Exit.NOT_YET):
        if code in seen:
            raise SystemExit(code)


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line that is not blank."""
    try:
        with file.open("rb") as opened:
            number = 0
            while line := opened.readline(_LONGEST_ROW + 1):
                number += 1
                if len(line) > _LONGEST_ROW:
                    what = f"line {number} is longer than {_LONGEST_ROW} bytes"
                    raise Refused(COMPAT_FILE_UNREADABLE, what, path=str(file), line=number)
                if line.strip():
                    yield number, line
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(COMPAT_FILE_UNREADABLE, f"cannot read it: {why}", path=str(file)) from error


def _row(line: bytes, content_model: str) -> tuple[Any, "Pair"]:
    """Id and question of a row.

    Raises:
        Refused: COMPAT_ROW_INVALID, or what is wrong with its JSON.
    """
    from bundles.compat.verdict import ContentModel, Direction
    from bundles.json_reader import read_json
    from service.containment import Pair

    row = read_json(line, exact_integers=False)
    if not isinstance(row, dict) or not all(member in row for member in _MEMBERS):
        raise Refused(COMPAT_ROW_INVALID, f"a row is an object with {', '.join(_MEMBERS)}")
    try:
        direction = Direction(row["direction"])
    except ValueError:
        raise Refused(COMPAT_ROW_INVALID, "direction is backward or forward") from None
    return row["id"], Pair(row["old"], row["new"], direction, ContentModel(content_model))


def _show(row_id: Any, answer: "Answer", output: str) -> None:
    from bundles.compat.verdict import NOTHING
    from bundles.report.cut import shown

    if output == "json":
        emit_line(json.dumps({"id": row_id} | answer.to_dict()))
        return
    emit_line(f"{answer.word.value:<11}  {shown(row_id)}  {answer.reason_code}")
    if answer.witness is not NOTHING:
        emit_line(f"    {shown(answer.witness)}")
