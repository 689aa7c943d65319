"""Suites: valid, told apart by id, and about tools that exist."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.json_walk import escape_pointer
from bundles.suite.validate import validate_suite
from bundles.verdict import Layer, Severity, Stage

_NONE = NotApplicable("the bundle has no suites")
_TOKEN = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def _suite(suite_id: str = "smoke", tool: str = "echo") -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "id": suite_id,
        "name": "Smoke",
        "cases": [
            {
                "id": "lists",
                "name": "Lists the tool",
                "operation": {"type": "listTools"},
                "assertions": [{"type": "toolExists", "tool": tool}],
            },
            {
                "id": "calls",
                "name": "Calls the tool",
                "operation": {"type": "callTool", "tool": tool, "input": {}},
                "assertions": [{"type": "isError", "expected": False}],
            },
        ],
    }


def _of_version_2(suite: Mapping[str, Any]) -> dict[str, Any]:
    return {**suite, "schemaVersion": 2, "format": "bundlegate"}


def _without_tool() -> dict[str, Any]:
    """A suite whose only call is refused, for the tool is nobody's."""
    call = {"type": "callTool", "tool": "nobodys", "input": {}}
    refused = {"type": "protocolError", "code": -32602}
    case = {"id": "none", "name": "No tool", "operation": call, "assertions": [refused]}
    return _of_version_2({**_suite(), "cases": [case]})


def _suites(*documents: object, snapshot: object = None) -> Contract:
    files: dict[str, object] = {f"suites/{n}.json": d for n, d in enumerate(documents)}
    manifest: dict[str, object] = {"suites": "suites/"}
    if snapshot is not None:
        files["t.json"] = snapshot
        manifest["declarations"] = {"mcp_tools": "t.json"}
    return files_contract(files, manifest)


_ECHO = [{"name": "echo", "inputSchema": {"type": "object"}}]


@check(
    id="bundle.suites.valid",
    reason_code="SUITE_INVALID",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="suite format, versions 1 and 2",
    accepts=[_suites(_suite()), _suites(_of_version_2(_suite()))],
    rejects=[
        _suites([]),
        _suites({"schemaVersion": 2}),
        _suites({**_of_version_2(_suite()), "setup": []}),
        _suites({**_suite(), "cases": []}),
        _suites({**_suite(), "extra": 1}),
    ],
)
def suites_valid(contract: Contract) -> Iterator[Said]:
    """Every suite is valid: fields, assertions, and the schema keywords the format supports.

    Why: a suite that is wrong would stop a run half-way, or assert less than it seems to.
    Fix: correct what `bundlegate suite lint` lists.
    """
    if not contract.suites:
        yield _NONE
    for path, document in contract.suites.items():
        for issue in validate_suite(document):
            pointer = _pointer(issue.path)
            yield Violation(
                f"{issue.code} at {issue.path}: {issue.message}",
                path=path,
                pointer=pointer,
                line=contract.line_of(path, pointer),
            )


@check(
    id="bundle.suites.identifiers-unique",
    reason_code="SUITE_ID_DUPLICATE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, suites",
    accepts=[_suites(_suite("a"), _suite("b"))],
    rejects=[_suites(_suite("a"), _suite("a"))],
)
def identifiers_unique(contract: Contract) -> Iterator[Said]:
    """No two suites of a bundle have the same id.

    Why: evidence and reports name a case by its suite's id and its own.
    Fix: give each suite its own id.
    """
    if not contract.suites:
        yield _NONE
    known: dict[str, str] = {}
    for path, document in contract.suites.items():
        suite_id = document.get("id") if isinstance(document, dict) else None
        if isinstance(suite_id, str) and known.setdefault(suite_id, path) != path:
            yield Violation(
                f"{known[suite_id]} has this id too",
                path=path,
                pointer="/id",
                line=contract.line_of(path, "/id"),
                seen=suite_id[:100],
            )


@check(
    id="bundle.suites.tools-exist",
    reason_code="SUITE_TOOL_UNKNOWN",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, static checks",
    accepts=[
        _suites(_suite(), snapshot=_ECHO),
        _suites(_suite(tool="anything")),
        _suites(_without_tool(), snapshot=_ECHO),
    ],
    rejects=[
        _suites(_suite(tool="ecko"), snapshot=_ECHO),
        _suites(
            {**_of_version_2(_suite()), "teardown": _suite(tool="ecko")["cases"]}, snapshot=_ECHO
        ),
    ],
)
def tools_exist(contract: Contract) -> Iterator[Said]:
    """Suites speak of tools that a snapshot of the bundle declares.

    Why: a case about a tool nobody declared tests nothing that was promised.
    Fix: correct the name, or add the tool to the snapshot.
    """
    if not contract.suites or not contract.snapshots:
        yield NotApplicable("the bundle has no suites, or no snapshot to compare them with")
        return
    for path, document in contract.suites.items():
        for pointer, tool in _tools_named(document):
            if tool not in contract.tool_names:
                yield Violation(
                    f"no snapshot declares the tool {tool[:100]!r}",
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    seen=tool[:100],
                    expected=contract.tools_shown,
                )


def _tools_named(document: Any) -> Iterator[tuple[str, str]]:
    """(pointer, tool) wherever a suite names one; a malformed suite is another check's finding."""
    for part in ("setup", "cases", "teardown"):
        cases = document.get(part) if isinstance(document, dict) else None
        for index, case in enumerate(cases if isinstance(cases, list) else ()):
            if isinstance(case, dict):
                yield from ((f"/{part}/{index}/{at}", tool) for at, tool in _named_in(case))


def _named_in(case: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    given = case.get("assertions")
    assertions = given if isinstance(given, list) else []
    if any(isinstance(each, dict) and each.get("type") == "protocolError" for each in assertions):
        return  # a tool that nobody has is what such a case may be about
    named = [("operation", case.get("operation"))]
    named += [(f"assertions/{at}", assertion) for at, assertion in enumerate(assertions)]
    for at, part in named:
        if isinstance(part, dict) and isinstance(part.get("tool"), str):
            yield f"{at}/tool", part["tool"]


def _pointer(path: str) -> str:
    """`cases[0].assertions[1]` as a JSON pointer; names with dots end at their nearest parent."""
    if path == "$":
        return ""
    return "".join(f"/{number or escape_pointer(name)}" for number, name in _TOKEN.findall(path))
