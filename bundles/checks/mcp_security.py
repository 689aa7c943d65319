"""The first security set: nothing leaks, nothing is hidden, nobody foreign is served."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.hidden_text import hidden_characters
from bundles.mcp.leaks import credentials, internals, stack_traces, strings, without_echo
from bundles.mcp.problem import pointer_of
from bundles.mcp.reading import needs_the_server, not_made, unanswered
from bundles.mcp.schema import MOST
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_STDIO = ex.healthy(transport="stdio")
_FAILED_CALL = f"{probes.INVALID_ARGUMENTS}get_forecast:missing"


def _failing_text(text: str) -> Transcript:
    failed = {"content": [{"type": "text", "text": text}], "isError": True}
    return ex.answering(_HEALTHY, _FAILED_CALL, {"result": failed}, status=200)


def _leaks(
    transcript: Transcript, find: Callable[[str], tuple[str, ...]], what: str
) -> Iterator[Said]:
    """Violations for what `find` names in error texts; Inconclusive when no error was seen."""
    seen_one = False
    for exchange in transcript.exchanges:
        error = _error_texts(exchange)
        if error is None:
            continue
        seen_one = True
        sent = list(strings(exchange.request.get("params")))
        kinds = {k for text in strings(error) for k in find(without_echo(text, sent))}
        if kinds:
            yield Violation(
                f"an error text holds {what}",
                path=exchange.probe,
                pointer="/error" if exchange.error is not None else "/result",
                seen=sorted(kinds),
                expected="words for the caller, and an id to find the rest in the log",
            )
    if not seen_one:
        yield Inconclusive("no error was provoked, so no error text was seen")


def _error_texts(exchange: Exchange) -> Any:
    """What an exchange holds of error texts: the error, the failed result, or a bare HTTP body."""
    if exchange.error is not None:
        return dict(exchange.error)
    result = exchange.result
    if isinstance(result, dict) and result.get("isError") is True:
        return [result.get("content"), result.get("structuredContent")]
    if exchange.message is None and exchange.status is not None and exchange.status >= 400:
        return exchange.body
    return None


@check(
    id="mcp.security.error-without-stack-trace",
    reason_code="ERROR_LEAKS_STACK_TRACE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="CWE-209; OWASP ASVS 16.5.1",
    accepts=[_HEALTHY, _failing_text("Unknown city: Atlantis (line 3 of the request)")],
    rejects=[
        _failing_text('Traceback (most recent call last):\n  File "server.py", line 3, in call'),
        _failing_text("TypeError: x is undefined\n    at call (server.js:10:5)"),
    ],
)
@needs_the_server
def error_without_stack_trace(transcript: Transcript) -> Iterator[Said]:
    """No error text carries a stack trace.

    Why: it shows code, versions and paths to whoever provokes an error. Fix: catch at the edge, log
    the trace under an id, answer with the id.
    """
    yield from _leaks(transcript, stack_traces, "a stack trace")


@check(
    id="mcp.security.error-without-credentials",
    reason_code="ERROR_LEAKS_CREDENTIAL",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="CWE-209, CWE-532",
    accepts=[_HEALTHY, _failing_text("the token is required; password: must be a string")],
    rejects=[
        _failing_text("cannot connect to postgres://app:s3cret@db/alerts"),
        _failing_text("upstream refused [redacted:bearer]"),
    ],
)
@needs_the_server
def error_without_credentials(transcript: Transcript) -> Iterator[Said]:
    """No error text carries a token, key, password or connection string.

    Why: the caller, the model and every log on the way can use it. Fix: never format configuration
    or upstream requests into messages; rotate what has been shown.
    """
    yield from _leaks(transcript, credentials, "a credential")


@check(
    id="mcp.security.error-without-internals",
    reason_code="ERROR_LEAKS_INTERNALS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="CWE-209, CWE-497",
    accepts=[_HEALTHY, _failing_text("see https://docs.example.com/usr/errors, version 1.10.0.3")],
    rejects=[
        _failing_text("[Errno 2] No such file: '/home/app/alerts/7.json'"),
        _failing_text("connect to 10.0.3.7:5432 failed"),
    ],
)
@needs_the_server
def error_without_internals(transcript: Transcript) -> Iterator[Said]:
    """No error text carries a path of the server's file system or an internal address.

    Why: it maps the inside for whoever attacks next. Fix: say what the caller can change; keep
    paths and hosts in the log.
    """
    yield from _leaks(transcript, internals, "internals of the server")


@check(
    id="mcp.security.no-hidden-characters",
    reason_code="HIDDEN_CHARACTERS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.BEHAVIOR,
    severity=Severity.MUST,
    spec="Unicode UTS 39; tool poisoning",
    accepts=[
        _HEALTHY,
        ex.relisting(_HEALTHY, lambda t: t[1].update(description="Sàve an alert 👩‍🚒 ⚠️ می‌خواهم")),
    ],
    rejects=[
        ex.relisting(_HEALTHY, lambda t: t[1].update(description="Saves\u200b an alert.")),
        ex.relisting(_HEALTHY, lambda t: t[1].update(title="Save \u202etrela")),
        ex.relisting(
            _HEALTHY,
            lambda t: t[1]["inputSchema"]["properties"].update(
                id={"type": "string", "description": "The id.\U000e0041\U000e0042"}
            ),
        ),
    ],
)
@needs_the_server
def no_hidden_characters(transcript: Transcript) -> Iterator[Said]:
    """Names, descriptions and schemas hold no invisible, bidirectional, tag or control characters.

    Why: a reviewer reads one text, the model another. Fix: remove the characters.
    """
    opening = [*transcript.of(probes.DISCOVER), *transcript.of(probes.INITIALIZE)]
    pages = transcript.of(probes.TOOLS_LIST)
    if not pages:
        yield not_made(probes.TOOLS_LIST)
    for exchange in (*opening, *pages):
        if why := unanswered(exchange):
            yield Inconclusive(why)
            continue
        for pointer, found in _hidden(exchange.result):
            yield Violation(
                f"hidden characters: {', '.join(found[:MOST])}",
                path=exchange.probe,
                pointer=f"/result{pointer}",
                seen=list(found[:MOST]),
            )


def _hidden(value: object) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Pointers of texts (or of members whose name is one) with hidden characters in them."""
    waiting: deque[tuple[list[str | int], object]] = deque([([], value)])
    while waiting:
        path, node = waiting.popleft()
        if isinstance(node, str):
            if found := hidden_characters(node):
                yield pointer_of(path), found
        elif isinstance(node, dict):
            for name, child in node.items():
                if found := hidden_characters(str(name)):
                    yield pointer_of([*path, str(name)]), found
                waiting.append(([*path, str(name)], child))
        elif isinstance(node, list):
            waiting.extend(([*path, at], child) for at, child in enumerate(node))


