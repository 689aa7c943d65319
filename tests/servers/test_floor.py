"""The floor: every kind of fault that was known before, and the broken servers that show it.

The kinds are those an earlier prototype found on broken variants of one server, those of public bug
reports, and those that real servers turned out to have. A kind may take several broken servers, and
there may be broken servers of further kinds; none of these may go.
"""

import pytest

from tests.servers.deployments import DEPLOYED
from tests.servers.faults import FAULTS

KINDS: dict[str, tuple[str, ...]] = {
    # discovery and versions
    "discover is not implemented": ("discover-refused",),
    "the answer to discover lacks members": ("discover-misshapen",),
    "the version that is spoken is not listed": ("revision-unlisted",),
    "discover varies inside its own time to live": ("discover-varies",),
    "answers do not name the server": ("list-unnamed",),
    "a capability is declared and its methods are unknown": ("resources-phantom",),
    "a list is served and not declared": ("prompts-undeclared",),
    "an extension has no prefix": ("extension-unprefixed",),
    "a version nobody can know is served": ("unknown-version-served",),
    "an unknown version is refused with the code of a draft": ("version-refused-by-old-code",),
    "the refusal lists other versions than discover": ("version-lists-differ",),
    "a listed version is not served": ("later-version-refused",),
    "the handshake is served on the modern wire": ("handshake-kept",),
    "removed methods are served": ("ping-kept",),
    "older clients get newer members": ("newer-members-sent",),
    # _meta and logging
    "requests without _meta are served": ("meta-optional",),
    "requests without a version are served": ("version-optional",),
    "requests without client capabilities are served": ("capabilities-optional",),
    "requests without clientInfo are refused": ("client-info-required",),
    "keys of others in _meta are refused": ("foreign-key-refused",),
    "a log level that does not exist is taken": ("log-level-unchecked",),
    "logs are sent unasked": ("logs-unasked",),
    # envelopes
    "JSON-RPC 1.0 is served": ("jsonrpc-unchecked",),
    "a batch is served": ("batch-served",),
    "id null is served, or taken for a notification": ("null-id-served", "null-id-ignored"),
    "a fractional id is served": ("fractional-id-served",),
    "ids come back as another type": ("id-converted", "large-id-stringified"),
    "an answer has both result and error": ("both-result-and-error",),
    "an unknown method is refused with another code": ("unknown-method-as-invalid-params",),
    "an unknown method is answered with HTTP 500 in HTML": ("unknown-method-in-html",),
    "a notification is answered": ("notification-answered",),
    "a posted response is taken": ("response-accepted",),
    "params that are no object are taken": ("params-unchecked",),
    "codes are used that are withdrawn or reserved": ("reserved-code",),
    "answers are no UTF-8, or half a character": (
        *("answer-in-code-page", "answer-with-half-character"),
    ),
    "bytes that are no JSON end the server, or are served": (
        *("dies-of-malformed", "malformed-served"),
    ),
    # tools
    "the list is misshapen": ("list-misshapen",),
    "a tool is null": ("tool-null",),
    "the cursor never ends, leads nowhere, or is always there": (
        *("cursor-loop", "cursor-ignored", "cursor-empty"),
    ),
    "inputSchema is null": ("input-schema-null",),
    "inputSchema has no root type": ("input-schema-untyped", "input-schema-any-of"),
    "a schema refers to what is elsewhere, or nowhere": ("reference-remote", "reference-dangling"),
    "a schema has no bounds": ("schema-deep", "schema-large"),
    "a schema is one that some clients cannot read": ("property-boolean", "property-untyped"),
    "caching hints are missing": (
        *("discover-uncacheable", "list-uncacheable", "resource-uncacheable"),
    ),
    "cacheScope varies by page": ("scope-varies",),
    "default values vary": ("default-varies",),
    "outputSchema is no JSON Schema": ("output-schema-invalid",),
    "two tools have one name": ("name-repeated",),
    "a name has a space": ("name-with-space",),
    "the set of tools varies by connection": ("list-varies",),
    "the order of tools varies": ("order-varies",),
    "hidden characters": ("hidden-text",),
    "descriptions give orders, or speak for other tools": ("text-smuggles", "text-shadows"),
    "tools differ from the bundle": ("tool-missing", "tool-extra", "tool-reworded"),
    # calls
    "every call is a protocol error": ("call-refused",),
    "an unknown tool succeeds, or fails as a tool does": (
        *("unknown-tool-succeeds", "unknown-tool-as-result"),
    ),
    "wrong arguments are taken": ("invalid-arguments-accepted",),
    "wrong arguments are a protocol error": ("invalid-arguments-as-protocol-error",),
    "wrong arguments end the server": ("dies-of-arguments",),
    "a result is misshapen": ("result-misshapen",),
    "structuredContent is missing": ("output-missing",),
    "structuredContent breaks its schema": ("output-renamed",),
    "errors show stack traces, credentials or paths": (
        *("error-with-trace", "refusal-with-trace", "error-with-credential", "error-with-path"),
    ),
    "arguments that are allowed are refused, or those that are not dropped": (
        *("limit-refused", "extra-argument-dropped"),
    ),
    "a call that is no call is served, or leaves the server deaf": (
        *("odd-arguments-served", "stuck-after-text"),
    ),
    "a refused call does something": ("refused-yet-written",),
    "text and structure say different things": ("text-contradicts", "text-in-prose"),
    "what a consumer looks up is empty": ("key-empty",),
    "a failure is dressed as success": ("failure-as-success",),
    "an error carries structure of another shape": ("structure-on-error",),
    "calls change the list": ("list-grows-with-calls",),
    "another request has to come first": ("discover-first",),
    "a cursor of somebody else is taken": ("foreign-cursor-served",),
    "an unknown resource is empty": ("unknown-resource-empty",),
    "an unknown prompt, or a missing argument of one, is not refused": (
        *("unknown-prompt-as-internal-error", "prompt-argument-unchecked"),
    ),
    "hints are untrue": ("read-only-writes", "repeat-grows", "additive-removes"),
    "suites fail, are refused, vary, or cover too little": (
        *("suite-answer-wrong", "suite-call-refused", "suite-answer-varies"),
        "input-rules-unchecked",
    ),
    # asking for input
    "input is required and nothing asked for": ("asks-for-nothing",),
    "input is asked for in a way of its own": ("asks-in-unknown-way",),
    "a client is asked for what it cannot give": ("asks-without-capability",),
    "a missing capability is not named": ("missing-capability-unnamed",),
    "a question may be cached": ("question-cacheable",),
    "the right answers are refused": ("retry-refused", "unasked-answer-refused"),
    "a retry needs the connection of its question": ("retry-tied-to-connection",),
    "missing answers are an error": ("missing-answer-refused",),
    "wrong answers are taken": ("malformed-answer-taken",),
    "requestState is not protected": ("state-unsigned",),
    "requestState is refused as a fault of the server": ("state-refused-as-internal",),
    "requestState is bound to nothing": ("state-replayable", "state-of-anyone"),
    "requestState never expires": ("state-everlasting",),
    "input is required of a list": ("input-required-on-list",),
    # who is let in, and where
    "no token is needed": ("missing-token-served",),
    "a token that nobody made is taken": ("invalid-token-served", "invalid-token-forbidden"),
    "a token that has expired is taken": ("expired-token-served",),
    "a token for somebody else's server, or from somebody else's, is taken": (
        *("other-audience-served", "other-issuer-served"),
    ),
    "a token is taken from the URL, or as a password": (
        *("token-in-url-served", "basic-token-served"),
    ),
    "a session stands for a token, or for somebody else's": (
        *("session-as-credential", "session-crosses-principals"),
    ),
    "401 comes without a challenge": ("challenge-missing", "challenge-without-scope"),
    "a client is told to ask for access when nobody is there": ("offline-access-asked",),
    "protected resource metadata is missing or wrong": (
        *("metadata-missing", "metadata-of-another", "metadata-without-issuer"),
    ),
    "a narrow scope is enough, or nobody says what would be": (
        *("narrow-scope-served", "narrow-scope-unexplained"),
    ),
    "what is for one principal serves another": (
        *("cursor-crosses-principals", "denied-call-served", "differing-list-public"),
    ),
    "instances of one deployment differ": ("instance-declares-more", "instance-lists-other"),
    "an instance needs what another one knows": (
        *("instance-forgets-cursors", "instance-forgets-questions"),
    ),
    # headers
    "the version header is not needed, or need not agree": (
        *("version-header-optional", "version-header-unchecked"),
    ),
    "Mcp-Method is not needed, need not agree, or agrees in another case": (
        *("method-header-optional", "method-header-unchecked", "method-header-folded"),
    ),
    "Mcp-Name need not agree": ("name-header-unchecked",),
    "an encoded Mcp-Name is not read, or read though it is malformed": (
        *("name-header-undecoded", "name-header-lenient"),
    ),
    "names of headers need their case, or values their spaces": (
        *("header-names-as-written", "header-spaces-kept"),
    ),
    "of two routing headers the first is taken": ("first-header-taken",),
    "GET is served": ("get-served",),
    "a session is minted, or needed": ("session-minted", "session-checked"),
    "an answer has another content type": ("opening-as-text",),
    "a foreign Host is served, or an Origin needed": ("foreign-host-served", "origin-required"),
    "x-mcp-header is used wrongly, or on secrets": (
        *("parameter-annotated-wrongly", "parameter-secret-mirrored"),
    ),
    "a mirrored parameter is not needed, need not agree, or is not read": (
        *("parameter-header-optional", "parameter-header-unchecked"),
        "parameter-header-undecoded",
    ),
    # transports
    "a foreign Origin is served": ("foreign-origin-served",),
    "stdout holds more than messages": (
        *("stdout-noise", "stdout-chatter", "stdout-log", "stdout-noise-in-calls"),
    ),
    "an odd request ends the process": ("dies-of-batch", "dies-of-unknown-method"),
    "the process outlives its stdin": ("ignores-end",),
    "it leaves processes behind": ("leaves-a-process",),
    "a cancelled call is answered": ("cancelled-call-answered",),
    "a stream stays open, or its event never ends": ("stream-left-open", "event-unended"),
    "something follows the response": ("response-repeated",),
    "progress is untrue": ("progress-stands-still", "progress-of-another", "progress-late"),
    "a proxy may keep a stream back": ("stream-buffered",),
    "listChanged is declared and subscribing refused": ("subscription-refused",),
    "a subscription is not what was asked for": (
        *(
            "subscription-misnamed",
            "subscription-widened",
            "subscription-unacknowledged",
            "change-untold",
        ),
    ),
    "the server asks on a stream": ("server-asks",),
    "an answer has no bounds": ("answer-huge",),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_known_kind_of_fault_has_its_broken_server(kind: str) -> None:
    assert KINDS[kind]
    assert set(KINDS[kind]) <= FAULTS.keys() | DEPLOYED.keys()


def test_there_are_as_many_broken_servers_as_there_were_and_more() -> None:
    shown = [name for names in KINDS.values() for name in names]
    assert len(shown) == len(set(shown))
    assert len(KINDS) >= 58
