"""The vocabulary between probes and checks: the id of every stimulus a transcript may hold.

A probe of `workers.probes` makes the stimulus and records it under this id; a check of
`bundles.checks` reads it. Ids ending in ":" are prefixes, followed by what tells them apart.

A probe judges nothing: `Exchange.message` is whatever JSON object came back for a request, even
with another id, with both result and error, or with neither; `request["id"]` is the id that was
sent (absent for bytes that are no request). Credentials found while redacting are replaced by
`REDACTED`, which the leak checks count as a leak; paths and addresses are left for them to see.
"""

REDACTED = "[redacted"
"""How a masked credential begins in bodies, messages and notes: "[redacted]" or
"[redacted:<kind>]"."""

DISCOVER = "discover"
"""server/discover, well formed (2026-07-28). Asked once, first."""

INITIALIZE = "initialize"
"""The legacy handshake, well formed (2025-11-25), followed by notifications/initialized."""

UNKNOWN_VERSION = "unknown-version"
"""2026-07-28: discover whose header and _meta both name 1900-01-01.
2025-11-25: initialize asking for 1999-01-01, on a connection of its own."""

TOOLS_LIST = "tools-list"
"""tools/list, one exchange a page, in order; the walk stops at a repeated cursor or 100 pages."""

TOOLS_LIST_AGAIN = "tools-list-again:"
"""The whole walk again on a fresh connection (stdio: a fresh process), "1" and "2"."""

UNKNOWN_METHOD = "unknown-method"
"""Method `no/such`, id "u1"."""

UNKNOWN_TOOL = "unknown-tool"
"""tools/call of a name that no list holds."""

SAFE_CALL = "safe-call:"
"""tools/call of a safe tool with allowed arguments: "safe-call:<tool>:<n>". In the conformance
stage with that id as `_meta.progressToken`. Where observers are
attached, `observed` holds what each saw before and after: for a `files` observer,
{"files": {"before": {path: "sha256:…"}, "after": {…}}} or {"files": {"failed": "why"}}."""

SAFE_CALL_AGAIN = "safe-call-again:"
"""The identical call once more, right after "safe-call:<tool>:<n>", on the same connection or
process and under the same observers: "safe-call-again:<tool>:<n>". Made only for tools that claim
`idempotentHint: true`, and only where a `files` observer is attached."""

# --- derived arguments, malformed calls, lookups and state ---

ALLOWED_ARGUMENTS = "allowed-arguments:"
"""tools/call of a tool that is safe with any arguments (the plan names none for it), with arguments
derived from its inputSchema that lie at its limits: "allowed-arguments:<tool>:<kind>", kinds as in
`bundles.mcp.derived.ALLOWED`."""

INVALID_ARGUMENTS = "invalid-arguments:"
"""tools/call of a safe tool with arguments its inputSchema refuses, the first of its allowed calls
changed in one place: "invalid-arguments:<tool>:<kind>", kinds as in `bundles.mcp.derived.REFUSED`,
a second one of a kind as "<kind>-2". Each is followed by an `ALIVE` one and observed like a
`SAFE_CALL`."""

MALFORMED_CALL = "malformed-call:"
"""tools/call whose params are not those of a call, each followed by an `ALIVE` one: "no-name"
(arguments alone), "arguments-text" ("x" in place of the object) and "arguments-list" ([]), both of
the first safe tool, or of a tool that no list holds."""

FIRST_REQUEST = "first-request"
"""tools/list as the first request that is served on a connection, or in a process, of its own
(2026-07-28): after `UNKNOWN_VERSION`, or where that does not work before any other."""

TOOLS_LIST_AFTER = "tools-list-after-calls"
"""The whole walk again on the connection or process of the calls, after the last `SAFE_CALL` and
`ALLOWED_ARGUMENTS`."""

FOREIGN_CURSOR = "foreign-cursor"
"""tools/list with the cursor "!!x", which no page named."""

UNKNOWN_RESOURCE = "unknown-resource"
"""resources/read of a URI that no list holds, where the server declares resources."""

