import pytest

from bundles.errors import Forbidden, Invalid, NotFound, Unauthorised
from service.admission.tokens import SCOPES


def make(world, **more):
    asked = {"name": "ci", "namespace": world.me.namespace, "scopes": ["admin"]}
    return world.registry.create_token(None, **{**asked, "expires_in_s": None, **more})


def test_a_token_is_shown_once_and_stored_as_a_hash(world):
    secret, record = make(world)
    admin = world.registry.authenticate(secret)
    assert (admin.token_id, admin.namespace, admin.may("runs:write")) == (
        record.id,
        world.me.namespace,
        True,
    )
    listed = {token.id: token for token in world.registry.list_tokens(admin)}
    assert listed[record.id].scopes == ("admin",)
    with world.store.read() as unit:
        stored = unit.tokens.get(record.id)
    assert secret[-43:].encode() not in stored.secret_hash
    assert len(stored.secret_hash) == 32


@pytest.mark.parametrize("wrong", ["", "bgt_", "nonsense", "nul\0", "half\ud800", "x" * 100_000])
def test_what_is_no_token_is_refused(sqlite_world, wrong):
    with pytest.raises(Unauthorised, match="TOKEN_INVALID"):
        sqlite_world.registry.authenticate(wrong)


def test_a_token_with_another_secret_is_refused(world):
    secret, _ = make(world)
    changed = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    with pytest.raises(Unauthorised, match="TOKEN_INVALID") as refused:
        world.registry.authenticate(changed)
    assert changed not in str(refused.value.to_dict())


def test_a_token_ends_when_it_expires_even_while_it_is_remembered(world):
    secret, _ = make(world, expires_in_s=1)
    world.registry.authenticate(secret)
    world.clock.advance(1)
    with pytest.raises(Unauthorised, match="TOKEN_EXPIRED"):
        world.registry.authenticate(secret)


def test_revoking_holds_after_what_is_remembered_is_forgotten(world):
    secret, record = make(world)
    admin = world.registry.authenticate(secret)
    revoked = world.registry.revoke_token(admin, record.id)
    assert revoked.revoked_at == world.clock.now()
    assert world.registry.revoke_token(admin, record.id) == revoked
    assert world.registry.authenticate(secret) == admin
    world.clock.advance(world.settings.token_cache_s)
    with pytest.raises(Unauthorised, match="TOKEN_INVALID"):
        world.registry.authenticate(secret)


def test_a_remembered_token_costs_no_statement_and_use_is_noted_once_a_minute(world):
    secret, record = make(world)
    world.registry.authenticate(secret)
    with world.counting() as statements:
        for _ in range(10):
            world.registry.authenticate(secret)
    assert statements == []
    world.clock.advance(3)
    with world.counting() as statements:
        world.registry.authenticate(secret)
    assert [s.split()[0] for s in statements] == ["SELECT"]
    world.clock.advance(60)
    admin = world.registry.authenticate(secret)
    used = {t.id: t.last_used_at for t in world.registry.list_tokens(admin)}
    assert used[record.id] == world.clock.now()


def test_an_admin_makes_tokens_for_its_own_namespace_only(world):
    secret, _ = make(world)
    admin = world.registry.authenticate(secret)
    asked = {"name": "x", "scopes": ["runs:write"], "expires_in_s": 60}
    _, record = world.registry.create_token(admin, namespace=admin.namespace, **asked)
    assert record.namespace == admin.namespace
    with pytest.raises(NotFound, match="NAMESPACE_UNKNOWN"):
        world.registry.create_token(admin, namespace="elsewhere", **asked)
    with pytest.raises(Forbidden, match="SCOPE_MISSING"):
        world.registry.create_token(world.me, namespace=world.me.namespace, **asked)


def test_tokens_of_another_namespace_are_not_found(world):
    secret, _ = make(world)
    _, foreign = make(world, namespace=f"{world.me.namespace}-other")
    admin = world.registry.authenticate(secret)
    for nothing in (foreign.id, "tok_" + "0" * 32, "tok_x"):
        with pytest.raises(NotFound, match="TOKEN_UNKNOWN"):
            world.registry.revoke_token(admin, nothing)
    assert foreign.id not in {token.id for token in world.registry.list_tokens(admin)}


@pytest.mark.parametrize(
    "wrong",
    [
        {"scopes": []},
        {"scopes": ["everything"]},
        {"expires_in_s": 0},
        {"expires_in_s": -5},
        {"expires_in_s": 10**12},
        {"name": ""},
        {"name": "nul\0"},
        {"namespace": "two words"},
    ],
)
def test_a_token_that_makes_no_sense_is_refused(sqlite_world, wrong):
    with pytest.raises(Invalid):
        make(sqlite_world, **wrong)


def test_every_scope_can_be_granted(sqlite_world):
    _, record = make(sqlite_world, scopes=SCOPES)
    assert record.scopes == SCOPES
