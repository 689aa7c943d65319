"""Files that a command line names are read up to a size, whatever they are for."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bundlegate.cli import cli
from bundlegate.cli.given_file import LARGEST_FILE

SERVER = ("--url", "http://127.0.0.1:9/mcp")


@pytest.mark.parametrize(
    "command",
    [
        ("smoke", *SERVER, "--profile", "FILE"),
        ("smoke", *SERVER, "--safe-call", "tool=FILE"),
        ("conformance", *SERVER, "--profile", "FILE"),
        ("conformance", *SERVER, "--mrtr-tool", "tool=FILE"),
        ("snapshot", "take", *SERVER, "--profile", "FILE"),
        ("snapshot", "diff", "FILE", "FILE"),
        ("suite", "run", "FILE", *SERVER),
        ("policy", "put", "strict", "FILE", "--token", "unused"),
    ],
    ids=lambda command: " ".join(part for part in command if part not in SERVER),
)
def test_a_file_larger_than_any_that_is_meant_is_refused(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "huge"
    with file.open("wb") as opened:
        opened.truncate(LARGEST_FILE + 1)
    given = [part.replace("FILE", str(file)) for part in command]
    answer = CliRunner().invoke(cli, [*given, "--format", "json"])
    assert answer.exit_code == 2, answer.output
    assert json.loads(answer.stdout)["error"]["reason_code"] == "GIVEN_FILE_TOO_LARGE"
