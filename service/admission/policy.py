"""A policy: what evidence each transition needs, how fresh, how bound, and which claims may stand.

A policy is one plain JSON document, complete by construction: all six gated states, every key.
Unknown keys are refused, so nothing a person wrote is silently ignored. It may ask for more than
`STAGE_FLOOR`, never for less.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from bundles.canonical import semantic_digest
from bundles.claims import CLAIMS
from bundles.errors import Invalid
from bundles.plan import HARNESS_VERSION
from bundles.reasons import reason
from bundles.verdict import Severity, Stage
from service.admission.lifecycle import FORWARD
from service.admission.model import Binding, State

POLICY_INVALID = reason(
    "POLICY_INVALID",
    "The policy document is incomplete, holds an unknown key, or asks for less than the law does.",
    "correct every listed pointer; docs/policies.md describes each key",
)

FALLBACK = "default"
"""In `binding` and `claims`: what holds for every environment or claim not named."""

GATED_STATES = tuple(state for state in FORWARD if state is not State.DRAFT)
"""States a candidate enters only on evidence."""

_ADMISSION = (Stage.STATIC, Stage.CONFORMANCE, Stage.SECURITY)

STAGE_FLOOR: Mapping[State, tuple[Stage, ...]] = MappingProxyType(
    {
        State.STATIC_VALIDATED: _ADMISSION[:1],
        State.CONFORMANCE_VERIFIED: _ADMISSION[:2],
        State.SECURITY_VERIFIED: _ADMISSION,
        State.REGISTRY_ADMITTED: _ADMISSION,
        State.CANARY: _ADMISSION,
        State.ACTIVE: _ADMISSION,
    }
)
"""The least any policy asks for, per state: nothing is admitted without all three stages."""

_SEVERITIES = (Severity.POLICY, Severity.SHOULD, Severity.MUST)
_BINDINGS = (Binding.CLAIMED, Binding.ATTESTED, Binding.MEASURED)
_MAX_AGE_DAYS = 3650
_VERIFIED, _SHOWN = "verified", "shown"


class PolicyInvalid(Invalid):
    """Every problem of a document at once, in `seen`: [{"pointer", "problem"}]."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What one state asks for.

    Attributes:
        stages: required stages, in verification order.
        profiles: required profiles; None means every profile the candidate is observed under.
        max_evidence_age_days: older evidence no longer counts, whatever it says of its expiry.
        blocking_severity: findings at or above it block, even in a run that passed.
        binding: environment → weakest binding that counts, for stages that ran the server;
            "default" for every environment not named.
    """

    stages: tuple[Stage, ...]
    profiles: tuple[str, ...] | None
    max_evidence_age_days: int
    blocking_severity: Severity
    binding: Mapping[str, Binding]

    def blocks(self, severity: str) -> bool:
        """True when a finding of this severity blocks; one of no known severity does."""
        least = _SEVERITIES.index(self.blocking_severity)
        return severity not in _SEVERITIES[:least]

    def binding_for(self, environment: str) -> Binding:
        """The weakest binding that counts in an environment."""
        return self.binding.get(environment, self.binding[FALLBACK])


@dataclass(frozen=True, slots=True)
class Policy:
    """A read policy. Make one with `read_policy`.

    Attributes:
        harness_versions: versions whose evidence counts.
        claims: claim → True when it must be verified by observation, False when it may stand as
            "not verified, shown"; "default" for every claim not named.
        transitions: gated state → what it asks for.
        digest: semantic digest of the document.
    """

    harness_versions: tuple[str, ...]
    claims: Mapping[str, bool]
    transitions: Mapping[State, Requirement]
    digest: str

    def must_be_verified(self, claim: str) -> bool:
        """True when a claim nobody watched blocks."""
        return self.claims.get(claim, self.claims[FALLBACK])


def binding_suffices(seen: str, least: Binding) -> bool:
    """True when a binding is at least as strong as the policy's; an unknown one never is."""
    return seen in _BINDINGS[_BINDINGS.index(least) :]


def _default_requirement(stages: tuple[Stage, ...]) -> dict[str, Any]:
    return {
        "stages": [stage.value for stage in stages],
        "profiles": "all",
        "max_evidence_age_days": 30,
        "blocking_severity": "MUST",
        "binding": {FALLBACK: "attested"},
    }


DEFAULT_POLICY: Mapping[str, Any] = MappingProxyType(
    {
        "harness_versions": [HARNESS_VERSION],
        "claims": {FALLBACK: _VERIFIED},
        "transitions": {
            state.value: _default_requirement(
                (*floor, Stage.CANARY) if state is State.ACTIVE else floor
            )
            for state, floor in STAGE_FLOOR.items()
        },
    }
)
"""Strict and complete: every claim watched, the running server measured or attested, a canary
stage before promotion."""


