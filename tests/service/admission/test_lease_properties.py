"""A run against a small model of it, under any order of workers, clocks and cancellations."""

from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bundles.errors import Conflict

LEASE_S = 60
MOST_ATTEMPTS = 3


@dataclass
class Model:
    state: str = "queued"
    attempt: int = 0
    fence: int = 0
    lease_until: float = 0
    cancelled: bool = False
    concluded: bool = False
    now: float = 0
    holds: list = field(default_factory=list)

    def held(self, fence):
        return self.state == "running" and fence == self.fence and self.lease_until > self.now

    def end_attempt(self, *, retry=True):
        if self.cancelled:
            self.state = "cancelled"
        elif retry and self.attempt < MOST_ATTEMPTS:
            self.state = "queued"
        else:
            self.state = "finished"


def claim(world, run, model, _):
    free = model.state == "queued" or (model.state == "running" and model.lease_until <= model.now)
    may = free and model.attempt < MOST_ATTEMPTS and not model.cancelled
    held = world.registry.claim(run.id, "worker")
    assert (held is not None) == may
    if held is not None:
        model.state, model.attempt, model.fence = "running", model.attempt + 1, model.fence + 1
        model.lease_until = model.now + LEASE_S
        assert (held.fence, held.run.attempt) == (model.fence, model.attempt)
        model.holds.append(held)


def tick(world, run, model, pick):
    seconds = (5, 30, LEASE_S)[pick % 3]
    world.clock.advance(seconds)
    model.now += seconds


def refusal_of(act):
    try:
        act()
    except Conflict as refusal:
        return refusal.reason_code
    return None


def as_worker(act, then):
    """One of the workers that ever held the run tries something, late or not."""

    def attempt(world, run, model, pick):
        if not model.holds:
            return
        held = model.holds[pick % len(model.holds)]
        may = model.held(held.fence)
        said = refusal_of(lambda: act(world, held, model))
        assert said == (None if may else "LEASE_LOST")
        if may:
            then(model)

    return attempt


def beat(world, held, model):
    assert world.registry.heartbeat(held.run.id, held.fence) is not model.cancelled


def extended(model):
    model.lease_until = model.now + LEASE_S


def concluded(model):
    model.state, model.concluded = "finished", True


heartbeat = as_worker(beat, extended)
progress = as_worker(
    lambda world, held, _: world.registry.progress(held.run.id, held.fence, "stimulus", {}),
    lambda _: None,
)
conclude = as_worker(
    lambda world, held, _: world.registry.conclude(held, world.stages(held)), concluded
)
abandon = as_worker(
    lambda world, held, _: world.registry.abandon(held, "WORKER_STOPPED", "x"), Model.end_attempt
)
give_up = as_worker(
    lambda world, held, _: world.registry.abandon(held, "WORKER_STOPPED", "x", retry=False),
    lambda model: model.end_attempt(retry=False),
)


def expire(world, run, model, _):
    world.registry.expire_leases()
    if model.state == "running" and model.lease_until <= model.now:
        model.end_attempt()


def cancel(world, run, model, _):
    said = refusal_of(lambda: world.registry.cancel_run(world.me, run.id))
    assert said == ("RUN_FINISHED" if model.state == "finished" else None)
    if said is not None:
        return
    model.cancelled = True
    if model.state == "queued":
        model.state = "cancelled"


ACTIONS = [claim, claim, tick, heartbeat, progress, conclude, abandon, give_up, expire, cancel]


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # over a database, shrinking would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 5)), min_size=4, max_size=14))
def test_a_run_does_what_its_model_does_whoever_comes_late(world, steps):
    candidate = world.register()
    run = world.start(candidate, stages=["conformance"])
    model = Model()
    for act, pick in steps:
        act(world, run, model, pick)
        now = world.registry.get_run(world.me, run.id)
        assert (now.state, now.attempt, now.fence) == (model.state, model.attempt, model.fence)
        found = world.registry.list_evidence(
            world.me, candidate_id=candidate.id, stage="conformance"
        )
        made = [evidence for evidence in found.items if evidence.run_id == run.id]
        assert len(made) == model.concluded
        over = now.state == "finished"
        assert (now.verdict is not None) == over
        assert over <= all(stage.verdict is not None for stage in now.stages)
    kinds = [event.seq for event in world.registry.run_events(world.me, run.id)]
    assert kinds == list(range(1, len(kinds) + 1))
