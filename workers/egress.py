"""Egress rules: which addresses a probe may reach."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EgressRules:
    """Addresses the operator allows besides public ones: host, host:port or CIDR."""

    allow: tuple[str, ...] = ()
