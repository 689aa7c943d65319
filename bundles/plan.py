"""The plan: what a run of one stage under one profile is to do, before it does it.

The plan digest is part of the evidence key; the policy digest is not (a policy edit re-decides,
it does not void evidence).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bundles.coverage_policy import CoveragePolicy

HARNESS_VERSION = "0.1.0"
"""Version of checks and probes together. Evidence names it; policy lists those it accepts."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run.

    Attributes:
        stage, profile: what the evidence will be about.
        revision: MCP revision the protocol probes speak ("2026-07-28" or "2025-11-25").
        transport: "http" or "stdio".
        check_ids: the checks that will judge, in id order.
        suites: parsed suite documents of the bundle, of either version, in path order.
        snapshot: the bundle's tools for this profile, None where the bundle has none.
        safe_calls: tool → list of argument objects that may be sent.
        observers: names of observers the bundle asks for.
        coverage: what the bundle asks of its suites together.
        client: who the profile says asks, as it says it (`bundles.mcp.client`); None for the
            harness itself.
        mrtr_tools: tool → how a tool that asks for input is called and answered
            (`bundles.mcp.multi_round`); no other such tool is called.
        authorization: the credentials the profile names, as it names them: by reference
            (`bundles.mcp.authorization`); None where it names none.
    """

    stage: str
    profile: str
    revision: str
    transport: str
    check_ids: tuple[str, ...]
    suites: tuple[Mapping[str, Any], ...] = ()
    snapshot: tuple[Mapping[str, Any], ...] | None = None
    safe_calls: Mapping[str, Any] = field(default_factory=dict)
    observers: tuple[str, ...] = ()
    coverage: CoveragePolicy = field(default_factory=CoveragePolicy)
    client: Any = None
    mrtr_tools: Mapping[str, Any] = field(default_factory=dict)
    authorization: Any = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; its semantic digest (`bundles.canonical.semantic_digest`) is the plan's."""
        plan: dict[str, Any] = {
            "stage": self.stage,
            "profile": self.profile,
            "revision": self.revision,
            "transport": self.transport,
            "harness_version": HARNESS_VERSION,
            "check_ids": list(self.check_ids),
            "suites": [dict(s) for s in self.suites],
            "snapshot": None if self.snapshot is None else [dict(t) for t in self.snapshot],
            "safe_calls": dict(self.safe_calls),
            "observers": list(self.observers),
        }
        # only where something is asked, so that evidence of other bundles keeps its plan
        asked = self.coverage.of_suites()
        client = {} if self.client is None else {"client": self.client}
        rounds = {"mrtr_tools": dict(self.mrtr_tools)} if self.mrtr_tools else {}
        if self.authorization is not None:
            plan["authorization"] = self.authorization
        return plan | client | rounds | ({"coverage": asked} if asked else {})
