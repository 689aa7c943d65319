"""Changes of texts a model reads, classed: cosmetic, or relevant to security.

A description is an instruction to whoever reads it. A change is relevant where the new text tells
the reader to do something it did not tell before, names other tools or new addresses, or holds
characters a reviewer cannot see. Whatever is not is cosmetic; nobody claims that a model behaves
the same after it.
"""

import re
from collections.abc import Iterable, Iterator

from bundles.mcp.hidden_text import hidden_characters

_ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.|mailto:)[^\s\"'<>)\]]+", re.IGNORECASE)
_COMMANDS = re.compile(
    r"""
      \b(?:you|the\s+(?:model|assistant|agent|llm))\s+(?:must|should|shall|need\s+to|have\s+to)\b
    | \b(?:must|always|never)\s+(?:be\s+)?[a-z]+
    | \b(?:do\s+not|don't)\s+[a-z]+
    | \b(?:ignore|disregard|forget|override|bypass)\b
    | \b(?:before|after|instead\s+of|prior\s+to)\s+(?:using|calling|invoking|running)\b
    | \b(?:first|then|next)(?:\s*,)?\s+(?:call|use|read|run|invoke|send|fetch|open|write)\b
    | \b(?:call|use|invoke|run|read|send|include|pass|append|forward|upload|copy)\s+
      (?:this|the|all|any|every|its|your|their|also|it)\b
    | \bsystem\s+prompt\b
    | \b(?:secretly|silently|without\s+(?:telling|asking|mentioning|informing))\b
    | <\s*(?:/\s*)?(?:important|system|instructions?|secret)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST = 100_000
"""Characters of a text that are looked at; a longer one is relevant by its length alone."""


def concerns(old: str, new: str, other_tools: Iterable[str] = ()) -> tuple[str, ...]:
    """Why a change of a text is relevant to security, in words; empty for a cosmetic one.

    Args:
        old: the text before, "" where there was none.
        new: the text now.
        other_tools: names of the other tools, before and now.
    """
    return tuple(_concerns(old, new, other_tools))


def _concerns(old: str, new: str, other_tools: Iterable[str]) -> Iterator[str]:
    hidden = [found for found in hidden_characters(new) if found not in hidden_characters(old)]
    if hidden:
        yield f"hidden characters: {', '.join(hidden[:10])}"
    if len(new) > _LONGEST and len(new) > len(old):
        yield f"{len(new)} characters of text"
        return
    told = [said for said in _said(_COMMANDS, new) if said not in set(_said(_COMMANDS, old))]
    if told:
        yield f"new instructions: {_listed(told)}"
    addresses = [a for a in _said(_ADDRESS, new) if a not in set(_said(_ADDRESS, old))]
    if addresses:
        yield f"new addresses: {_listed(addresses)}"
    named = [name for name in dict.fromkeys(other_tools) if _names(name, new, old)]
    if named:
        yield f"names of other tools: {_listed(sorted(named))}"


def _names(tool: str, new: str, old: str) -> bool:
    """Whether the new text names a tool the old one did not; a short word is no name by itself."""
    if len(tool) < 4 or tool not in new:
        return False
    word = re.compile(rf"(?<![\w.-]){re.escape(tool)}(?![\w-])")
    return bool(word.search(new)) and not word.search(old)


def _said(pattern: re.Pattern[str], text: str) -> list[str]:
    found = (" ".join(match[0].lower().split()) for match in pattern.finditer(text[:_LONGEST]))
    return list(dict.fromkeys(found))


def _listed(words: list[str]) -> str:
    shown = ", ".join(word if len(word) <= 80 else f"{word[:80]}…" for word in words[:5])
    return shown if len(words) <= 5 else f"{shown} and {len(words) - 5} more"