UNKNOWN_PROMPT = "unknown-prompt"
"""prompts/get of a name that no list holds, where the server declares prompts."""

PROMPT_WITHOUT_ARGUMENTS = "prompt-without-arguments"
"""prompts/get of the first listed prompt with a required argument, without arguments."""

# --- end ---

MALFORMED = "malformed:"
"""Bytes that are no JSON-RPC message: "truncated" (cut JSON), "not-utf8" (ff fe), "deep" (JSON of
depth 10,000). Over HTTP each on a connection of its own, over stdio in one process while that goes
on."""

ALIVE = "alive:"
"""A well-formed discover or initialize after the stimulus it names, same connection or process:
"alive:truncated", …, "alive:invalid-arguments:<tool>:<kind>"."""

FOREIGN_ORIGIN = "foreign-origin"
"""HTTP only: a well-formed first request with `Origin: https://evil.example`."""

ENVELOPE = "envelope:"
"""The well-formed first request (2025-11-25: `ping`) with one thing wrong in its envelope, each
followed by an `ALIVE` one on stdio: "jsonrpc-1.0" ("jsonrpc": "1.0"), "batch" (the request in an
array), "id-null", "id-fraction" (1.5), "id-boolean" (true), "id-object" ({}), "params-array"
("params": [1]). HTTP only: "notification" (notifications/cancelled for a request that never was)
and "response" (`{"jsonrpc", "id", "result": {}}`, without Mcp-Method)."""

ID_ECHO = "id-echo:"
"""The well-formed first request (2025-11-25: `ping`) with an unusual id that is allowed: "zero"
(0), "negative" (-7), "largest" (2^53-1), "empty" (""), "digits" ("700700"), "unicode" (letters
beyond ASCII), "escapes" (quotes, backslash, newline, tab)."""

UNICODE_NAME = "unicode-name"
"""tools/call of a name beyond ASCII that no list holds."""

META = "meta:"
"""server/discover with one thing odd in `_meta` (2026-07-28): "absent" (params {}), "no-params",
"no-version", "no-capabilities", "capabilities-text" ("x" in place of the object), "no-client-info",
"foreign" (`com.example/x` and `traceparent` besides), "log-level" (logLevel "loud").
2025-11-25: "foreign" alone, with `ping`."""

DISCOVER_AGAIN = "discover-again"
"""The identical server/discover once more, right after "tools-list" (2026-07-28)."""

HANDSHAKE = "handshake-on-modern-wire"
"""`initialize` with the headers and the `_meta` of 2026-07-28, after a discover."""

REMOVED = "removed:"
"""A method that 2026-07-28 removed, well formed: "ping", "logging/setLevel", "resources/subscribe",
"resources/unsubscribe", "roots/list"."""

LEGACY_HANDSHAKE = "legacy-handshake"
"""Under a 2026-07-28 plan: `initialize` of 2025-11-25 on a connection (stdio: process) of its own.
A result means that the server speaks both eras."""

OLDER_ERA = frozenset({LEGACY_HANDSHAKE, INITIALIZE})
"""Stimuli of 2025-11-25, whose rules hold for them also under a 2026-07-28 plan."""

VERSION = "version:"
"""server/discover in another version that discover lists and that is younger than 2025-11-25:
"version:<version>"."""

LISTED = "listed:"
"""The first page of another list, whether it is declared or not: "prompts", "resources",
"resource-templates"."""

RESOURCE_READ = "resource-read"
"""resources/read of the first resource that "listed:resources" lists (2026-07-28)."""

