"""`bundlegate bundle diff` on folders and archives."""

import json
from pathlib import Path
from shutil import copytree

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from bundlegate.folder import read_bundle
from bundles.archive import write_tar
from bundles.digest import bundle_digest

EXAMPLE = Path(__file__).parents[3] / "examples/weather/bundle"
SNAPSHOT = "mcp-tools.snapshot.json"


def diff(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["bundle", "diff", *map(str, arguments)])


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """The example without its first tool."""
    folder = tmp_path / "changed"
    copytree(EXAMPLE, folder)
    document = json.loads((folder / SNAPSHOT).read_text())
    tools = document["tools"] if isinstance(document, dict) else document
    del tools[0]
    (folder / SNAPSHOT).write_text(json.dumps(document))
    return folder


def test_an_archive_of_a_folder_is_identical_to_it(tmp_path: Path) -> None:
    archive = tmp_path / "bundle.tar"
    archive.write_bytes(write_tar(read_bundle(EXAMPLE)))
    said = diff(EXAMPLE, archive, "--format", "json")
    digest = bundle_digest(read_bundle(EXAMPLE))
    assert (said.exit_code, json.loads(said.stdout)) == (
        0,
        {"verdict": "identical", "changes": [], "tools": {}, "normalised": {}}
        | {"old": digest, "new": digest},
    )


def test_a_tool_that_is_gone_breaks_and_the_reports_say_so(changed: Path, tmp_path: Path) -> None:
    files = {form: tmp_path / form for form in ("markdown", "sarif", "junit", "html")}
    asked = [word for form, file in files.items() for word in (f"--{form}", file)]
    said = diff(EXAMPLE, changed, *asked)
    assert (said.exit_code, said.stdout.splitlines()[0]) == (1, "breaking")
    assert SNAPSHOT in said.stdout
    for file in files.values():
        assert "tools.removed" in file.read_text() or "SNAPSHOT_TOOL_REMOVED" in file.read_text()


def test_a_tool_that_is_new_is_compatible(changed: Path) -> None:
    said = diff(changed, EXAMPLE)
    assert (said.exit_code, said.stdout.splitlines()[0]) == (0, "compatible")


@pytest.mark.parametrize(("source", "code"), [("nowhere", 2), ("sha256:" + "0" * 64, 4)])
def test_what_cannot_be_read_or_reached_is_no_answer(
    source: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUNDLEGATE_TOKEN", "bg_none")
    assert diff(EXAMPLE, source, "--url", "http://127.0.0.1:9").exit_code == code
