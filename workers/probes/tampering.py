"""Changes to a requestState that its server did not make. Pure."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

Alteration = Callable[[str], str]


def _flipped(quarter: int) -> Alteration:
    """One character replaced, never the last: its bits may be no part of what base64 says."""

    def alter(state: str) -> str:
        at = len(state) * quarter // 4 - 1 if len(state) > 3 else 0
        return f"{state[:at]}{'B' if state[at : at + 1] == 'A' else 'A'}{state[at + 1 :]}"

    return alter


def _longer(state: str) -> str:
    """More before the padding, if there is some: what follows it is often not read."""
    text = state.rstrip("=")
    return f"{text}AAAA{state[len(text) :]}"


def _shorter(state: str) -> str:
    return state[: len(state) * 3 // 4]


def _forged(state: str) -> str:
    del state
    return "forged"


ALTERATIONS: Mapping[str, Alteration] = MappingProxyType(
    {
        "flipped-1": _flipped(1),
        "flipped-2": _flipped(2),
        "flipped-3": _flipped(3),
        "longer": _longer,
        "shorter": _shorter,
        "forged": _forged,
    }
)
"""How → the state changed; a state comes out changed in every case."""
