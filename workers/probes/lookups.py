"""Asking for what is not there: a page, a resource, a prompt."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from bundles.mcp import probes
from bundles.transcript import Exchange
from workers.probes.aside import WAIT_S, until_deaf
from workers.probes.observation import Line

_NOWHERE = "bundlegate://no/such/resource"
_NO_SUCH_PROMPT = "bundlegate_no_such_prompt"
_NO_SUCH_CURSOR = "!!x"

_Stimulus = tuple[str, str, dict[str, Any]]
"""Probe, method and params."""


async def lookups(line: Line, first: Exchange, listed: Sequence[Exchange]) -> list[Exchange]:
    """What the server declares, asked for by names that no list holds.

    Args:
        line: where it is asked.
        first: the server's first answer, which declares.
        listed: the pages of the lists besides tools/list.
    """
    declared = _capabilities(first)
    stimuli: list[_Stimulus] = [(probes.FOREIGN_CURSOR, "tools/list", {"cursor": _NO_SUCH_CURSOR})]
    if "resources" in declared:
        stimuli.append((probes.UNKNOWN_RESOURCE, "resources/read", {"uri": _NOWHERE}))
    if "prompts" in declared:
        prompts = _prompts(listed)
        unknown = _NO_SUCH_PROMPT
        while unknown in prompts:
            unknown += "_"
        stimuli.append((probes.UNKNOWN_PROMPT, "prompts/get", {"name": unknown}))
        needy = next((name for name, needs in prompts.items() if needs), None)
        if needy is not None:
            stimuli.append((probes.PROMPT_WITHOUT_ARGUMENTS, "prompts/get", {"name": needy}))
    return await until_deaf(_asked(line, stimuli))


async def _asked(line: Line, stimuli: Sequence[_Stimulus]) -> AsyncIterator[list[Exchange]]:
    for probe, method, params in stimuli:
        yield [await line.call(probe, method, params, timeout_s=WAIT_S)]


def _capabilities(first: Exchange) -> dict[str, Any]:
    declared = first.result.get("capabilities") if isinstance(first.result, dict) else None
    return declared if isinstance(declared, dict) else {}


def _prompts(listed: Sequence[Exchange]) -> dict[str, bool]:
    """Name of each listed prompt → whether it has a required argument."""
    pages = (e.result for e in listed if e.probe == f"{probes.LISTED}prompts")
    prompts = next((page.get("prompts") for page in pages if isinstance(page, dict)), None)
    found: dict[str, bool] = {}
    for prompt in prompts if isinstance(prompts, list) else []:
        if isinstance(prompt, dict) and isinstance(prompt.get("name"), str):
            found.setdefault(prompt["name"], _needs(prompt.get("arguments")))
    return found


def _needs(arguments: object) -> bool:
    listed = arguments if isinstance(arguments, list) else []
    return any(isinstance(a, dict) and a.get("required") is True for a in listed)
