import io
from concurrent.futures import ThreadPoolExecutor

import pytest

from bundles.archive import write_tar
from bundles.contract import files_contract
from bundles.errors import Conflict, Forbidden, NotFound, Refused
from service.admission import submit


def send(world, contract, **more):
    archive = io.BytesIO(write_tar(contract.files))
    return world.registry.submit_bundle(world.me, archive, **more)


def test_the_same_content_gives_the_same_row(world):
    first, second = send(world, files_contract()), send(world, files_contract())
    assert (first.created, second.created) == (True, False)
    assert first.bundle == second.bundle
    assert first.outcomes == second.outcomes
    assert first.findings == second.findings


def test_a_hundred_submits_at_once_give_one_row_and_one_digest(world):
    contract = files_contract({"schemas/a.json": {"type": "object"}}, {"schemas": "schemas/"})
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(lambda _: send(world, contract), range(100)))
    assert {submission.bundle.digest for submission in made} == {contract.digest}
    assert sum(submission.created for submission in made) == 1
    assert len(world.registry.list_bundles(world.me).items) == 1


def test_another_content_under_the_same_version_is_refused_with_what_differs(world):
    before = files_contract(
        {"schemas/a.json": {"type": "object"}, "schemas/b.json": {}}, {"schemas": "schemas/"}
    )
    after = files_contract(
        {"schemas/a.json": {"type": "string"}, "schemas/c.json": {}}, {"schemas": "schemas/"}
    )
    send(world, before)
    with pytest.raises(Conflict) as refused:
        send(world, after)
    assert refused.value.reason_code == "CONTRACT_VERSION_TAKEN"
    assert refused.value.expected == {"digest": before.digest}
    assert refused.value.seen == {
        "digest": after.digest,
        "added": ["schemas/c.json"],
        "removed": ["schemas/b.json"],
        "changed": ["schemas/a.json"],
    }
    with pytest.raises(NotFound):
        world.registry.get_bundle(world.me, after.digest)


def test_two_contents_race_for_one_version_and_one_wins(world):
    contracts = [
        files_contract({"schemas/a.json": {"const": n}}, {"schemas": "schemas/"}) for n in range(8)
    ]

    def attempt(contract):
        try:
            return send(world, contract).bundle.digest
        except Conflict as error:
            return error.reason_code

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(attempt, contracts))
    assert said.count("CONTRACT_VERSION_TAKEN") == 7
    assert len(world.registry.list_bundles(world.me).items) == 1


def test_a_bundle_that_may_not_be_stored_leaves_nothing_behind(world):
    secret = files_contract({"bundle.yaml": "not: a manifest\n"})
    with pytest.raises(Refused):
        send(world, secret)
    assert world.registry.list_bundles(world.me).items == ()


def test_what_was_submitted_is_read_back_byte_exact(world):
    contract = files_contract(
        {"schemas/ä b.json": b'{"type":  "object"}\n'}, {"schemas": "schemas/"}
    )
    digest = send(world, contract).bundle.digest
    registry, me = world.registry, world.me
    for path, content in contract.files.items():
        assert registry.bundle_file(me, digest, path) == content
    assert registry.bundle_archive(me, digest) == write_tar(contract.files)
    for path in ("no/such", "nul\0", "half\ud800"):
        with pytest.raises(NotFound, match="BUNDLE_FILE_UNKNOWN"):
            registry.bundle_file(me, digest, path)


def test_an_idempotency_key_belongs_to_one_content(world):
    contract = files_contract()
    first = send(world, contract, idempotency_key="k-1")
    again = send(world, contract, idempotency_key="k-1")
    assert (first.created, again.created) == (True, False)
    other = files_contract(manifest={"contract_version": "2.0.0"})
    with pytest.raises(Conflict, match="IDEMPOTENCY_KEY_REUSED"):
        send(world, other, idempotency_key="k-1")
    assert len(world.registry.list_bundles(world.me).items) == 1


def test_the_same_content_in_two_namespaces_is_two_bundles_over_the_same_blobs(world):
    other = world.principal(f"others-{world.me.namespace}")
    digest = world.submit()
    with pytest.raises(NotFound):
        world.registry.get_bundle(other, digest)
    assert world.submit(who=other) == digest
    assert world.registry.get_bundle(other, digest).namespace == other.namespace


def test_submitting_needs_its_scope(world):
    reader = world.principal(world.me.namespace, "evidence:read")
    with pytest.raises(Forbidden, match="SCOPE_MISSING"):
        world.registry.submit_bundle(reader, io.BytesIO(b""))


def test_a_new_harness_version_judges_a_stored_bundle_again(world, monkeypatch):
    digest = world.submit()
    monkeypatch.setattr(submit, "HARNESS_VERSION", "9.9.9")
    world.register(bundle_digest=digest)
    bundle = world.registry.get_bundle(world.me, digest)
    assert bundle.harness_version == "9.9.9"
    assert world.registry.bundle_outcomes(world.me, digest)
