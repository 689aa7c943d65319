"""What a protected server publishes about itself (RFC 9728), so that clients can get a token."""

from collections.abc import Iterator

from bundles.check import Inconclusive, Said, Subject, Violation, check
from bundles.mcp import example_protected as ex
from bundles.mcp import examples, probes
from bundles.mcp.admission import ANSWERS_OF_GATEWAYS, known, one, without_oauth
from bundles.mcp.metadata import covers, document_of, documents, is_web_address
from bundles.mcp.reading import not_made
from bundles.mcp.schema import LEGACY, cut
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

_PROTECTED = ex.protected()
_PROTECTED_LEGACY = ex.protected(revision=LEGACY)
_PLACES = ("challenge", "path", "root")
_UNTOLD = frozenset({Failure.TIMEOUT, Failure.UNREACHABLE, Failure.REFUSED_EGRESS, Failure.BUDGET})


def _missing() -> Transcript:
    transcript = _PROTECTED
    for place in _PLACES:
        transcript = examples.changed(transcript, probes.METADATA + place, status=404, body="")
    return transcript


@check(
    id="mcp.auth.metadata-published",
    reason_code="RESOURCE_METADATA_MISSING",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/authorization; RFC 9728",
    accepts=[
        _PROTECTED,
        _PROTECTED_LEGACY,
        ex.public(),
        examples.without(_PROTECTED, f"{probes.METADATA}challenge"),
    ],
    rejects=[
        _missing(),
        examples.changed(_PROTECTED, f"{probes.METADATA}challenge", status=404, body=""),
        examples.changed(_PROTECTED, f"{probes.METADATA}challenge", body="<html>"),
    ],
)
def metadata_published(transcript: Transcript) -> Iterator[Said]:
    """Protected resource metadata is where the challenge says, or at a well-known URL.

    An address the worker may not reach, or that gives no answer, leaves it open.

    Why: it names the authorization server; without it no client can get a token by itself. Fix:
    serve the JSON document at `/.well-known/oauth-protected-resource` with the path of the endpoint
    behind it, and name that URL in the challenge.
    """
    if said := without_oauth(transcript):
        yield said
        return
    named = one(transcript, f"{probes.METADATA}challenge")
    asked = [named] if named is not None else list(transcript.starting(probes.METADATA))
    if not asked:
        yield not_made(probes.METADATA)
    elif all(document_of(exchange) is None for exchange in asked):
        if why := next(filter(None, map(_untold, asked)), ""):
            yield Inconclusive(why)
            return
        yield Violation(
            "the metadata is not where the challenge says"
            if named is not None
            else "there is no protected resource metadata",
            path=asked[0].probe,
            seen=f"HTTP {asked[0].status}, {cut(asked[0].body) or 'an empty body'}",
            expected="HTTP 200 with a JSON object",
        )


@check(
    id="mcp.auth.metadata-names-resource",
    reason_code="RESOURCE_METADATA_OF_ANOTHER",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="RFC 9728, 3.3; MCP 2026-07-28 and 2025-11-25, basic/authorization, resource parameter",
    accepts=[
        _PROTECTED,
        _PROTECTED_LEGACY,
        ex.public(),
        ex.describing(_PROTECTED, resource="https://forecasts.example"),
    ],
    rejects=[
        ex.describing(_PROTECTED, resource="https://other.example/mcp"),
        ex.describing(_PROTECTED, resource=None),
    ],
)
def metadata_names_resource(transcript: Transcript) -> Iterator[Said]:
    """The `resource` of the metadata is the endpoint that was asked, or what it is part of.

    Why: clients ask for a token for that resource; one for another server is refused here, or lets
    somebody else's server collect tokens. Fix: publish the URL clients use, also behind a proxy.
    """
    found = _first(transcript)
    if not isinstance(found, tuple):
        yield found
        return
    exchange, document = found
    endpoint = str(known(transcript).get("resource", ""))
    if not covers(document.get("resource"), endpoint):
        yield Violation(
            "the metadata is about another resource",
            path=exchange.probe,
            pointer="/resource",
            seen=cut(document.get("resource")),
            expected=endpoint,
        )


@check(
    id="mcp.auth.metadata-names-issuer",
    reason_code="RESOURCE_METADATA_WITHOUT_ISSUER",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/authorization, authorization server location",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[
        ex.describing(_PROTECTED, authorization_servers=None),
        ex.describing(_PROTECTED, authorization_servers=[]),
        ex.describing(_PROTECTED, authorization_servers=["issuer.example"]),
    ],
)
def metadata_names_issuer(transcript: Transcript) -> Iterator[Said]:
    """The metadata names at least one authorization server, by its URL.

    Why: that is where clients go next. Fix: list the issuer's URL in `authorization_servers`.
    """
    found = _first(transcript)
    if not isinstance(found, tuple):
        yield found
        return
    exchange, document = found
    servers = document.get("authorization_servers")
    if not isinstance(servers, list) or not servers or not all(map(is_web_address, servers)):
        yield Violation(
            "the metadata names no authorization server",
            path=exchange.probe,
            pointer="/authorization_servers",
            seen=cut(servers),
            expected="a list of http or https URLs",
        )


def _first(transcript: Transcript) -> tuple[Exchange, dict[str, object]] | Said:
    """The document a client would use, or why there is none to read."""
    if said := without_oauth(transcript):
        return said
    found = next(documents(transcript), None)
    if found is None:
        return Inconclusive("no metadata was read")
    return found[0], dict(found[1])


def _untold(exchange: Exchange) -> str:
    """Why an answer says nothing about whether the document is there, "" where it does."""
    if exchange.failure in _UNTOLD:
        return f"{exchange.probe}: {exchange.failure} {exchange.note}".rstrip()
    return (
        f"{exchange.probe}: HTTP {exchange.status}"
        if exchange.status in ANSWERS_OF_GATEWAYS
        else ""
    )
