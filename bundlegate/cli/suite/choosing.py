"""Which cases of a suite a person wants: `--profile`, `--tag`, `--skip-tag`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from bundles.suite.model import Suite
    from bundles.suite.selection import Selection

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Choosing:
    """What was asked for; see `bundles.suite.selection.select`."""

    profile: str
    tags: tuple[str, ...]
    skip_tags: tuple[str, ...]

    def of(self, suite: "Suite") -> "Selection":
        """The cases that were asked for.

        Raises:
            Invalid: SUITE_NOTHING_CHOSEN, a run of no case would say nothing.
        """
        from bundles.suite.selection import select_some

        return select_some(suite, profile=self.profile, tags=self.tags, skip_tags=self.skip_tags)


def choosing_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--profile NAME`, `--tag TAG` and `--skip-tag TAG`, passed as `choosing: Choosing`."""

    @wraps(function)
    def gathered(*args: Any, profile: str, tag: Any, skip_tag: Any, **kwargs: Any) -> R:
        return function(*args, choosing=Choosing(profile, tag, skip_tag), **kwargs)

    wrapped: Callable[..., R] = gathered
    for option in reversed(
        (
            click.option(
                "--profile",
                default="",
                help="The profile the server is reached under: cases for others are left out.",
            ),
            click.option(
                "--tag", multiple=True, help="Run only cases with this tag, or another one given."
            ),
            click.option("--skip-tag", multiple=True, help="Leave out cases with this tag."),
        )
    ):
        wrapped = option(wrapped)
    return wrapped
