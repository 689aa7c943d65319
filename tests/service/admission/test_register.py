from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bundles.check import registry
from bundles.contract import files_contract
from bundles.errors import Conflict, Invalid, NotFound, Refused
from bundles.names import MOST_PROFILES
from bundles.verdict import Verdict
from service.admission.model import Target
from service.admission.targets import check_observed, checked_targets
from tests.fixtures.world import ARTIFACT, OTHER_ARTIFACT

STDIO = Target(name="local", kind="mcp+stdio", launcher="example")
HTTP = Target(name="remote", kind="mcp+http", url="https://example.org/mcp", profile="remote")


def test_a_candidate_comes_back_verified_statically_with_signed_evidence(world):
    candidate = world.register()
    assert candidate.state == "STATIC_VALIDATED"
    (evidence,) = world.registry.list_evidence(world.me, candidate_id=candidate.id).items
    assert (evidence.stage, evidence.verdict, evidence.run_id) == ("static", "PASS", None)
    assert candidate == world.registry.get_candidate(world.me, candidate.id)


def test_a_failing_bundle_makes_a_rejected_candidate(world):
    contract = files_contract({"schemas/a.json": {"type": "no-such-type"}}, {"schemas": "schemas/"})
    candidate = world.register(bundle_digest=world.submit(contract))
    assert candidate.state == "REJECTED"
    (move,) = world.registry.list_transitions(world.me, candidate.id)
    assert (move.event, move.actor) == ("stage_failed", "registry")


def test_the_same_content_is_the_same_candidate(world):
    digest = world.submit()
    first = world.register(bundle_digest=digest)
    asked = {
        "bundle_digest": digest,
        "version": "1.0.0",
        "artifact_digest": ARTIFACT,
        "targets": (STDIO,),
    }
    assert world.registry.register_candidate(world.me, **asked) == (first, False)


def test_many_registrations_at_once_make_one_candidate(world):
    digest = world.submit()
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: world.register(bundle_digest=digest).id, range(24)))
    assert len(set(made)) == 1
    assert len(world.registry.list_candidates(world.me).items) == 1
    assert len(world.registry.list_evidence(world.me).items) == 1


def test_a_version_names_one_build(world):
    world.register()
    with pytest.raises(Conflict, match="CANDIDATE_VERSION_TAKEN") as refused:
        world.register(artifact_digest=OTHER_ARTIFACT)
    assert (refused.value.seen, refused.value.expected) == (OTHER_ARTIFACT, ARTIFACT)


def test_two_builds_race_for_one_version_and_one_wins(world):
    digest = world.submit()

    def attempt(build):
        try:
            return world.register(bundle_digest=digest, artifact_digest=build).artifact_digest
        except Conflict as error:
            return error.reason_code

    builds = ["sha256:" + f"{n:064x}" for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(attempt, builds))
    assert said.count("CANDIDATE_VERSION_TAKEN") == 7


def test_a_build_the_bundle_does_not_pin_is_refused(world):
    producer = {"agent_id": "example-server", "artifact_digest": ARTIFACT}
    digest = world.submit(files_contract(manifest={"producer": producer}))
    assert world.register(bundle_digest=digest).artifact_digest == ARTIFACT
    with pytest.raises(Refused, match="ARTIFACT_NOT_PINNED") as refused:
        world.register(bundle_digest=digest, version="2", artifact_digest=OTHER_ARTIFACT)
    assert refused.value.expected == [ARTIFACT]


def test_what_is_not_there_is_not_found(world):
    with pytest.raises(NotFound, match="BUNDLE_UNKNOWN"):
        world.register(bundle_digest="sha256:" + "0" * 64)
    for name in ("no-such-policy", "nul\0"):
        with pytest.raises(NotFound, match="POLICY_UNKNOWN"):
            world.register(policy=name)


@pytest.mark.parametrize(
    "wrong",
    [
        {"version": ""},
        {"version": "x" * 129},
        {"version": "a\nb"},
        {"artifact_digest": "latest"},
        {"bundle_digest": "sha256:nonsense"},
    ],
)
def test_what_makes_no_sense_is_refused(sqlite_world, wrong):
    with pytest.raises(Invalid):
        sqlite_world.register(**wrong)


