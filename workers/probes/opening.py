"""Opening a conversation with a server whose revision nobody has named.

For the person at a terminal. A run knows its revision from its plan (`workers.probes.observe`).
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from bundles.errors import Unauthorised, Unreachable
from bundles.mcp import wire
from bundles.mcp.client import Client
from bundles.mcp.probes import DISCOVER, INITIALIZE, TOOLS_LIST
from bundles.mcp.turned_away import refused_on_the_way
from bundles.reasons import next_step, reason, reasons
from bundles.report.cut import cut, escaped
from bundles.transcript import Exchange, Failure
from workers.budget import Budget
from workers.endpoints import Endpoint, HttpEndpoint
from workers.probes.conversation import Conversation, Terms
from workers.probes.redact import Redactor, credentials_of
from workers.probes.walk import learn, walk

MCP_CONNECTION_FAILED = reason(
    "MCP_CONNECTION_FAILED",
    "No MCP server answered there, in any revision that was tried.",
    "check that the server runs, and that the URL or command is the one that serves MCP",
)
MCP_AUTHORIZATION_REQUIRED = reason(
    "MCP_AUTHORIZATION_REQUIRED",
    "An MCP server lets nobody in without other credentials.",
    "give the credentials it asks for, or renew them: --header-env, or headers in code",
)

_STDERR_LINES = 20
_PATH = "correct the path of the URL: something answers there, and serves no MCP at this path"
_WRONG_PATH = (404, 405)
_LATER = "raise the server's limit, or run again later"
_TOO_MANY = 429


@asynccontextmanager
async def open_conversation(
    endpoint: Endpoint,
    budget: Budget,
    *,
    revisions: Sequence[str] = wire.REVISIONS,
    credentials: Iterable[str] = (),
    client: Client | None = None,
) -> AsyncIterator[Conversation]:
    """A conversation in the first revision the server speaks, greeted and ready for calls.

    A server that refuses the first request of a revision is asked for the next one where it is: a
    process takes a while to start. Where that does not help, each revision is tried on a
    connection, or in a process, of its own: servers settle on one with the first request. What a
    modern client must know of the tools is learned on the way.

    Args:
        endpoint: where the server is.
        budget: bounds everything, this included.
        revisions: to try, in order.
        credentials: values to take out of whatever is recorded, besides the endpoint's own.
        client: who asks; the harness itself by default.

    Raises:
        Unreachable: MCP_CONNECTION_FAILED, with what each attempt met; `seen` is {"stderr": lines}
            of a process that wrote some.
        Unauthorised: MCP_AUTHORIZATION_REQUIRED: the first request is answered with HTTP 401 or
            403, and another revision would meet the same.
    """
    secrets = [*credentials, *credentials_of(endpoint)]
    met: list[str] = []
    steps: dict[str, None] = {}
    stderr = ""
    for place, revision in enumerate(revisions):
        terms = Terms(revision, budget, Redactor(secrets), client=client or Client())
        async with _conversation(terms, endpoint) as conversation:
            greeting, problem = await _greeted(conversation)
            if not problem or await _speaks_another(conversation, greeting, revisions[place + 1 :]):
                await _learn_tools(conversation, endpoint)
                yield conversation
                return
            met.append(f"{revision}: {problem}")
            steps |= dict.fromkeys(_steps(greeting))
            if greeting.status in {401, 403} and refused_on_the_way(greeting):
                why = f"HTTP {greeting.status}: {refused_on_the_way(greeting)}"
                raise Unauthorised(MCP_AUTHORIZATION_REQUIRED, why, seen=greeting.status)
            if greeting.failure in (Failure.UNREACHABLE, Failure.REFUSED_EGRESS):
                # Another revision would meet the same; the note names a reason with its own step.
                code = greeting.note.partition(":")[0]
                step = next_step(code if code in reasons() else MCP_CONNECTION_FAILED)
                raise Unreachable(MCP_CONNECTION_FAILED, met[-1], next_steps=[step])
        # after the close: what a process says last, it says while it ends
        stderr = conversation.stderr_tail or stderr
    raise _refusal("; ".join(met), revisions, list(steps), stderr)


def _refusal(met: str, revisions: Sequence[str], steps: list[str], stderr: str) -> Unreachable:
    """That no revision is spoken, and the last a process wrote to stderr: often the reason."""
    lines = [cut(line) for line in stderr.splitlines()[-_STDERR_LINES:]]
    refusal = Unreachable(
        MCP_CONNECTION_FAILED,
        met,
        seen={"stderr": lines} if lines else None,
        expected=list(revisions),
        next_steps=steps,
    )
    if lines:
        refusal.add_note("\n".join(["stderr of the server:", *(f"· {escaped(x)}" for x in lines)]))
    return refusal


def _steps(greeting: Exchange) -> list[str]:
    """What to do about the HTTP status of a greeting, where that says more than the reason does."""
    status = greeting.status or 0
    if status in _WRONG_PATH:
        # a server of today answers a method it does not know with JSON-RPC and 404
        return [_PATH] if greeting.message is None else []
    return [_LATER] if status == _TOO_MANY else []


async def _greeted(conversation: Conversation) -> tuple[Exchange, str]:
    """The greeting, and why the server does not speak the revision, "" when it does."""
    revision = conversation.terms.revision
    greeting = await conversation.greet(INITIALIZE if revision == wire.LEGACY else DISCOVER)
    return greeting, _problem(revision, greeting)


async def _speaks_another(
    conversation: Conversation, greeting: Exchange, revisions: Sequence[str]
) -> bool:
    """Whether a server that answered a greeting with a refusal speaks another revision here."""
    if greeting.message is None:
        return False
    for revision in revisions:
        conversation.turn_to(revision)
        if not (await _greeted(conversation))[1]:
            return True
    return False


def _conversation(terms: Terms, endpoint: Endpoint) -> Conversation:
    if isinstance(endpoint, HttpEndpoint):
        from workers.probes.mcp_http import HttpConversation  # noqa: PLC0415 - slow to load

        return HttpConversation(terms, endpoint)
    from workers.probes.mcp_stdio import StdioConversation  # noqa: PLC0415 - only where used

    return StdioConversation(terms, endpoint)


def _problem(revision: str, greeting: Exchange) -> str:
    """Why the server does not speak the revision, "" when it does."""
    if greeting.failure is not None:
        return f"{greeting.failure}: {greeting.note}"
    if greeting.error is not None:
        return f"JSON-RPC error {greeting.error.get('code')}: {greeting.error.get('message')}"
    if not isinstance(greeting.result, dict):
        from bundles.mcp.reading import what_came  # noqa: PLC0415 - only where nothing came

        return "no result" if greeting.message is not None else what_came(greeting)
    if revision == wire.LEGACY:
        return ""
    # Answering discover is not enough: some servers do, and leave the revision out of their list.
    versions = greeting.result.get("supportedVersions")
    if isinstance(versions, list) and revision in versions:
        return ""
    return f"the server supports {versions}"


async def _learn_tools(conversation: Conversation, endpoint: Endpoint) -> None:
    terms = conversation.terms
    if terms.revision == wire.MODERN and isinstance(endpoint, HttpEndpoint):
        conversation.listed = await walk(conversation, TOOLS_LIST)
        learn(terms, conversation.listed)
