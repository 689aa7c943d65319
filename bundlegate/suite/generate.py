"""Suites from tools, for programs.

from bundlegate.suite.generate import generate_suite

generated = generate_suite(tools)         # tool definitions, as tools/list returns them
generated.suite, generated.skipped        # the document, and the tools that have no cases
"""

from bundles.suite.generate import (
    Generated,
    GenerationRefused,
    Policy,
    Skipped,
    generate_suite,
    read_fixtures,
)

__all__ = [
    "Generated",
    "GenerationRefused",
    "Policy",
    "Skipped",
    "generate_suite",
    "read_fixtures",
]
