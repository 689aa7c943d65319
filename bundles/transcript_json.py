"""Transcripts as plain JSON and back, without loss: what is stored, digested and replayed."""

from collections.abc import Mapping
from typing import Any

from bundles.errors import Invalid
from bundles.reasons import reason
from bundles.transcript import Exchange, Failure, Transcript

TRANSCRIPT_UNREADABLE = reason(
    "TRANSCRIPT_UNREADABLE",
    "A stored transcript does not have the shape this version writes.",
    "run the verification again; a transcript is only ever read by the harness that wrote it",
)

_FORMAT = "bundlegate.transcript/1"
_EXCHANGE = frozenset(Exchange.__dataclass_fields__)
_TRANSCRIPT = frozenset(Transcript.__dataclass_fields__)


def transcript_to_json(transcript: Transcript) -> dict[str, Any]:
    """A transcript as plain JSON with every member present: {"format", …fields, "exchanges"}."""
    document = {name: getattr(transcript, name) for name in _in_order(Transcript)}
    document["exchanges"] = [_exchange_to_json(e) for e in transcript.exchanges]
    return {"format": _FORMAT, **document}


def transcript_from_json(document: Mapping[str, Any]) -> Transcript:
    """The transcript a document was made from.

    Raises:
        Invalid: TRANSCRIPT_UNREADABLE, the members are not those of this format.
    """
    if document.get("format") != _FORMAT:
        raise _unreadable("/format", document.get("format"), _FORMAT)
    members = {name: value for name, value in document.items() if name != "format"}
    _same_members("", members, _TRANSCRIPT)
    exchanges = members.pop("exchanges")
    if not isinstance(exchanges, list):
        raise _unreadable("/exchanges", type(exchanges).__name__, "list")
    read = tuple(_exchange_from_json(n, entry) for n, entry in enumerate(exchanges))
    return Transcript(**members, exchanges=read)


def _exchange_to_json(exchange: Exchange) -> dict[str, Any]:
    entry = {name: getattr(exchange, name) for name in _in_order(Exchange)}
    entry["events"] = list(exchange.events)
    entry["failure"] = None if exchange.failure is None else exchange.failure.value
    return entry


def _exchange_from_json(index: int, entry: object) -> Exchange:
    where = f"/exchanges/{index}"
    if not isinstance(entry, dict):
        raise _unreadable(where, type(entry).__name__, "object")
    _same_members(where, entry, _EXCHANGE)
    failure = entry["failure"]
    if failure is not None and failure not in {f.value for f in Failure}:
        raise _unreadable(f"{where}/failure", failure, [f.value for f in Failure])
    fields = {
        **entry,
        "events": tuple(entry["events"]),
        "failure": None if failure is None else Failure(failure),
    }
    return Exchange(**fields)


def _same_members(where: str, members: Mapping[str, Any], expected: frozenset[str]) -> None:
    if members.keys() != expected:
        raise _unreadable(where, sorted(members), sorted(expected))


def _in_order(kind: type[Transcript] | type[Exchange]) -> tuple[str, ...]:
    return tuple(kind.__dataclass_fields__)


def _unreadable(pointer: str, seen: object, expected: object) -> Invalid:
    return Invalid(
        TRANSCRIPT_UNREADABLE,
        "the stored transcript has another shape than this version writes",
        pointer=pointer,
        seen=seen,
        expected=expected,
    )
