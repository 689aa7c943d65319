"""Judging cases: how the call went (`operation`), and one file for each assertion type."""

from bundles.suite.assertions.case import judge_case, not_run

__all__ = ["judge_case", "not_run"]
