"""`bundlegate suite lint` and `suite approve`, as their users run them, at any depth."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from bundlegate.cli.suite.files import write_file
from bundles.errors import Refused
from bundles.suite.document_schema import document_schema
from bundles.suite.fingerprint import approval_of, fingerprint
from tests.bundlegate.test_suite_command import SERVER, bundlegate, case, written


def lines(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]


def test_lint_prints_the_schema_of_the_format() -> None:
    made = bundlegate("suite", "lint", "--schema")
    assert (made.returncode, made.stderr) == (0, "")
    assert json.loads(made.stdout) == document_schema()
    assert made.stdout.isascii()
    validator = jsonschema_rs.Draft202012Validator(json.loads(made.stdout))
    assert not validator.is_valid({"schemaVersion": 1, "id": "\ufeff", "name": "n", "cases": []})


@pytest.mark.parametrize("arguments", [(), ("--schema", "1", "a.json"), ("--schema", "a.json")])
def test_lint_wants_files_or_a_schema(arguments: tuple[str, ...]) -> None:
    made = bundlegate("suite", "lint", *arguments)
    assert (made.returncode, made.stdout) == (2, "")


def test_lint_answers_at_any_depth_and_counts_what_it_lists(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"), case("echo"))
    deep = '{"type":"array","items":' * 20_000 + '{"type":"aray","a":1,"a":2}' + "}" * 20_000
    schema = f'{{"type": "bodyMatchesSchema", "schema": {deep}}}'
    plain = '{"type": "isError", "expected": false}'
    file.write_text(file.read_text().replace(plain, schema, 1))
    made = bundlegate("suite", "lint", file, "--format", "json")
    (line,) = lines(made.stdout)
    assert [issue["code"] for issue in line["issues"]] == [
        "UNSUPPORTED_SCHEMA_KEYWORD",
        "INVALID_VALUE",
        "DUPLICATE_CASE_ID",
    ]
    assert line["issues"][1]["path"] == f"cases[0].assertions[0].schema{'.items' * 20_000}.type"
    assert "did you mean 'array'?" in line["issues"][1]["message"]
    assert '"a" is given twice' in made.stderr
    assert made.returncode == 1
    assert bundlegate("suite", "lint", file).stdout.startswith(f"✗ {file}: 3 issues\n")


def test_a_suite_is_approved_and_run_at_any_depth(tmp_path: Path) -> None:
    schema = '{"type":"array","items":' * 20_000 + '{"type":"string"}' + "}" * 20_000
    value = "[" * 20_000 + "1" + "]" * 20_000
    assertions = [{"type": "bodyMatchesSchema", "schema": {"const": at}} for at in range(3)]
    file = written(tmp_path, case("deep", assertions=assertions))
    text = (
        file.read_text().replace('{"const": 0}', schema).replace('"const": 1', f'"const": {value}')
    )
    file.write_text(text)
    assert bundlegate("suite", "approve", file).returncode == 0
    reports = [f"--{kind}={tmp_path / kind}" for kind in ("junit", "sarif", "html")]
    made = bundlegate("suite", "run", file, "--format", "json", *reports, "--", *SERVER)
    assert made.returncode == 1, made.stderr
    (one,) = json.loads(made.stdout)["cases"]
    assert [assertion["status"] for assertion in one["assertions"]] == [
        "failed",
        "passed",
        "failed",
    ]
    (violation,) = one["assertions"][0]["violations"]
    assert violation["path"] == "$" + "[0]" * 20_000
    assert {path.name for path in tmp_path.iterdir()} == {"suite.json", "junit", "sarif", "html"}


def test_approve_writes_the_fingerprint_and_nothing_else(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"))
    text = "\ufeff" + json.dumps(json.loads(file.read_text()), indent=3).replace("\n", "\r\n")
    file.write_bytes(text.encode())
    file.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(file)
    made = bundlegate("suite", "approve", link)
    computed = fingerprint(json.loads(text[1:]))
    assert made.stdout == f"{link}: approved  {computed}\n"
    assert made.returncode == 0
    approved = f'   "approval": {{"fingerprint": "{computed}"}},\r\n   "cases"'
    assert file.read_bytes().decode() == text.replace('   "cases"', approved)
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [link, file]


def test_approve_says_what_each_file_was_before(tmp_path: Path) -> None:
    files = [written(tmp_path, case("echo"), name=f"{n}.json") for n in range(3)]
    assert bundlegate("suite", "approve", *files[:2]).returncode == 0
    changed = files[0].read_text().replace("Weather", "Wind")
    files[0].write_text(changed)
    linted = bundlegate("suite", "lint", *files)
    assert linted.returncode == 0
    assert f"{files[0]}: changed since it was approved" in linted.stderr
    assert str(files[1]) not in linted.stderr
    made = bundlegate("suite", "approve", *files, "--format", "json")
    said = [(line["before"], line["written"]) for line in lines(made.stdout)]
    assert said == [("drifted", True), ("current", False), ("none", True)]
    for file, line in zip(files, lines(made.stdout), strict=True):
        approval = approval_of(json.loads(file.read_text()))
        assert (approval.state, approval.recorded) == ("current", line["fingerprint"])


def test_approve_writes_no_file_when_one_is_not_valid(tmp_path: Path) -> None:
    good, bad = written(tmp_path, case("echo")), written(tmp_path, name="bad.json")
    before = good.read_bytes()
    made = bundlegate("suite", "approve", good, bad, "--format", "json")
    assert json.loads(made.stdout)["error"]["reason_code"] == "SUITE_VALIDATION_FAILED"
    assert made.returncode == 2
    assert good.read_bytes() == before


def test_what_cannot_be_written_is_refused_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        write_file(tmp_path / "gone.json", "{}")
    assert refused.value.reason_code == "SUITE_WRITE_FAILED"
    assert list(tmp_path.iterdir()) == []
