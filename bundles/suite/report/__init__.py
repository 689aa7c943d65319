"""A suite's run for people and tools: text, JSON, and the common model of every other report."""

from bundles.suite.report.common import common_report
from bundles.suite.report.model import Gate, SuiteRun
from bundles.suite.report.text import case_lines, render_text

__all__ = ["Gate", "SuiteRun", "case_lines", "common_report", "render_text"]
