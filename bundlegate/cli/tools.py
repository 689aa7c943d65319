"""The tools a command is about: those of the server named, and of those the ones named safe."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bundles.errors import Invalid
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.mcp.tools import Tool

TOOL_NOT_LISTED = reason(
    "TOOL_NOT_LISTED",
    "A tool named on the command line is not among the tools listed.",
    "correct the name; `bundlegate snapshot take` prints the tools of a server",
)


def check_listed(named: Iterable[str], tools: "Sequence[Tool]") -> None:
    """Whether every tool named is listed.

    Raises:
        Invalid: TOOL_NOT_LISTED, with the names there are.
    """
    names = [str(tool["name"]) for tool in tools]
    for tool in named:
        if tool not in names:
            raise Invalid(TOOL_NOT_LISTED, f"no tool is called {tool!r}", seen=tool, expected=names)
