"""tools/list: is the list well formed, finite and usable?"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.problem import Kind, Problem
from bundles.mcp.reading import has_no_tools, needs_the_server, not_made, unanswered
from bundles.mcp.schema import (
    LEGACY,
    cut,
    input_schema_problems,
    output_schema_problems,
    tools_page_problems,
)
from bundles.mcp.tools import Tool, listed_tools
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")

NO_TOOLS = "the server declares no tools and has no tools/list"
"""Why a check of the list does not apply to a server without tools."""


def _pages(transcript: Transcript) -> Iterator[Exchange | Inconclusive | NotApplicable]:
    """The pages of the first walk that hold an answer; for every other one, why not."""
    if has_no_tools(transcript):
        yield NotApplicable(NO_TOOLS)
        return
    pages = transcript.of(probes.TOOLS_LIST)
    if not pages:
        yield not_made(probes.TOOLS_LIST)
    for page in pages:
        if why := unanswered(page):
            yield Inconclusive(why)
        else:
            yield page


def each_tool(transcript: Transcript) -> Iterator[tuple[str, Tool] | Said]:
    """The listed tools with their pointers, or why there are none to look at."""
    unread = [page for page in _pages(transcript) if not isinstance(page, Exchange)]
    yield from unread
    tools = listed_tools(transcript)
    if not tools and not unread:
        yield NotApplicable("the server lists no tools")
    for tool in tools:
        yield str(tool.get("name", "")), tool


def looped(pages: Sequence[Exchange]) -> bool:
    """Whether a walk ended because a cursor came back that it had followed."""
    result = pages[-1].result if pages else None
    cursor = result.get("nextCursor") if isinstance(result, dict) else None
    followed = [page.request.get("params", {}).get("cursor") for page in pages]
    return isinstance(cursor, str) and cursor in followed


def of_tool(name: str, member: str, problem: Problem) -> Violation:
    """What is wrong with the schema of a tool, as a violation."""
    return Violation(
        f"tool {name}: {member}: {problem.message}",
        path=probes.TOOLS_LIST,
        pointer=f"/{member}{problem.pointer}",
        seen=problem.seen,
        witness={"tool": name},
    )


def _invalid(name: str, member: str, problem: Problem) -> Iterator[Said]:
    """References and size are the business of checks of their own."""
    if problem.kind is Kind.INVALID:
        yield of_tool(name, member, problem)
    elif problem.kind is Kind.DEPTH:
        yield Inconclusive(f"tool {name}: {member}: {problem.message}, and was not looked at")


@check(
    id="mcp.tools.list-schema-valid",
    reason_code="TOOLS_LIST_SCHEMA_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, schema ListToolsResult and Tool",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.pop("resultType")),
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.update(nextCursor=7)),
        ex.edited(_HEALTHY_LEGACY, probes.TOOLS_LIST, lambda r: r["tools"].append(None)),
        ex.refusing(_HEALTHY, probes.TOOLS_LIST, -32603),
        ex.refusing(_HEALTHY, probes.TOOLS_LIST, -32601),
        ex.edited(
            ex.refusing(_HEALTHY, probes.TOOLS_LIST, -32601),
            probes.DISCOVER,
            lambda r: r.update(capabilities={}),
        ),
    ],
)
@needs_the_server
def list_schema_valid(transcript: Transcript) -> Iterator[Said]:
    """Every page of tools/list has the shape its revision prescribes.

    Why: one malformed entry makes strict clients drop the whole list in silence. Fix: send every
    required member with its type; leave optional members out instead of null.
    """
    for number, page in enumerate(_pages(transcript), start=1):
        if not isinstance(page, Exchange):
            yield page
            continue
        if page.error is not None:
            yield Violation(
                f"page {number} of tools/list is an error",
                path=probes.TOOLS_LIST,
                pointer="/error",
                seen=cut(dict(page.error)),
                expected="a list of tools",
            )
            continue
        for problem in tools_page_problems(page.result, transcript.revision):
            yield Violation(
                f"page {number}: {problem.message}",
                path=probes.TOOLS_LIST,
                pointer=f"/result{problem.pointer}",
                seen=problem.seen,
            )


@check(
    id="mcp.tools.pages-end",
    reason_code="TOOLS_LIST_NEVER_ENDS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/utilities/pagination (derived)",
    accepts=[_HEALTHY],
    rejects=[ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.update(nextCursor="again"))],
)
@needs_the_server
def pages_end(transcript: Transcript) -> Iterator[Said]:
    """Following nextCursor comes to an end and never meets the same cursor twice.

    Why: a client that walks all pages hangs, or never sees the tools behind the loop. Fix: leave
    nextCursor out on the last page; an empty string is a cursor like any other.
    """
    pages = transcript.of(probes.TOOLS_LIST)
    if not pages:
        yield not_made(probes.TOOLS_LIST)
        return
    if has_no_tools(transcript):
        yield NotApplicable(NO_TOOLS)
        return
    if why := unanswered(pages[-1]):
        yield Inconclusive(why)
        return
    result = pages[-1].result
    cursor = result.get("nextCursor") if isinstance(result, dict) else None
    if isinstance(cursor, str):
        yield Violation(
            "the walk meets a cursor it has followed before"
            if looped(pages)
            else f"the walk did not end within {len(pages)} pages",
            path=probes.TOOLS_LIST,
            pointer="/result/nextCursor",
            seen=cut(cursor),
            expected="a last page without nextCursor",
        )


@check(
    id="mcp.tools.input-schema-valid",
    reason_code="TOOL_INPUT_SCHEMA_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, schema Tool.inputSchema",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.relisting(_HEALTHY, lambda tools: tools[1].update(inputSchema=None)),
        ex.relisting(_HEALTHY, lambda tools: tools[1].update(inputSchema={})),
        ex.relisting(
            _HEALTHY, lambda t: t[1].update(inputSchema={"type": "object", "properties": 1})
        ),
    ],
)
@needs_the_server
def input_schema_valid(transcript: Transcript) -> Iterator[Said]:
    """Every inputSchema is a valid JSON Schema whose root type is "object".

    Why: clients build and validate arguments from it, and drop tools, or all tools, when it is
    unusable. Fix: `{"type": "object", "properties": {}}` for a tool without arguments.
    """
    for entry in each_tool(transcript):
        if not isinstance(entry, tuple):
            yield entry
            continue
        name, tool = entry
        for problem in input_schema_problems(tool.get("inputSchema")):
            yield from _invalid(name, "inputSchema", problem)


@check(
    id="mcp.tools.output-schema-valid",
    reason_code="TOOL_OUTPUT_SCHEMA_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, schema Tool.outputSchema",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.relisting(_HEALTHY, lambda t: t[1].update(outputSchema={"type": "array"})),
    ],
    rejects=[
        ex.relisting(_HEALTHY, lambda t: t[1].update(outputSchema={"type": "strng"})),
        ex.relisting(_HEALTHY_LEGACY, lambda t: t[1].update(outputSchema={"type": "array"})),
    ],
)
@needs_the_server
def output_schema_valid(transcript: Transcript) -> Iterator[Said]:
    """Every outputSchema is a valid JSON Schema; before 2026-07-28 its root type is "object".

    Why: a client that cannot compile it refuses every result of the tool. Fix: validate the schema
    against its dialect when the server is built.
    """
    for entry in each_tool(transcript):
        if not isinstance(entry, tuple):
            yield entry
            continue
        name, tool = entry
        if "outputSchema" in tool:
            for problem in output_schema_problems(tool["outputSchema"], transcript.revision):
                yield from _invalid(name, "outputSchema", problem)


@check(
    id="mcp.tools.names-unique",
    reason_code="TOOL_NAME_REPEATED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, server/tools, tool names",
    accepts=[_HEALTHY],
    rejects=[ex.relisting(_HEALTHY, lambda tools: tools.append(dict(tools[1])))],
)
@needs_the_server
def names_unique(transcript: Transcript) -> Iterator[Said]:
    """No two tools of all pages share a name.

    Why: a call names its tool, so nobody knows which of the two is meant. Fix: rename one.
    """
    if looped(transcript.of(probes.TOOLS_LIST)):
        yield Inconclusive("the list repeats itself; see mcp.tools.pages-end")
        return
    tools = list(each_tool(transcript))
    yield from (entry for entry in tools if not isinstance(entry, tuple))
    times = Counter(entry[0] for entry in tools if isinstance(entry, tuple))
    for name, count in sorted(times.items()):
        if count > 1:
            yield Violation(
                f"tool name {name} is listed {count} times",
                path=probes.TOOLS_LIST,
                seen=count,
                expected=1,
                witness={"tool": name},
            )


@check(
    id="mcp.tools.names-portable",
    reason_code="TOOL_NAME_NOT_PORTABLE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, server/tools, tool names",
    accepts=[_HEALTHY],
    rejects=[ex.relisting(_HEALTHY, lambda tools: tools[1].update(name="save alert"))],
)
@needs_the_server
def names_portable(transcript: Transcript) -> Iterator[Said]:
    """A tool name is 1 to 128 characters of A-Z, a-z, 0-9, "_", "-" and ".".

    Why: clients and model interfaces rewrite or refuse other names. Fix: rename the tool; the words
    for people go into its title.
    """
    for entry in each_tool(transcript):
        if not isinstance(entry, tuple):
            yield entry
        elif not _NAME.fullmatch(entry[0]):
            yield Violation(
                "a tool name has characters or a length that not every client takes",
                path=probes.TOOLS_LIST,
                seen=cut(entry[0]),
                expected="[A-Za-z0-9_.-]{1,128}",
            )