MRTR = "mrtr:"
"""tools/call of a tool that is declared to ask for input (2026-07-28), "mrtr:<what>:<tool>":

- "undeclared": by a client that declares no capability, after one that does, on the connection (or
  process) of its first call; all others declare those of the tool.
- "rounds": a call, and its retries with the answers until it asks no more or there is no answer;
  over HTTP each round on a connection of its own. "together": the same on one connection, made only
  where a retry of "rounds" got a JSON-RPC error.
- "extra", "missing", "malformed": a call, and one retry: with an answer nobody asked for besides;
  with none of the answers; with a number in place of each.
- "tampered": a call; then "tampered-<how>", its retry with another requestState: "flipped-1",
  "flipped-2", "flipped-3" (one character in the first, second, third quarter), "longer", "shorter",
  "forged" (the word).
- "other-arguments", "other-tool", "other-principal": a call, and its retry with its requestState on
  other arguments, on another declared tool, or with the credentials of somebody else.
- "expired": a call, and its retry after the declared seconds.
- "other-instance": a call, and its retry at another instance, a pair for each.

A requestState that is masked where it is recorded is sent as it came, or changed as said."""

AUTH = "auth:"
"""HTTP only: the door (below) with another credential than the profile's, or with none. The door is
the first page of tools/list where nobody is let in without a credential, else the first safe call
(without one, tools/call of a name that no list holds) where nobody is; 2025-11-25: after the
handshake, or the handshake itself where that is refused.
"none": the list without a credential, and "none-call": the call without one.
At the door: "invalid" (a random bearer token), "basic" (the profile's bearer token as a Basic
password), "session" (2025-11-25: no credential, in a session that was opened with one); and with
the tokens the profile names: "expired", "other_audience", "other_issuer", "in_url" (in the query,
as `access_token`, and in no header). "narrow_scope": the first safe call of the tool the profile
names, with its token of narrow scope."""

METADATA = "auth-metadata:"
"""HTTP GET of the OAuth protected resource metadata: "challenge" (the URL in WWW-Authenticate,
where there is one), "path" and "root" (the well-known URLs). `request` is {"method": "GET", "url"};
the body is no JSON-RPC, so it is in `body` alone."""

OTHER = "other:"
"""HTTP only, as the second principal of the profile: "list" (tools/list over all pages), "cursor"
(tools/list with the first cursor the profile's own list gave), "session" (2025-11-25: tools/list in
the session of the profile's own principal) and "call:<tool>" (the first safe call of a tool that
the profile denies it)."""

INSTANCE = "instance:"
"""HTTP only, at another base URL of the deployment, numbered from 1: "<n>:discover" (2025-11-25:
the handshake), "<n>:list" (tools/list over all pages), "<n>:cursor" (tools/list with the first
cursor the target itself gave)."""

HEADER = "header:"
"""HTTP only. The well-formed first request with one header that does not say what its body says
(2026-07-28): "version-absent", "version-other" (MCP-Protocol-Version 2099-01-01),
"body-version-other" (the same in `_meta`, the header as it should be), "method-absent",
"method-other" (Mcp-Method tools/list), "method-case" (in capitals), "method-twice" (the right one,
then tools/list) and "method-twice-reversed". With "session" it carries an Mcp-Session-Id and a
Last-Event-ID that nobody gave out; with "names-upper" (2025-11-25 too, with `ping`) the names of
all headers are in capitals.
tools/call with one Mcp-Name (2026-07-28), of a safe tool where there is one (`params.name` says
which), else of one no list holds: "name-absent", "name-other", "name-malformed" (a base64 sentinel
around no base64). Of one no list holds: "name-encoded" (the right name in a base64 sentinel),
"name-padded" (the right name in spaces and tabs)."""

PARAMETER = "parameter:"
"""HTTP only (2026-07-28): "safe-call:<tool>:<n>", the first of a tool with an argument that is
mirrored into a header, once more with that header spoilt: "parameter:absent:<tool>:<n>",
"parameter:other:<tool>:<n>" (another value), "parameter:malformed:<tool>:<n>" (a base64 sentinel
around no base64), or written otherwise: "parameter:encoded:<tool>:<n>" (the right value in a base64
sentinel)."""

VERB = "verb:"
"""HTTP only (2026-07-28): "verb:GET" and "verb:DELETE" on the endpoint; of the answer, the head."""

