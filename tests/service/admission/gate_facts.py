"""Facts for gate tests: a candidate whose every stage passed, to be spoilt one thing at a time."""

from dataclasses import replace
from typing import Any

from bundles.plan import HARNESS_VERSION
from service.admission.facts import EvidenceFacts, FindingFact, GateInputs, StageFacts
from service.admission.gate import DAY_US, STATIC_PROFILE
from service.admission.model import State
from service.admission.policy import DEFAULT_POLICY, read_policy

POLICY = read_policy(DEFAULT_POLICY)
NOW = 1_800_000_000_000_000
ARTIFACT = "sha256:" + "a" * 64
BUNDLE = "sha256:" + "b" * 64
OTHER = "sha256:" + "c" * 64
STAGES = ("static", "conformance", "security", "canary")


def evidence(stage: str, profile: str = "default", **changes: Any) -> EvidenceFacts:
    made = EvidenceFacts(
        id=f"ev_{stage}_{profile}",
        stage=stage,
        profile=profile,
        verdict="PASS",
        binding="claimed" if stage == "static" else "measured",
        artifact_digest=ARTIFACT,
        bundle_digest=BUNDLE,
        harness_version=HARNESS_VERSION,
        verified_at=NOW - DAY_US,
        expires_at=NOW + 10 * DAY_US,
        envelope_digest="sha256:" + "e" * 64,
    )
    return replace(made, **changes)


def word(stage: str, profile: str = "default", **changes: Any) -> StageFacts:
    """The latest word on a stage; evidence members may be given as `evidence__name`."""
    inner = {k.removeprefix("evidence__"): changes.pop(k) for k in list(changes) if "__" in k}
    made = StageFacts(
        stage=stage,
        profile=profile,
        run_id=None if stage == "static" else f"run_{stage}",
        state="finished",
        verdict="PASS",
        created_at=NOW - DAY_US,
        evidence=evidence(stage, profile, **inner),
    )
    return replace(made, **changes)


def failing(stage: str, profile: str = "default") -> StageFacts:
    found = FindingFact("mcp.x", "X_BROKEN", "MUST", "tools-list", "x is broken")
    return word(
        stage, profile, verdict="FAIL", evidence__verdict="FAIL", evidence__findings=(found,)
    )


def facts(*latest: StageFacts, **changes: Any) -> GateInputs:
    """A candidate in SECURITY_VERIFIED asking for admission, every stage passed but those given."""
    profiles = changes.pop("profiles", ("default",))
    words = {
        (stage, profile): word(stage, profile)
        for stage in STAGES
        for profile in ((STATIC_PROFILE,) if stage == "static" else profiles)
    }
    words |= {(w.stage, w.profile): w for w in latest}
    made = GateInputs(
        candidate_id="cand_1",
        artifact_digest=ARTIFACT,
        bundle_digest=BUNDLE,
        state=State.SECURITY_VERIFIED,
        reopened_at=0,
        needs_reverification=False,
        profiles=profiles,
        latest=tuple(words.values()),
        to=State.REGISTRY_ADMITTED,
    )
    return replace(made, **changes)


def without(inputs: GateInputs, stage: str, profile: str = "default") -> GateInputs:
    left = tuple(w for w in inputs.latest if (w.stage, w.profile) != (stage, profile))
    return replace(inputs, latest=left)
