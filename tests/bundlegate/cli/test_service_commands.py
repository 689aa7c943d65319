"""Commands that talk to the service: text, JSON and exit code say the same."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from bundlegate.client import Client
from bundlegate.folder import read_bundle
from bundles.archive import write_tar
from bundles.digest import bundle_digest
from bundles.verdict import Verdict
from tests.fixtures.house import House, Visitor, bundle_files
from tests.fixtures.world import ARTIFACT

YES, NO, USAGE, NOT_YET, UNREACHABLE, NOT_AUTHORISED = range(6)


def run(visitor: Visitor, *arguments: object, token: str | None = None) -> Result:
    env = {"BUNDLEGATE_URL": visitor.house.url, "BUNDLEGATE_TOKEN": token or visitor.secret}
    return CliRunner().invoke(cli, [str(a) for a in arguments], env=env)


def told(answer: Result, code: int = YES) -> Any:
    assert answer.exit_code == code, answer.output
    return json.loads(answer.stdout)


def test_a_bundle_goes_up_and_comes_back_the_same(visitor: Visitor, tmp_path: Path) -> None:
    files = bundle_files()
    (tmp_path / "b.tar").write_bytes(write_tar(files))
    pushed = told(run(visitor, "bundle", "push", tmp_path / "b.tar", "--format", "json"))
    digest = pushed["bundle"]["digest"]
    assert digest == bundle_digest(files)
    again = run(visitor, "bundle", "push", tmp_path / "b.tar")
    assert (again.exit_code, again.stdout) == (YES, f"{digest}\n"), "$(bundlegate bundle push …)"
    assert "verdict: PASS" in again.stderr
    pulled = run(visitor, "bundle", "pull", digest, tmp_path / "back")
    assert pulled.exit_code == YES, pulled.output
    assert read_bundle(tmp_path / "back") == files


def test_pushing_what_is_no_bundle_is_usage_with_the_reason(
    visitor: Visitor, tmp_path: Path
) -> None:
    (tmp_path / "b.tar").write_bytes(b"nonsense")
    refused = told(run(visitor, "bundle", "push", tmp_path / "b.tar", "--format", "json"), USAGE)
    assert refused["error"]["reason_code"] == "ARCHIVE_UNKNOWN_FORMAT"


def test_a_candidate_is_registered_shown_and_listed(visitor: Visitor) -> None:
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    made = told(
        run(
            visitor,
            *("candidate", "register", "--bundle", digest, "--version", "1.0.0"),
            *("--artifact", ARTIFACT, "--target-url", "http://127.0.0.1:9/mcp"),
            *("--header", "Authorization=env:SECRET", "--format", "json"),
        )
    )["candidate"]
    assert made["targets"][0]["headers"] == {"Authorization": "env:SECRET"}
    shown = run(visitor, "candidate", "show", made["id"])
    assert "STATIC_VALIDATED" in shown.output
    assert told(run(visitor, "candidate", "show", made["id"], "--format", "json"))["transitions"]
    assert made["id"] in run(visitor, "candidate", "list", "--state", "STATIC_VALIDATED").output
    assert told(run(visitor, "candidate", "list", "--state", "ACTIVE", "--format", "json")) == []


@pytest.mark.parametrize(
    "listing",
    [
        ("candidate", "list", "--digest", "sha256:abc"),
        ("evidence", "list", "--digest", "sha256:abc"),
        ("evidence", "list", "--candidate", "cand_1"),
    ],
)
def test_a_mistyped_filter_is_usage_and_no_empty_list(
    visitor: Visitor, listing: tuple[str, ...]
) -> None:
    refused = told(run(visitor, *listing, "--format", "json"), USAGE)
    assert refused["error"]["reason_code"] == "FILTER_INVALID"


@pytest.mark.parametrize(
    "reach",
    [
        (),
        ("--target-url", "http://x/", "--launcher", "y"),
        ("--header", "nonsense"),
        ("--targets", __file__, "--launcher", "y"),
        ("--targets", __file__, "--profile", "y"),
        ("--targets", __file__, "--revision", "2025-11-25"),
    ],
)
def test_a_target_must_be_said_once_and_whole(visitor: Visitor, reach: tuple[str, ...]) -> None:
    more = ("--launcher", "x") if reach[:1] == ("--header",) else ()
    answer = run(
        visitor,
        *("candidate", "register", "--bundle", "x", "--version", "1", "--artifact", ARTIFACT),
        *reach,
        *more,
    )
    assert answer.exit_code == USAGE


@pytest.mark.parametrize(
    ("verdict", "code"),
    [(Verdict.PASS, YES), (Verdict.FAIL, NO), (Verdict.INCONCLUSIVE, NOT_YET)],
)
def test_verify_and_gate_agree_in_text_json_and_exit_code(
    house: House, visitor: Visitor, tmp_path: Path, verdict: Verdict, code: int
) -> None:
    candidate = visitor.candidate(policy=visitor.lenient())["id"]
    started = visitor.client.start_run(candidate)["id"]
    house.work(started, security=verdict)
    follow = ("verify", "--run", started)
    junit, sarif, page = tmp_path / "j.xml", tmp_path / "s.json", tmp_path / "page.html"
    text = run(visitor, *follow, "--junit", junit, "--sarif", sarif, "--html", page)
    assert text.exit_code == code, text.output
    assert f"verdict: {verdict}" in text.stdout
    assert told(run(visitor, *follow, "--format", "json"), code)["verdict"] == verdict
    assert ET.parse(junit).getroot().tag == "testsuite"
    assert json.loads(sarif.read_text())["version"] == "2.1.0"
    assert f"<title>{verdict}: run {started}" in page.read_text()
    ask = ("gate", "check", candidate, "--to", "REGISTRY_ADMITTED")
    decision = told(run(visitor, *ask, "--format", "json"), code)
    assert decision["verdict"] == verdict
    text = run(visitor, *ask)
    assert (text.exit_code, verdict.value in text.output) == (code, True)
    for reason in decision["reasons"]:
        assert reason["code"] in text.output


def test_verify_says_that_the_candidate_never_answered_and_ends_as_conformance_does(
    house: House, visitor: Visitor
) -> None:
    candidate = visitor.candidate(policy=visitor.lenient())["id"]
    started = visitor.client.start_run(candidate)["id"]
    house.work_unanswered(started)
    assert visitor.client.run(started)["reason_code"] == "CANDIDATE_UNREACHABLE"
    answer = run(visitor, "verify", "--run", started)
    assert answer.exit_code == UNREACHABLE, answer.output
    gate = run(visitor, "gate", "check", candidate, "--to", "REGISTRY_ADMITTED")
    assert gate.exit_code == NOT_YET


def test_verify_starts_a_run_and_says_not_yet_when_its_wait_is_over(visitor: Visitor) -> None:
    candidate = visitor.candidate()["id"]
    answer = run(visitor, "verify", candidate, "--wait", 0, "--key", "k1")
    assert answer.exit_code == NOT_YET
    assert "verify --run run_" in answer.stderr
    assert "verdict: INCONCLUSIVE" in answer.stdout
    run(visitor, "verify", candidate, "--wait", 0, "--key", "k1")
    assert len(visitor.http.get("/v1/runs").json()["items"]) == 1


def test_interrupting_verify_leaves_the_run_going(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Client, "follow", interrupted)
    started = visitor.client.start_run(visitor.candidate()["id"])["id"]
    answer = run(visitor, "verify", "--run", started)
    assert (answer.exit_code, "the run goes on" in answer.stderr) == (NOT_YET, True)
    assert visitor.client.run(started)["state"] == "queued"


def test_promote_moves_refuses_and_does_not_move_twice(house: House, visitor: Visitor) -> None:
    candidate = visitor.candidate(policy=visitor.lenient())["id"]
    ask = ("promote", candidate, "--to", "REGISTRY_ADMITTED", "--reason", "go")
    early = run(
        visitor,
        "promote",
        candidate,
        "--to",
        "CONFORMANCE_VERIFIED",
        "--reason",
        "x",
        "--from",
        "STATIC_VALIDATED",
        "--format",
        "json",
    )
    assert told(early, NOT_YET)["decision"]["verdict"] == "INCONCLUSIVE"
    house.work(visitor.client.start_run(candidate)["id"])
    moved = run(visitor, *ask, "--from", "SECURITY_VERIFIED")
    assert (moved.exit_code, "→ REGISTRY_ADMITTED" in moved.output) == (YES, True)
    twice = run(visitor, *ask, "--from", "SECURITY_VERIFIED", "--format", "json")
    assert told(twice, NO)["error"]["seen"] == "REGISTRY_ADMITTED"


def test_evidence_is_listed_shown_and_taken_home(visitor: Visitor, tmp_path: Path) -> None:
    candidate = visitor.candidate()["id"]
    (item,) = told(run(visitor, "evidence", "list", "--candidate", candidate, "--format", "json"))
    envelope = tmp_path / "e.json"
    shown = run(visitor, "evidence", "show", item["id"], "--envelope", envelope)
    assert (shown.exit_code, "static" in shown.output) == (YES, True)
    key = tmp_path / "k.pem"
    key.write_text(next(visitor.client.public_keys())["public_pem"])
    verified = run(visitor, "evidence", "verify", envelope, "--key", key, "--format", "json")
    assert told(verified)["verified"] is True


def test_tokens_and_policies_from_the_command(visitor: Visitor, tmp_path: Path) -> None:
    made = run(visitor, "token", "create", "ci", "--scope", "evidence:read")
    secret = made.stdout.strip()
    assert made.exit_code == YES
    assert run(visitor, "evidence", "list", token=secret).exit_code == YES
    assert run(visitor, "token", "list", token=secret).exit_code == NOT_AUTHORISED
    assert secret not in run(visitor, "token", "list").output
    policy = told(run(visitor, "policy", "show", "--format", "json"))["document"]
    (tmp_path / "p.json").write_text(json.dumps(policy))
    assert told(run(visitor, "policy", "put", "ours", tmp_path / "p.json", "--format", "json"))
    assert "ours" in run(visitor, "policy", "show", "ours").output


def test_who_has_no_valid_token_exits_5(visitor: Visitor) -> None:
    answer = run(visitor, "candidate", "list", "--format", "json", token="nonsense")
    assert told(answer, NOT_AUTHORISED)["error"]["reason_code"] == "TOKEN_INVALID"


def test_an_absent_service_exits_4(visitor: Visitor) -> None:
    answer = run(visitor, "candidate", "list", "--url", "http://127.0.0.1:9", "--format", "json")
    assert told(answer, UNREACHABLE)["error"]["reason_code"] == "SERVICE_UNREACHABLE"


def test_what_does_not_exist_exits_2_with_a_next_step(visitor: Visitor) -> None:
    answer = run(visitor, "gate", "check", "cand_none", "--to", "ACTIVE")
    assert answer.exit_code == USAGE
    assert "next:" in answer.stderr


def test_a_registered_candidate_shows_what_it_is_reached_by(visitor: Visitor) -> None:
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    line = ("candidate", "register", "--bundle", digest, "--version", "1.0.0")
    line += ("--artifact", ARTIFACT, "--launcher", "weather")
    shown = run(visitor, *line).stdout
    assert "weather: weather (mcp+stdio, 2026-07-28, default)" in shown
    assert "registered before" in run(visitor, *line).stderr


def test_a_mistyped_variable_is_refused_with_the_nearest_name(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUNDLEGATE_TOKN", "x")
    answer = run(visitor, "candidate", "list")
    assert answer.exit_code == USAGE
    assert "did you mean BUNDLEGATE_TOKEN?" in answer.stderr


def test_an_address_without_a_scheme_is_wrong_usage_and_not_an_unreachable_service(
    visitor: Visitor,
) -> None:
    answer = run(visitor, "candidate", "list", "--url", "127.0.0.1:8321", "--format", "json")
    assert told(answer, USAGE)["error"]["reason_code"] == "SERVICE_URL_INVALID"


def test_a_report_that_cannot_be_written_is_a_refusal(house: House, visitor: Visitor) -> None:
    started = visitor.client.start_run(visitor.candidate()["id"])["id"]
    house.work(started)
    answer = run(visitor, "verify", "--run", started, "--junit", "/nowhere/j.xml")
    assert answer.exit_code == USAGE
    assert "REPORT_WRITE_FAILED" in answer.stderr


def test_a_refusal_shows_values_as_json_and_words_as_words(
    visitor: Visitor, tmp_path: Path
) -> None:
    (tmp_path / "p.json").write_text('{"a": 1}')
    refused = run(visitor, "policy", "put", "p", tmp_path / "p.json").stderr
    assert '    {"pointer":"/claims","problem":"is missing"}\n' in refused
    listed = run(visitor, "candidate", "list", "--state", "HAPPY").stderr
    assert "expected: DRAFT, STATIC_VALIDATED" in listed
    assert "where: query:/state\n" in listed
    assert "seen: HAPPY\n" in listed
