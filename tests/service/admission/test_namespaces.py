"""Nothing crosses namespaces: what is another's is not found, like what is not there."""

import pytest

from bundles.errors import Forbidden, Invalid, NotFound
from service.admission.model import Target
from service.admission.tokens import SCOPES

STDIO = Target(name="local", kind="mcp+stdio", launcher="example")


@pytest.fixture
def everything(world):
    """One of each thing, by the name of its argument."""
    candidate = world.verify(world.register())
    (run,) = world.registry.list_runs(world.me).items
    (move, *_) = world.registry.list_transitions(world.me, candidate.id)
    return {
        "digest": candidate.bundle_digest,
        "candidate": candidate.id,
        "run": run.id,
        "decision": move.decision_id,
        "evidence": run.stages[0].evidence_id,
        "transcript": world.registry.run_transcripts(world.me, run.id)[0].id,
    }


READS = {
    "get_bundle": lambda r, p, x: r.get_bundle(p, x["digest"]),
    "bundle_file": lambda r, p, x: r.bundle_file(p, x["digest"], "bundle.yaml"),
    "bundle_archive": lambda r, p, x: r.bundle_archive(p, x["digest"]),
    "bundle_findings": lambda r, p, x: r.bundle_findings(p, x["digest"]),
    "bundle_outcomes": lambda r, p, x: r.bundle_outcomes(p, x["digest"]),
    "get_candidate": lambda r, p, x: r.get_candidate(p, x["candidate"]),
    "candidate_verification": lambda r, p, x: r.candidate_verification(p, x["candidate"]),
    "list_transitions": lambda r, p, x: r.list_transitions(p, x["candidate"]),
    "ask_gate": lambda r, p, x: r.ask_gate(p, x["candidate"], to="ACTIVE"),
    "get_run": lambda r, p, x: r.get_run(p, x["run"]),
    "run_events": lambda r, p, x: r.run_events(p, x["run"]),
    "run_findings": lambda r, p, x: r.run_findings(p, x["run"]),
    "run_outcomes": lambda r, p, x: r.run_outcomes(p, x["run"]),
    "run_transcripts": lambda r, p, x: r.run_transcripts(p, x["run"]),
    "run_transcript": lambda r, p, x: r.run_transcript(p, x["run"], x["transcript"]),
    "get_decision": lambda r, p, x: r.get_decision(p, x["decision"]),
    "replay_decision": lambda r, p, x: r.replay_decision(p, x["decision"]),
    "get_evidence": lambda r, p, x: r.get_evidence(p, x["evidence"]),
}
WRITES = {
    "start_run": lambda r, p, x: r.start_run(p, x["candidate"]),
    "cancel_run": lambda r, p, x: r.cancel_run(p, x["run"]),
    "transition": lambda r, p, x: r.transition(
        p, x["candidate"], to="CANARY", expected_state="DRAFT", reason="x"
    ),
    "register_candidate": lambda r, p, x: r.register_candidate(
        p, bundle_digest=x["digest"], version="9", artifact_digest=x["digest"], targets=(STDIO,)
    ),
}
LISTS = ("list_bundles", "list_candidates", "list_runs", "list_evidence")


def test_another_namespace_finds_nothing(world, everything):
    stranger = world.principal(f"{world.me.namespace}-stranger")
    for act in (*READS.values(), *WRITES.values()):
        with pytest.raises(NotFound):
            act(world.registry, stranger, everything)
    for name in LISTS:
        assert getattr(world.registry, name)(stranger).items == ()
        assert getattr(world.registry, name)(world.me).items != ()


def test_ones_own_namespace_reads_everything(world, everything):
    for act in READS.values():
        act(world.registry, world.me, everything)


NEEDED = {
    "start_run": "runs:write",
    "cancel_run": "runs:write",
    "transition": "transitions:write",
    "register_candidate": "candidates:write",
    "run_transcripts": "evidence:read",
    "run_transcript": "evidence:read",
    "get_evidence": "evidence:read",
}


def test_every_other_scope_together_does_not_stand_in_for_the_one_needed(world, everything):
    for action, scope in NEEDED.items():
        others = [s for s in SCOPES if s not in {scope, "admin"}]
        lacking = world.principal(world.me.namespace, *others)
        with pytest.raises(Forbidden, match="SCOPE_MISSING"):
            {**READS, **WRITES}[action](world.registry, lacking, everything)