@pytest.mark.parametrize(
    "targets",
    [
        (),
        (STDIO,) * 2,
        (Target(name="x", kind="grpc"),),
        (Target(name="x", kind="mcp+stdio", launcher="rm -rf /"),),
        (Target(name="x", kind="mcp+stdio", launcher="ok", url="http://a/"),),
        (Target(name="x", kind="mcp+http", url="file:///etc/passwd"),),
        (Target(name="x", kind="mcp+http", url="https://user:secret@host/"),),
        (Target(name="x", kind="mcp+http", url="https://host:99999999/"),),
        (Target(name="x", kind="mcp+http", url="https://host/", headers={"a b": "env:X"}),),
        (Target(name="x", kind="mcp+http", url="https://host/", headers={"auth": "Bearer abc"}),),
        (Target(name="x", kind="mcp+http", url="https://host/", revision="2024-11-05"),),
        (STDIO, Target(name="other", kind="mcp+stdio", launcher="example")),
        (Target(name="x", kind="mcp+stdio", launcher="ok", instances=("https://host/",)),),
        (Target(name="x", kind="mcp+http", url="https://host/", instances=("ftp://host/",)),),
        (Target(name="x", kind="mcp+http", url="https://a/", instances=("https://a/",)),),
        (Target(name="x", kind="mcp+http", url="https://a/", instances=("https://b/",) * 2),),
    ],
)
def test_a_target_no_worker_could_reach_is_refused(targets):
    with pytest.raises(Invalid) as refused:
        checked_targets(targets)
    assert "Bearer abc" not in str(refused.value.to_dict())


def test_targets_of_both_kinds_are_kept_as_they_are(world):
    reached = (STDIO, replace(HTTP, instances=("https://second.example.org/mcp",)))
    candidate = world.register(targets=reached)
    assert candidate.targets == reached
    assert world.registry.get_candidate(world.me, candidate.id).targets == reached


SNAPSHOTS = {
    "declarations": {
        "mcp_tools": [{"profile": p, "file": f"{p}.json"} for p in ("default", "tenant-b")]
    },
    "profiles": "profiles.yaml",
}
PROFILED = files_contract(
    {
        "default.json": [],
        "tenant-b.json": [],
        "profiles.yaml": {"default": {"transport": "stdio"}, "tenant-b": {"tenant_class": "b"}},
    },
    SNAPSHOTS,
)
TENANT_B = Target(name="b", kind="mcp+stdio", launcher="example", profile="tenant-b")


@pytest.mark.parametrize(
    ("targets", "missing"),
    [
        ((STDIO,), ["tenant-b"]),
        ((TENANT_B,), ["default"]),
        ((HTTP,), ["default", "tenant-b"]),
    ],
)
def test_no_profile_of_the_bundle_is_left_out_or_renamed(sqlite_world, targets, missing):
    digest = sqlite_world.submit(PROFILED)
    with pytest.raises(Refused, match="PROFILE_NOT_OBSERVED") as refused:
        sqlite_world.register(bundle_digest=digest, targets=targets)
    assert refused.value.expected == missing
    assert sqlite_world.registry.list_candidates(sqlite_world.me).items == ()


def test_a_lone_snapshot_is_not_escaped_by_another_profile_name(sqlite_world):
    one = files_contract({"t.json": []}, {"declarations": {"mcp_tools": "t.json"}})
    with pytest.raises(Refused, match="PROFILE_NOT_OBSERVED"):
        sqlite_world.register(bundle_digest=sqlite_world.submit(one), targets=(HTTP,))


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        (replace(STDIO, revision="2025-11-25"), "/targets/0/revision"),
        (replace(HTTP, profile="default"), "/targets/0/kind"),
    ],
)
def test_a_target_is_what_the_bundle_is_about(sqlite_world, wrong, pointer):
    digest = sqlite_world.submit(PROFILED)
    with pytest.raises(Refused, match="TARGET_CONTRADICTS_BUNDLE") as refused:
        sqlite_world.register(bundle_digest=digest, targets=(wrong, TENANT_B))
    assert refused.value.pointer == pointer


def test_a_profile_may_name_a_revision_of_its_own(sqlite_world):
    contract = files_contract(
        {"p.json": [], "profiles.yaml": {"default": {}, "legacy": {"revision": "2025-11-25"}}},
        {"declarations": {"mcp_tools": "p.json"}, "profiles": "profiles.yaml"},
    )
    legacy = replace(TENANT_B, profile="legacy", revision="2025-11-25")
    digest = sqlite_world.submit(contract)
    candidate = sqlite_world.register(bundle_digest=digest, targets=(STDIO, legacy))
    assert candidate.state == "STATIC_VALIDATED"


PROFILE_NAMES = st.text("ab1._:/@+-", min_size=1, max_size=4) | st.text(max_size=3)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(PROFILE_NAMES, min_size=1, max_size=4, unique=True))
@example(["x" * 128])
@example(["x" * 129])
@example([f"p{n}" for n in range(MOST_PROFILES)])
@example([f"p{n}" for n in range(MOST_PROFILES + 1)])
def test_the_static_check_passes_exactly_the_profiles_a_candidate_can_be_registered_with(names):
    contract = files_contract(
        {"profiles.yaml": {name: {} for name in names}}, {"profiles": "profiles.yaml"}
    )
    if list(contract.profiles) != names:
        return  # a document nobody could read has no profiles
    targets = [replace(STDIO, name=f"t{n}", profile=name) for n, name in enumerate(names)]
    try:
        check_observed(contract, checked_targets(targets))
        registrable = True
    except (Invalid, Refused):
        registrable = False
    outcome = registry()["bundle.profiles.observable"].judge(contract)
    assert (outcome.verdict is Verdict.PASS) == registrable, outcome.findings