@check(
    id="mcp.security.foreign-origin-refused",
    reason_code="FOREIGN_ORIGIN_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/transports, security: Origin",
    accepts=[_HEALTHY, _STDIO],
    rejects=[
        ex.answering(_HEALTHY, probes.FOREIGN_ORIGIN, {"result": {}}, status=200),
        ex.refusing(_HEALTHY, probes.FOREIGN_ORIGIN, -32600, status=400),
    ],
)
@needs_the_server
def foreign_origin_refused(transcript: Transcript) -> Iterator[Said]:
    """A request with a foreign Origin header is refused with HTTP 403.

    Why: any web page in a user's browser could otherwise drive a server on their machine or network
    (DNS rebinding). Fix: compare Origin with an allow-list before anything else, answer 403.
    """
    if transcript.transport != "http":
        yield NotApplicable("stdio has no Origin")
        return
    asked = next(iter(transcript.of(probes.FOREIGN_ORIGIN)), None)
    if asked is None:
        yield not_made(probes.FOREIGN_ORIGIN)
    elif asked.failure is not None:
        yield Inconclusive(f"{asked.probe}: {asked.failure.value} {asked.note}".rstrip())
    elif asked.status in {401, 407, 429} or (asked.status or 0) >= 500:
        yield Inconclusive(f"{asked.probe}: HTTP {asked.status} came before any look at Origin")
    elif asked.status != 403:
        served = (asked.status or 0) < 400
        yield Violation(
            "a request from a foreign Origin is served"
            if served
            else "a request from a foreign Origin is refused with another status than 403",
            path=probes.FOREIGN_ORIGIN,
            seen=asked.status,
            expected=403,
        )
