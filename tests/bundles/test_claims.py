"""Claims: watched by a check that can fail, or listed as unwatched; nothing in between."""

from bundles.check import registry
from bundles.claims import CLAIMS, unwatched
from bundles.mcp import examples as ex
from bundles.verdict import Stage


def test_every_claim_has_its_check_or_says_what_is_missing() -> None:
    for claim in CLAIMS.values():
        assert bool(claim.check_id) != bool(claim.why)
        if claim.check_id:
            assert registry()[claim.check_id].claim == claim.name


def test_every_check_that_proves_a_claim_is_in_the_table() -> None:
    proving = {check.claim: check.id for check in registry().values() if check.claim}
    assert proving == {c.name: c.check_id for c in CLAIMS.values() if c.check_id}


def test_a_security_run_lists_what_nobody_watched() -> None:
    closed = ex.relisting(
        ex.healthy(), lambda tools: tools[0].update(annotations={"openWorldHint": False})
    )
    names = [claim.claim for claim in unwatched(closed)]
    assert names == ["authorization", "open-world-hint", "tenant-isolation"]
    assert all(claim.why for claim in unwatched(closed))


def test_a_hint_no_tool_gives_is_no_claim() -> None:
    assert [c.claim for c in unwatched(ex.healthy())] == ["authorization", "tenant-isolation"]


def test_other_stages_prove_no_claims() -> None:
    assert unwatched(ex.healthy(stage=Stage.CONFORMANCE.value)) == ()