def test_pages_walk_a_list_once_and_whole(world):
    made = [world.register(version=str(n)).id for n in range(7)]
    seen, cursor = [], None
    while True:
        page = world.registry.list_candidates(world.me, cursor=cursor, limit=3)
        seen += [candidate.id for candidate in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert seen == made[::-1]


def test_lists_filter_by_what_they_are_asked(world):
    first = world.verify(world.register())
    world.register(version="2")
    registry, me = world.registry, world.me

    def versions(**wanted):
        return [c.version for c in registry.list_candidates(me, **wanted).items]

    assert versions(state="CONFORMANCE_VERIFIED") == ["1.0.0"]
    assert versions(version="2") == ["2"]
    assert versions(digest=first.bundle_digest) == ["2", "1.0.0"]
    assert versions(digest=first.artifact_digest, producer="example-server") == ["2", "1.0.0"]
    assert versions(contract_id="nothing") == []

    def stages(**wanted):
        return {e.stage for e in registry.list_evidence(me, candidate_id=first.id, **wanted).items}

    assert stages() == {"static", "conformance", "security"}
    assert stages(stage="security", result="PASS", profile="default") == {"security"}
    assert stages(result="FAIL") == set()
    assert stages(fresh=True) == {"static", "conformance", "security"}
    assert stages(fresh=False) == set()
    world.clock.advance(31 * 86_400)
    assert stages(fresh=False) == {"static", "conformance", "security"}
    (evidence, *_) = registry.list_evidence(me, candidate_id=first.id).items
    for bound in ("envelope", "plan", "transcript"):
        wanted = getattr(evidence, f"{bound}_digest")
        assert registry.list_evidence(me, digest=wanted).items == (evidence,), bound
    assert stages(producer="example-server") == {"static", "conformance", "security"}
    assert stages(producer="nobody") == set()


@pytest.mark.parametrize("cursor", ["", "x", "ä", "Y2FuZF8", "cnVuXzAw", "nul\0", "=" * 9])
def test_a_cursor_nobody_gave_out_is_refused(sqlite_world, cursor):
    with pytest.raises(Invalid, match="CURSOR_INVALID"):
        sqlite_world.registry.list_candidates(sqlite_world.me, cursor=cursor)


def test_a_cursor_of_another_list_is_refused(world):
    for n in range(2):
        world.start(world.register(version=str(n)))
    cursor = world.registry.list_runs(world.me, limit=1).next
    with pytest.raises(Invalid, match="CURSOR_INVALID"):
        world.registry.list_candidates(world.me, cursor=cursor)


@pytest.mark.parametrize("limit", [0, -1, 201])
def test_a_page_has_a_sensible_length(sqlite_world, limit):
    with pytest.raises(Invalid, match="LIMIT_INVALID"):
        sqlite_world.registry.list_runs(sqlite_world.me, limit=limit)


@pytest.mark.parametrize("text", ["", "nul\0", "half\ud800", "x" * 300])
def test_a_filter_no_database_could_match_is_refused(world, text):
    for ask in (
        lambda: world.registry.list_bundles(world.me, contract_id=text),
        lambda: world.registry.list_candidates(world.me, state=text),
        lambda: world.registry.list_runs(world.me, state=text),
        lambda: world.registry.list_evidence(world.me, profile=text),
    ):
        with pytest.raises(Invalid, match="FILTER_INVALID"):
            ask()


@pytest.mark.parametrize(
    "digest", ["", "sha256:abc", "sha512:" + "a" * 64, "sha256:" + "A" * 64, "a" * 64, "latest"]
)
def test_a_filter_that_is_no_digest_is_refused_rather_than_matching_nothing(sqlite_world, digest):
    registry, me = sqlite_world.registry, sqlite_world.me
    for listed in (registry.list_bundles, registry.list_candidates, registry.list_evidence):
        with pytest.raises(Invalid, match="FILTER_INVALID") as refused:
            listed(me, digest=digest)
        assert refused.value.pointer == "/digest"
        assert "sha256:" in refused.value.expected
        assert listed(me, digest="sha256:" + "9" * 64).items == ()


@pytest.mark.parametrize("kind", ["", "cand_", "cand_xyz", "run_" + "0" * 32, "cand_" + "A" * 32])
def test_a_filter_that_is_no_candidate_id_is_refused_rather_than_matching_nothing(
    sqlite_world, kind
):
    registry, me = sqlite_world.registry, sqlite_world.me
    for listed in (registry.list_runs, registry.list_evidence):
        with pytest.raises(Invalid, match="FILTER_INVALID") as refused:
            listed(me, candidate_id=kind)
        assert refused.value.pointer == "/candidate_id"
        assert listed(me, candidate_id="cand_" + "0" * 32).items == ()