def read_policy(document: object) -> Policy:
    """Read a policy document: plain JSON, already parsed strictly.

    Raises:
        PolicyInvalid: with every problem, each with its pointer.
    """
    reader = _Reader()
    policy = reader.policy(document)
    if policy is None:
        first, *others = reader.problems
        more = f" (and {len(others)} more)" if others else ""
        raise PolicyInvalid(
            POLICY_INVALID,
            f"{first['pointer'] or 'the document'} {first['problem']}{more}",
            pointer=first["pointer"],
            seen=reader.problems,
        )
    return policy


class _Reader:
    """Collects problems while reading, so that one attempt shows them all."""

    def __init__(self) -> None:
        self.problems: list[dict[str, str]] = []

    def problem(self, pointer: str, problem: str) -> None:
        self.problems.append({"pointer": pointer, "problem": problem})

    def policy(self, document: object) -> Policy | None:
        members = self._members(
            document, "", required=("harness_versions", "claims", "transitions")
        )
        given = {**DEFAULT_POLICY, **members}  # what is missing was reported; report it once
        versions = self._names(given["harness_versions"], "/harness_versions")
        claims = self._claims(given["claims"])
        transitions = self._transitions(given["transitions"])
        if self.problems:
            return None
        return Policy(versions, claims, transitions, semantic_digest(members))

    def _members(
        self, value: object, pointer: str, *, required: Collection[str], open_: bool = False
    ) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            self.problem(pointer, "must be an object")
            return {}
        for name in required:
            if name not in value:
                self.problem(f"{pointer}/{_escape(name)}", "is missing")
        for name in value:
            if not open_ and name not in required:
                hint = _nearest(str(name), required)
                self.problem(f"{pointer}/{_escape(str(name))}", f"is not a key of a policy{hint}")
        return dict(value)

    def _names(self, value: object, pointer: str) -> tuple[str, ...]:
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(name, str) and name for name in value)
        ):
            self.problem(pointer, "must be a non-empty list of non-empty strings")
            return ()
        if len(set(value)) != len(value):
            self.problem(pointer, "names something twice")
        return tuple(value)

    def _one_of(self, value: object, pointer: str, allowed: Collection[str]) -> str | None:
        if isinstance(value, str) and value in allowed:
            return value
        self.problem(pointer, f"must be one of {', '.join(allowed)}")
        return None

    def _claims(self, value: object) -> Mapping[str, bool]:
        claims = self._members(value, "/claims", required=(FALLBACK,), open_=True)
        for claim, rule in claims.items():
            pointer = f"/claims/{_escape(claim)}"
            self._one_of(rule, pointer, (_VERIFIED, _SHOWN))
            if claim not in {FALLBACK, *CLAIMS}:
                self.problem(pointer, f"is not a claim{_nearest(claim, CLAIMS)}")
        return MappingProxyType({claim: rule == _VERIFIED for claim, rule in claims.items()})

    def _transitions(self, value: object) -> Mapping[State, Requirement]:
        names = tuple(state.value for state in GATED_STATES)
        members = self._members(value, "/transitions", required=names)
        return MappingProxyType(
            {
                State(name): self._requirement(State(name), members[name])
                for name in names
                if name in members
            }
        )

    def _requirement(self, state: State, value: object) -> Requirement:
        at = f"/transitions/{state.value}"
        keys = ("stages", "profiles", "max_evidence_age_days", "blocking_severity", "binding")
        members = self._members(value, at, required=keys)
        given = {**_default_requirement(STAGE_FLOOR[state]), **members}
        profiles, age = given["profiles"], given["max_evidence_age_days"]
        if type(age) is not int or not 1 <= age <= _MAX_AGE_DAYS:
            self.problem(f"{at}/max_evidence_age_days", f"must be a whole 1 to {_MAX_AGE_DAYS}")
        severity = self._one_of(given["blocking_severity"], f"{at}/blocking_severity", _SEVERITIES)
        return Requirement(
            stages=self._stages(state, given["stages"], f"{at}/stages"),
            profiles=None if profiles == "all" else self._names(profiles, f"{at}/profiles"),
            max_evidence_age_days=age,
            blocking_severity=Severity(severity or Severity.MUST),
            binding=self._binding(given["binding"], f"{at}/binding"),
        )

    def _stages(self, state: State, value: object, pointer: str) -> tuple[Stage, ...]:
        names = self._names(value, pointer)
        for number, name in enumerate(names):
            self._one_of(name, f"{pointer}/{number}", tuple(Stage))
        for stage in STAGE_FLOOR[state]:
            if names and stage.value not in names:
                self.problem(pointer, f"must include {stage.value!r}: no policy asks for less")
        return tuple(stage for stage in Stage if stage.value in names)

    def _binding(self, value: object, pointer: str) -> Mapping[str, Binding]:
        members = self._members(value, pointer, required=(FALLBACK,), open_=True)
        read = {
            environment: self._one_of(weakest, f"{pointer}/{_escape(environment)}", _BINDINGS)
            for environment, weakest in members.items()
        }
        return MappingProxyType({e: Binding(b) for e, b in read.items() if b is not None})


def _nearest(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
