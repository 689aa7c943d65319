"""What a person asks of a run besides its cases: `--determinism`, `--coverage`, `--fail-on`, …"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from bundles.suite.report import SuiteRun

R = TypeVar("R")


class _Ratio(click.FloatRange):
    """A number above 0, at most 1. NaN compares with nothing, so that a range alone lets it by."""

    def __init__(self) -> None:
        super().__init__(0, 1, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        ratio = super().convert(value, param, ctx)
        if math.isnan(ratio):
            self.fail(f"{value!r} is no ratio.", param, ctx)
        return ratio


_FAIL_ON = ("nondeterminism", "input-findings", "approval-drift", "unverified-rejections")


@dataclass(frozen=True, slots=True)
class Demands:
    """What was asked for.

    Attributes:
        twice: run the suite a second time and compare.
        reset_command: what puts the server's outer state back before each run, "" for nothing.
        coverage: say what the suite checks of what the tools declare.
        minimum_coverage: the ratio that coverage has to reach.
        fail_on: what fails a run whose cases all pass.
    """

    twice: bool
    reset_command: str
    coverage: bool
    minimum_coverage: float | None
    fail_on: tuple[str, ...]

    def judged(self, made: "SuiteRun") -> "SuiteRun":
        """The run with the gates that were asked for."""
        if not self.fail_on and self.minimum_coverage is None:
            return made  # most runs: what judges the others takes time to load
        from dataclasses import replace

        from bundles.suite.report.gates import FailOn, gates_of

        fail_on = [FailOn(each) for each in self.fail_on]
        return replace(made, gates=gates_of(made, fail_on, self.minimum_coverage))


def demanding_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--determinism`, `--reset-cmd`, `--coverage`, `--min-coverage` and `--fail-on`, passed as
    `demands: Demands`.
    """

    @wraps(function)
    def gathered(
        *args: Any,
        determinism: bool,
        reset_cmd: str,
        coverage: bool,
        min_coverage: float | None,
        fail_on: tuple[str, ...],
        **kwargs: Any,
    ) -> R:
        demands = Demands(
            twice=determinism or "nondeterminism" in fail_on,
            reset_command=reset_cmd,
            coverage=coverage or min_coverage is not None,
            minimum_coverage=min_coverage,
            fail_on=fail_on,
        )
        return function(*args, demands=demands, **kwargs)

    wrapped: Callable[..., R] = gathered
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_OPTIONS = (
    click.option(
        "--determinism",
        is_flag=True,
        help="Run the suite twice, in a fresh process or session each, and say what differs. "
        "Tools are called twice: mind what they do.",
    ),
    click.option(
        "--reset-cmd",
        default="",
        metavar="COMMAND",
        help="Run this before each run, to put back what the server has changed elsewhere. No "
        "shell. Without it two equal runs are consistent, not proven deterministic.",
    ),
    click.option(
        "--coverage",
        is_flag=True,
        help="Say what the suite checks of what the tools declare of their inputs.",
    ),
    click.option(
        "--min-coverage",
        type=_Ratio(),
        metavar="RATIO",
        help="Fail below this ratio of contract axes, as 0.8. Implies --coverage.",
    ),
    click.option(
        "--fail-on",
        multiple=True,
        type=click.Choice(_FAIL_ON),
        help="Fail on this although every case passes. nondeterminism implies --determinism.",
    ),
)