OWN_ORIGIN = "own-origin"
"""HTTP only: a well-formed first request whose Origin is the server's own address."""

FOREIGN_HOST = "foreign-host"
"""HTTP only, where the server is on this machine: a well-formed first request with
`Host: evil.example`."""

SUITE = "suite:"
"""One case of a suite: "suite:<suite id>:<case id>", a colon in the suite's id as "%3A". One
exchange a page where it lists, one a round where the server asks for input. Those of further
attempts have `request["attempt"]`, from 2."""

SUITE_AGAIN = "suite-again:"
"""The same case once more, in the second run of all suites on a connection (stdio: process) of its
own: "suite-again:<suite id>:<case id>". Only where the bundle requires determinism; the first run
then has a connection of its own too."""

SUBSCRIBE = "subscribe"
"""subscriptions/listen for the first kind of change that discover declares (2026-07-28), those of
lists before those of resources, which are asked for with a URI that no list holds; id "listen".
Left a moment after its first message, which stands in `events`. There is no answer to wait for, so
an exchange without one has no failure either. Not made where none is declared."""

CANCELLED = "cancelled:"
"""Over stdio: the call of "safe-call:<tool>:<n>" once more, cancelled by notifications/cancelled
while it runs: "cancelled:<tool>:<n>". Waited for a little longer than the call took; without an
answer it has no failure. Made for the first safe call that took long enough, or not at all."""

STREAM_LEFT_OPEN = "the stream was still open"
"""How the note of an exchange begins whose event stream had not ended in its grace after the
response. One such stream is enough: later ones of the same run are left at once, and not told."""

LARGER_THAN = "more than"
"""How the note of an exchange begins whose answer was cut off for its own size alone, and not for
what all answers of the run came to."""

CONTEXT_ENDINGS = "endings"
"""Transcript.context: how each process ended when its stdin did, in the order they were closed:
[{"probe": its first stimulus, "how", "left"}]. "how" is "by-itself" (in time), "told" (it took
SIGTERM), "killed" (SIGKILL), "gone" (it had ended before) or "busy" (it was not given the time);
"left" counts the processes it left running, null where it was not looked. Absent over HTTP."""

CONTEXT_STDOUT_NOISE = "stdout_noise"
"""Transcript.context: list of stdout lines (redacted, cut) that are no JSON-RPC message, with the
process they came from: [{"probe", "line"}]. Absent over HTTP."""

CONTEXT_STDERR = "stderr_tail"
"""Transcript.context: last 64 KiB of stderr of the main process, redacted."""

CONTEXT_SNAPSHOT = "bundle_snapshot"
"""Transcript.context: the bundle's tools for this profile; absent when the bundle has none."""

CONTEXT_SUITES = "suites"
"""Transcript.context: the suite documents that were run, in order."""

CONTEXT_COVERAGE = "coverage"
"""Transcript.context: what the bundle's coverage policy asks of the suites
(`CoveragePolicy.of_suites`); absent where it asks for nothing."""

CONTEXT_MRTR_TOOLS = "mrtr_tools"
"""Transcript.context: the declared tools that ask for input, as the plan has them; absent where
there are none."""

CONTEXT_OBSERVERS = "observers"
"""Transcript.context: names of the observers that were attached."""

CONTEXT_AUTHORIZATION = "authorization"
"""Transcript.context, over HTTP: {"credential": whether requests carry one, "bearer": whether it is
a bearer token, "declared": what the profile names besides, "missing": {name: why it could not be
resolved}, "denied": tools, "narrow": the tool of the narrow scope, "resource": the URL of the
endpoint without its query}."""

CONTEXT_INSTANCES = "instances"
"""Transcript.context, over HTTP: how many other base URLs of the deployment there are."""

CONTEXT_LOOPBACK = "loopback"
"""Transcript.context: whether the server is on this machine, by its address; absent over stdio and
where no address was asked."""

CONTEXT_ERA = "era"
"""Transcript.context: "modern" when discover lists 2026-07-28, "legacy" when only the handshake
answered, "none" when neither did."""
