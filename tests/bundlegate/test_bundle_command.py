"""`bundlegate bundle`: start, check and name a bundle; formats and exit codes agree."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from bundlegate.folder import read_bundle
from bundles.archive import write_tar, write_tar_gz
from bundles.digest import bundle_digest
from bundles.errors import Refused
from tests.bundles.archives import zip_of

EXAMPLE = Path(__file__).parents[2] / "examples/weather/bundle"


def bundle(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["bundle", *map(str, arguments)])


@pytest.fixture
def started(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    made = bundle("init", folder, "--contract-id", "mine", "--producer", "my-server")
    assert made.exit_code == 0, made.output
    return folder


def test_a_bundle_begins_well_formed(started: Path) -> None:
    linted = bundle("lint", started, "--format", "json")
    assert linted.exit_code == 0, linted.output
    assert json.loads(linted.stdout)["verdict"] == "PASS"


def test_nothing_is_overwritten(started: Path) -> None:
    before = read_bundle(started)
    again = bundle("init", started, "--contract-id", "other", "--producer", "other")
    assert again.exit_code == 2
    assert "BUNDLE_NOT_WRITTEN" in again.stderr
    assert "existing files are never overwritten" in again.stderr
    assert read_bundle(started) == before


def test_a_name_that_is_none_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    made = bundle("init", tmp_path / "x", "--contract-id", "not a name", "--producer", "p")
    assert made.exit_code == 2
    assert "MANIFEST_IDENTITY_UNREADABLE" in made.stderr
    assert not (tmp_path / "x").exists()


def test_the_digest_is_the_same_for_folder_and_archives(started: Path, tmp_path: Path) -> None:
    files = read_bundle(started)
    sources = [started]
    for name, packed in {
        "a.tar": write_tar(files),
        "a.tgz": write_tar_gz(files),
        "a.zip": zip_of(files),
    }.items():
        sources.append(tmp_path / name)
        sources[-1].write_bytes(packed)
    printed = {bundle("digest", source).stdout for source in sources}
    assert printed == {bundle_digest(files) + "\n"}
    as_json = json.loads(bundle("digest", started, "--format", "json").stdout)
    assert as_json == {
        "digest": bundle_digest(files),
        "files": len(files),
        "size": sum(map(len, files.values())),
    }


def test_what_is_wrong_is_told_in_every_format(started: Path, tmp_path: Path) -> None:
    (started / "stray.txt").write_text("nobody names me")
    (started / "suites/smoke.json").write_text('{"schemaVersion": 1, "schemaVersion": 1}')
    junit, sarif, page = tmp_path / "j.xml", tmp_path / "s.sarif", tmp_path / "page.html"
    as_text = bundle("lint", started)
    files = ("--junit", junit, "--sarif", sarif, "--html", page)
    as_json = bundle("lint", started, "--format", "json", *files)
    assert as_text.exit_code == as_json.exit_code == 1
    found = {f["reason_code"] for f in json.loads(as_json.stdout)["findings"]}
    assert found == {"FILE_NOT_REFERENCED", "JSON_DUPLICATE_KEY"}
    for code in found:
        assert code in as_text.stdout
        assert code in sarif.read_text()
        assert code in page.read_text()
    failed = [case for case in ET.parse(junit).iter("testcase") if case.find("failure") is not None]
    assert len(failed) == 2


def test_what_cannot_be_read_safely_exits_2(started: Path, tmp_path: Path) -> None:
    (started / "link").symlink_to("/etc/hostname")
    linted = bundle("lint", started, "--format", "json")
    assert linted.exit_code == 2
    assert json.loads(linted.stdout)["error"]["reason_code"] == "ENTRY_LINK"
    missing = bundle("digest", tmp_path / "nowhere")
    assert missing.exit_code == 2
    assert "BUNDLE_PATH_UNREADABLE" in missing.stderr


def test_links_and_pipes_in_a_folder_are_never_followed(tmp_path: Path) -> None:
    for make, code in (
        (lambda p: p.symlink_to(tmp_path), "ENTRY_LINK"),
        (os.mkfifo, "ENTRY_DEVICE"),
    ):
        folder = tmp_path / code
        folder.mkdir()
        make(folder / "entry")
        with pytest.raises(Refused) as refusal:
            read_bundle(folder)
        assert refusal.value.reason_code == code


def test_the_example_passes() -> None:
    assert bundle("lint", EXAMPLE).exit_code == 0


def test_nothing_is_written_beside_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "smoke.json").write_text("mine")
    assert bundle("init", tmp_path, "--contract-id", "a", "--producer", "b").exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["suites"]


@pytest.mark.parametrize(
    ("wrong", "right", "says"),
    [
        ("  suites:", "\tsuites:", "indented with a tab"),
        ("[echo]", "[{tool: echo, arguments: {text: 7}}]", 'seen: "7"'),
        ("[echo]", "[{tool: echo, arguments: {text: 7}}]", 'expected: {"types":["string"]}'),
        ("[echo]", "[ecko]", "next: correct the name, or add the tool to the snapshot."),
        ("  suites:", "  suite:", "next: use the key suggested, or remove it."),
    ],
)
def test_a_finding_says_what_is_wrong_there_and_what_to_do(
    started: Path, wrong: str, right: str, says: str
) -> None:
    manifest = started / "bundle.yaml"
    manifest.write_text(manifest.read_text().replace(wrong, right))
    assert says in bundle("lint", started).stdout


def test_a_type_that_no_schema_knows_is_named_with_those_it_knows(started: Path) -> None:
    snapshot = started / "mcp-tools.snapshot.json"
    snapshot.write_text(snapshot.read_text().replace('"string"', '"strng"', 1))
    linted = bundle("lint", started).stdout
    assert 'expected: ["array","boolean","integer","null","number","object","string"]' in linted


@pytest.mark.parametrize("form", [("--format", "json"), ("--format=json",)])
@pytest.mark.parametrize("line", [("lint",), ("lint", "x", "--nope"), ("nope",)])
def test_wrong_usage_is_a_document_where_one_was_asked_for(
    line: tuple[str, ...], form: tuple[str, ...]
) -> None:
    answer = bundle(*line, *form)
    assert answer.exit_code == 2
    refusal = json.loads(answer.stdout)["error"]
    assert refusal["reason_code"] == "USAGE_INVALID"
    assert "--help" in refusal["next_steps"][0]
