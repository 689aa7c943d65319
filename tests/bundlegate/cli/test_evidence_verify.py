"""`bundlegate evidence verify`, offline: text, JSON and exit code agree."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bundlegate.cli import cli
from bundles.verdict import Verdict
from service.admission.dsse import Ed25519Signer, seal
from service.admission.evidence import (
    DecisionFacts,
    VerificationFacts,
    decision_statement,
    statement_bytes,
    verification_statement,
)

SIGNER = Ed25519Signer(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
ARTIFACT, BUNDLE = "sha256:" + "a" * 64, "sha256:" + "b" * 64
FAR = 4_000_000_000_000_000
CLAIM = {"claim": "authorization", "check_id": "", "why": "no credentials"}


def envelope(*, expires_at: int = FAR) -> bytes:
    facts = VerificationFacts(
        stage="security",
        profile="default",
        verdict=Verdict.PASS,
        binding="measured",
        artifact_digest=ARTIFACT,
        bundle_digest=BUNDLE,
        plan_digest=BUNDLE,
        harness_version="0.1.0",
        verified_at=1_000_000,
        expires_at=expires_at,
        summary={
            "checks": {"PASS": ["a.b"]},
            "unverified_claims": [CLAIM],
            "not_covered": ["suites"],
        },
    )
    return seal(statement_bytes(verification_statement(facts)), SIGNER)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key.pem").write_bytes(SIGNER.public_pem)
    (tmp_path / "ev.json").write_bytes(envelope())
    return tmp_path


def run(*arguments: str, stdin: bytes | None = None) -> tuple[int, str, str]:
    shown = CliRunner().invoke(cli, ["evidence", "verify", *arguments], input=stdin)
    return shown.exit_code, shown.stdout, shown.stderr


def run_json(*arguments: str) -> tuple[int, Any]:
    code, out, _ = run(*arguments, "--format", "json")
    return code, json.loads(out)


@pytest.mark.usefixtures("folder")
def test_evidence_with_its_subject_verifies() -> None:
    wanted = ("ev.json", "--key", "key.pem", "--subject", f"artifact={ARTIFACT}")
    code, out, _ = run(*wanted)
    assert code == 0
    assert out.splitlines() == [
        f"verified      signed by {SIGNER.key_id}",
        "  kind        https://in-toto.io/attestation/test-result/v0.1",
        f"  artifact    {ARTIFACT}",
        "  verdict     PASS",
        "  until       2096-10-02T07:06:40.000000Z (still counts)",
        "  not verified: authorization (no credentials)",
        "  not covered: suites",
    ]
    code, document = run_json(*wanted)
    assert code == 0
    assert document["verified"] is True
    assert document["expired"] is False
    assert document["subjects"] == {"artifact": ARTIFACT}
    assert document["unverified_claims"] == [CLAIM]
    assert document["not_covered"] == ["suites"]


def test_old_evidence_verifies_and_says_that_it_no_longer_counts(folder: Path) -> None:
    (folder / "ev.json").write_bytes(envelope(expires_at=2_000_000))
    code, out, _ = run("ev.json", "--key", "key.pem")
    assert code == 0
    assert "(no longer counts)" in out


def test_a_decision_verifies_too(folder: Path) -> None:
    facts = DecisionFacts(
        decision_id="dec_1",
        namespace="team",
        candidate_id="cand_1",
        artifact_digest=ARTIFACT,
        bundle_digest=BUNDLE,
        to="ACTIVE",
        environment="default",
        verdict="FAIL",
        policy_name="default",
        policy_digest=BUNDLE,
        inputs_digest=BUNDLE,
        decided_at=0,
        valid_until=FAR,
    )
    (folder / "ev.json").write_bytes(seal(statement_bytes(decision_statement(facts)), SIGNER))
    code, document = run_json("ev.json", "--key", "key.pem")
    assert code == 0
    assert document["verdict"] == "FAIL"
    assert document["predicate_type"] == "https://slsa.dev/verification_summary/v1"


@pytest.mark.usefixtures("folder")
def test_evidence_comes_over_a_pipe_as_well() -> None:
    assert run("-", "--key", "key.pem", stdin=envelope())[0] == 0


@pytest.mark.usefixtures("folder")
def test_another_subject_is_a_no() -> None:
    wanted = ("ev.json", "--key", "key.pem", "--subject", f"artifact={BUNDLE}")
    code, document = run_json(*wanted)
    assert (code, document["error"]["reason_code"]) == (1, "SUBJECT_MISSING")
    code, out, err = run(*wanted)
    assert (code, out) == (1, "")
    assert err.startswith("SUBJECT_MISSING  ")
    assert "next: " in err


def test_another_key_is_a_no(folder: Path) -> None:
    stranger = Ed25519Signer(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    (folder / "key.pem").write_bytes(stranger.public_pem)
    code, document = run_json("ev.json", "--key", "key.pem")
    assert (code, document["error"]["reason_code"]) == (1, "SIGNER_UNKNOWN")


def test_a_changed_payload_is_a_no(folder: Path) -> None:
    members = json.loads(envelope())
    members["payload"] = "e30="
    (folder / "ev.json").write_text(json.dumps(members))
    code, document = run_json("ev.json", "--key", "key.pem")
    assert (code, document["error"]["reason_code"]) == (1, "SIGNATURE_INVALID")


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("ev.json", b"\xff\xfe not json", "ENVELOPE_MALFORMED"),
        ("key.pem", b"no key", "KEY_UNREADABLE"),
    ],
)
def test_what_cannot_be_read_is_wrong_usage(
    folder: Path, name: str, content: bytes, code: str
) -> None:
    (folder / name).write_bytes(content)
    exit_code, document = run_json("ev.json", "--key", "key.pem")
    assert (exit_code, document["error"]["reason_code"]) == (2, code)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments",
    [
        ("ev.json",),
        ("absent.json", "--key", "key.pem"),
        ("ev.json", "--key", "key.pem", "--subject", "artifact"),
        ("ev.json", "--key", "key.pem", "--subject", "artifact=latest"),
        ("ev.json", "--key", "key.pem", "--subject", f"={ARTIFACT}"),
        (
            *("ev.json", "--key", "key.pem"),
            *("--subject", f"artifact={ARTIFACT}", "--subject", f"artifact={BUNDLE}"),
        ),
    ],
)
def test_wrong_usage_is_said_before_anything_is_read(arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Error" in err
