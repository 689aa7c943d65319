"""What the MCP Inspector's command prints: `{"result": …}` on stdout, `{"error": …}` on stderr.

One file holds one run, the two streams together or apart; words for people between are left out.
Its error codes are failure classes: those about reaching the server say nothing about the server,
and `error` is its word for whatever else, wrong usage included, so it is no verdict either. Source:
its CLI documentation and what 2.12.0 prints.
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

_WARNINGS = frozenset(rule.value for rule in PortabilityRule if not rule.is_error)


def read(path: str, content: bytes) -> Iterator[ImportedOutcome]:
    """The outcomes of one run, "<path>" for the call and "<path>:<tool>:<rule>:<where>" for lints.

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
    """One document, or one a line between the words that the command writes for people."""
    try:
        yield read_json(content, exact_integers=False, path=path)
    except Refused:
        lines = [line for line in content.splitlines() if line.lstrip().startswith(b"{")]
        if len(lines) == len(content.splitlines()) < 2 or not lines:
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


def _linted(path: str, linted: Any) -> Iterator[ImportedOutcome]:
    """[{"toolName", "findings": [{"rule", "severity", "schema", "path", "issue"}]}] as outcomes."""
    if not isinstance(linted, list):
        raise unreadable(path, "schemaFindings is no list", pointer="/schemaFindings")
    for at, tool in enumerate(linted):
        findings = tool.get("findings") if isinstance(tool, dict) else None
        if not isinstance(findings, list) or not all(isinstance(f, dict) for f in findings):
            raise unreadable(path, "a tool has no findings", pointer=f"/schemaFindings/{at}")
        for found in findings:
            rule = str(found.get("rule") or "schema")
            where = "/".join(str(found[key]) for key in ("schema", "path") if found.get(key))
            severity = found.get("severity")
            # an unknown severity is no milder than the rule we know, or than an error
            mild = severity == "warning" or (severity is None and rule in _WARNINGS)
            verdict = Verdict.WARN if mild else Verdict.FAIL
            name = f"{path}:{tool.get('toolName') or at}:{rule}:{where}"
            yield outcome(name, verdict, str(found.get("issue") or rule), path)
