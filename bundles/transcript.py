"""Transcripts: the ordered, redacted observations of a run, and nothing else.

A probe drives a transport and returns exchanges; a check reads them. A transcript is plain JSON,
so any verdict can be recomputed from the stored one with no network (`replay`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Failure(StrEnum):
    """Why an exchange has no answer. Every one of these is "could not tell", never a pass."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    CLOSED = "closed"  # the peer closed before the answer was complete
    TOO_LARGE = "too-large"  # byte cap reached
    REFUSED_EGRESS = "refused-egress"  # our own rules forbade the address
    BUDGET = "budget"  # run deadline or circuit break: not sent
    OBSERVER = "observer"  # an observer could not look


@dataclass(frozen=True, slots=True)
class Exchange:
    """One stimulus and what came back.

    Attributes:
        probe: stable id of the stimulus ("discover", "tools-list", "suite:<suite>:<case>", …);
            several exchanges may share it (pages, repetitions) and are told apart by `seq`.
        seq: position in the transcript, from 0.
        request: what was sent: {"method", "params"?, "headers"?, "raw"?: base64, "id"?,
            "attempt"?: which further attempt of a suite's case it belongs to, from 2}.
        status: HTTP status, None on stdio or when nothing came back.
        headers: response headers, lower-case names, credentials masked.
        body: response bytes as text (UTF-8, invalid bytes backslash-escaped), cut at the cap.
        message: the JSON-RPC response parsed strictly, None where there was none or it would not
            parse; `parse_error` then says why.
        events: other messages seen while waiting (notifications, server requests), parsed.
        failure: why there is no answer, None when there is one.
        note: a sentence about the failure, redacted.
        elapsed_us: monotonic duration in microseconds.
        raw_digest: keyed digest (HMAC-SHA256, hex) of the answer's bytes before redaction; ""
            without a key.
        observed: what observers saw around the exchange: {observer: {"before": …, "after": …}}.
    """

    probe: str
    seq: int
    request: Mapping[str, Any]
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    message: Mapping[str, Any] | None = None
    parse_error: str = ""
    events: tuple[Mapping[str, Any], ...] = ()
    failure: Failure | None = None
    note: str = ""
    elapsed_us: int = 0
    raw_digest: str = ""
    observed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def result(self) -> Any:
        """The JSON-RPC result, None when absent (see `message` to tell absent from null)."""
        return None if self.message is None else self.message.get("result")

    @property
    def error(self) -> Mapping[str, Any] | None:
        """The JSON-RPC error object, None when absent."""
        found = None if self.message is None else self.message.get("error")
        return found if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a run saw of one target under one profile.

    Attributes:
        stage, profile, revision, transport ("http" or "stdio"): the conditions.
        target: name of the target, never a credential.
        binding: how the server was tied to the artifact digest: measured, attested or claimed.
        artifact_digest: what was measured (launcher) or claimed.
        safe_calls: tool → arguments that the bundle or the person allows to be called.
        context: what else the checks need to know and the probe knew: bundle snapshot tools
            ("snapshot": [...] or absent), "era", observers attached, stdio lines and stderr tail.
        exchanges: in the order they were made.
        redaction_digest: keyed digest (HMAC-SHA256, hex) over the raw digests of the exchanges in
            order; "" without a key. Key and raw bytes together prove what was masked.
    """

    stage: str
    profile: str
    revision: str
    transport: str
    target: str
    binding: str = "claimed"
    artifact_digest: str = ""
    safe_calls: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    redaction_digest: str = ""

    def of(self, probe: str) -> tuple[Exchange, ...]:
        """Exchanges of one stimulus, in order; empty when the probe never made it."""
        return tuple(e for e in self.exchanges if e.probe == probe)

    def starting(self, prefix: str) -> Iterator[Exchange]:
        """Exchanges whose probe id starts with a prefix, in order."""
        return (e for e in self.exchanges if e.probe.startswith(prefix))
