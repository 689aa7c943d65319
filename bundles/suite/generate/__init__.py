"""Suites from tool definitions: what to call with, and what has to come back. Pure."""

from bundles.suite.generate.fixtures import read_fixtures
from bundles.suite.generate.refusals import GenerationRefused
from bundles.suite.generate.scope import Policy
from bundles.suite.generate.suite import Generated, Skipped, generate_suite

__all__ = [
    "Generated",
    "GenerationRefused",
    "Policy",
    "Skipped",
    "generate_suite",
    "read_fixtures",
]
