"""What a server declares: is it there, is it all, and is it named as it should be?"""

import re
from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import UNREADABLE, capabilities
from bundles.mcp.reading import needs_the_server, not_made, refusal, unanswered
from bundles.mcp.schema import LEGACY, cut
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_PROMPTS = f"{probes.LISTED}prompts"
_RESOURCES = f"{probes.LISTED}resources"
_TEMPLATES = f"{probes.LISTED}resource-templates"
_LISTS = {
    probes.TOOLS_LIST: ("tools", "tools"),
    _PROMPTS: ("prompts", "prompts"),
    _RESOURCES: ("resources", "resources"),
    _TEMPLATES: ("resources", "resourceTemplates"),
}
"""By probe: the capability that declares a list, and the member that holds it."""
_LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_EXTENSION = re.compile(
    rf"{_LABEL}(?:\.{_LABEL})*/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.ASCII
)


@check(
    id="mcp.discovery.capabilities-true",
    reason_code="CAPABILITIES_NOT_TRUE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, schema ServerCapabilities",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.answering(_HEALTHY, _PROMPTS, {"result": {"prompts": [], **ex.CACHE}}, status=200),
        ex.toolless(_HEALTHY),
        ex.declaring(
            ex.answering(_HEALTHY, _RESOURCES, {"result": {"resources": [], **ex.CACHE}}),
            resources={},
        ),
    ],
    rejects=[
        ex.declaring(_HEALTHY, prompts={}),
        ex.declaring(_HEALTHY_LEGACY, resources={}),
        ex.answering(_HEALTHY, _PROMPTS, {"result": {"prompts": [{"name": "a"}], **ex.CACHE}}),
        ex.edited(_HEALTHY, probes.DISCOVER, lambda r: r.update(capabilities={})),
    ],
)
@needs_the_server
def capabilities_true(transcript: Transcript) -> Iterator[Said]:
    """What is declared is implemented, and what is implemented is declared.

    Why: clients ask only for what is declared, and fail where that is refused. Fix: declare
    prompts, resources and tools where they are served, and only there. An empty list, and no
    resource templates, are fine either way.
    """
    declared = capabilities(transcript)
    if declared is None:
        yield UNREADABLE
        return
    for probe, (capability, member) in _LISTS.items():
        page = next(iter(transcript.of(probe)), None)
        if page is None:
            yield not_made(probe)
        elif why := unanswered(page):
            yield Inconclusive(why)
        elif capability in declared:
            yield from _declared(page, capability)
        elif isinstance(page.result, dict) and page.result.get(member):
            yield Violation(
                f"{capability} are served and not declared",
                path=probe,
                pointer=f"/result/{member}",
                expected=f"capabilities.{capability}",
            )


def _declared(page: Exchange, capability: str) -> Iterator[Said]:
    """A refusal of tools/list is the business of mcp.tools.list-schema-valid."""
    if page.error is None or page.probe in {probes.TOOLS_LIST, _TEMPLATES}:
        return
    if page.error.get("code") in {-32601, -32602}:
        yield Violation(
            f"{capability} are declared and not served",
            path=page.probe,
            pointer="/error/code",
            seen=refusal(page),
            expected="a list",
        )
    else:
        yield Inconclusive(f"{page.probe}: the server could not list its {capability} just now")


@check(
    id="mcp.discovery.extension-names-valid",
    reason_code="EXTENSION_NAME_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic, extensions: identifiers are prefix/name",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.declaring(_HEALTHY, extensions={"io.modelcontextprotocol/tasks": {}}),
        ex.declaring(_HEALTHY, extensions={"com.example/a_b.c-2": {}, "x-1/y": {}}),
    ],
    rejects=[
        ex.declaring(_HEALTHY, extensions={name: {}})
        for name in ("tasks", "/tasks", "com.example/", "com..example/a", "1.example/a", "a-/b")
    ],
)
@needs_the_server
def extension_names_valid(transcript: Transcript) -> Iterator[Said]:
    """An extension is declared as "prefix/name", the prefix a reversed domain name.

    Why: without a prefix two vendors' extensions are one. Fix: put a domain you own in front.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("extensions are declared since 2026-07-28")
        return
    named = capabilities(transcript)
    if named is None:
        yield UNREADABLE
        return
    declared = named.get("extensions")
    if not isinstance(declared, dict) or not declared:
        yield NotApplicable("the server declares no extensions")
        return
    for name in declared:
        if not _EXTENSION.fullmatch(name):
            yield Violation(
                "the name of an extension is not of the form prefix/name",
                path=probes.DISCOVER,
                pointer="/result/capabilities/extensions",
                seen=cut(name),
                expected="like com.example/extension",
            )
