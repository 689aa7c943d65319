"""What the MCP Inspector's command prints: `{"result": …}` on stdout, `{"error": …}` on stderr.

One file holds one run, the two streams together or apart. Its error codes are failure classes:
those about reaching the server say nothing about the server, and `error` is its word for whatever
else, wrong usage included, so it is no verdict either. Source: its CLI documentation, 2.12.0.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.errors import Refused
from bundles.imports.model import ImportedOutcome, outcome, unreadable
from bundles.json_reader import read_json
from bundles.mcp.portability import PortabilityRule
from bundles.verdict import Verdict

_VERDICTS = {
    "tool_is_error": Verdict.FAIL,
    "tool_not_found": Verdict.FAIL,
    "schema_unportable": Verdict.FAIL,
    "no_app": Verdict.NOT_APPLICABLE,
}
"""Every other code is INCONCLUSIVE."""

_ERRORS = frozenset(rule.value for rule in PortabilityRule if rule.is_error)


def read(path: str, content: bytes) -> Iterator[ImportedOutcome]:
    """The outcomes of one run, "<path>" for the call and "<path>:<rule>:<tool>:<where>" for lints.

    Raises:
        Refused: IMPORT_UNREADABLE, or what is wrong with its JSON.
    """
    documents = list(_documents(path, content))
    for document in documents:
        if not isinstance(document, dict) or not {"result", "error"} & document.keys():
            raise unreadable(path, "it holds no result and no error of the Inspector's command")
        if "error" in document:
            yield _failed(path, document["error"])
        if "result" in document:
            yield _answered(path, document["result"])
        yield from _linted(path, document.get("schemaFindings", []))


def _documents(path: str, content: bytes) -> Iterator[Any]:
    """One document, or one a line."""
    try:
        yield read_json(content, exact_integers=False, path=path)
    except Refused:
        lines = [line for line in content.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        for line in lines:
            yield read_json(line, exact_integers=False, path=path)


def _failed(path: str, error: Any) -> ImportedOutcome:
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        raise unreadable(path, "its error has no code", pointer="/error")
    told = f"{error['code']}: {error.get('message') or ''}"
    return outcome(path, _VERDICTS.get(error["code"], Verdict.INCONCLUSIVE), told, path)


def _answered(path: str, result: Any) -> ImportedOutcome:
    if isinstance(result, Mapping) and result.get("isError") is True:
        return outcome(path, Verdict.FAIL, "the tool answers with isError", path)
    return outcome(path, Verdict.PASS, "the call was answered", path)


def _linted(path: str, findings: Any) -> Iterator[ImportedOutcome]:
    if not isinstance(findings, list):
        raise unreadable(path, "schemaFindings is no list", pointer="/schemaFindings")
    for at, found in enumerate(findings):
        if not isinstance(found, dict):
            raise unreadable(path, "a finding is no object", pointer=f"/schemaFindings/{at}")
        rule = str(found.get("rule") or found.get("code") or "schema")
        where = ":".join(str(found[key]) for key in ("tool", "toolName", "path") if key in found)
        severity = found.get("severity")
        grave = severity == "error" if isinstance(severity, str) else rule in _ERRORS
        told = str(found.get("message") or found.get("issue") or rule)
        verdict = Verdict.FAIL if grave else Verdict.WARN
        yield outcome(f"{path}:{rule}:{where or at}", verdict, told, path)
