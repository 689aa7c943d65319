"""The official MCP conformance suite's results: trees of `<side>-<scenario>-<time>/checks.json`.

Its ids repeat inside one file, and the worst occurrence stands. A missing prerequisite is written
as a failure and marked as not testable: it is NOT_APPLICABLE here, as is what the suite skipped.
Source: the suite's own types, 0.2.0-alpha.12.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bundles.imports.model import ImportedOutcome, outcome, unreadable
from bundles.json_reader import read_json
from bundles.verdict import Verdict

CHECKS_FILE = "checks.json"
SIDES = ("server", "client")

_TIME = re.compile(r"-\d{4}-\d{2}-\d{2}T[0-9:.+-]+Z?$")
_VERDICTS = {
    "SUCCESS": Verdict.PASS,
    "FAILURE": Verdict.FAIL,
    "WARNING": Verdict.WARN,
    "SKIPPED": Verdict.NOT_APPLICABLE,
}
_INFO = "INFO"
_OWN_FAULT = "wire-schema-harness-error"
"""Its id for a message that the suite itself got wrong."""


def read(path: str, content: bytes) -> Iterator[ImportedOutcome]:
    """The outcomes of one checks.json, "<side>:<scenario>:<check id>", repetitions included.

    Raises:
        Refused: IMPORT_UNREADABLE, or what is wrong with its JSON.
    """
    side, scenario = _scenario_of(path)
    document = read_json(content, exact_integers=False, path=path)
    if not isinstance(document, list):
        raise unreadable(path, "it is no array of checks")
    judged = False
    for at, entry in enumerate(document):
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            raise unreadable(path, "an entry is no check with an id", pointer=f"/{at}")
        if entry.get("status") != _INFO:  # a line of its log, not a verdict
            judged = True
            yield _outcome(f"{side}:{scenario}:{entry['id']}", entry, path)
    if not judged:
        why = "the scenario ended without a verdict"
        yield outcome(f"{side}:{scenario}", Verdict.INCONCLUSIVE, why, path)


def _scenario_of(path: str) -> tuple[str, str]:
    """Side and scenario from the path; a scenario's name may hold slashes."""
    folders = path.split("/")[:-1]
    # the innermost: a folder around all of them may be called anything
    for at in reversed(range(len(folders))):
        side, dash, _ = folders[at].partition("-")
        if side in SIDES and dash:
            named = "/".join(folders[at:]).removeprefix(f"{side}-")
            return side, _TIME.sub("", named)
    raise unreadable(
        path,
        "its folder does not name a scenario",
        expected=f"server-<scenario>-<time>/{CHECKS_FILE}",
    )


def _outcome(name: str, entry: Mapping[str, Any], path: str) -> ImportedOutcome:
    status = entry.get("status")
    error = entry.get("errorMessage")
    told = str(error or entry.get("description") or entry.get("name") or "")
    verdict = _VERDICTS.get(str(status), Verdict.INCONCLUSIVE)
    if verdict is Verdict.INCONCLUSIVE:
        told = f"the status {status!r} is not known: {told}"
    elif verdict is Verdict.FAIL and _not_testable(entry):
        verdict = Verdict.NOT_APPLICABLE
    elif verdict is Verdict.FAIL and entry["id"] == _OWN_FAULT:
        verdict, told = Verdict.INCONCLUSIVE, f"the suite's own fault: {told}"
    elif status == "SKIPPED":
        told = f"skipped by the suite: {told}"
    return outcome(name, verdict, told, path, spec=_spec(entry))


def _not_testable(entry: Mapping[str, Any]) -> bool:
    details = entry.get("details")
    marked = isinstance(details, dict) and details.get("untestable") is True
    return marked or str(entry.get("errorMessage") or "").lower().startswith("not testable")


def _spec(entry: Mapping[str, Any]) -> str:
    references = entry.get("specReferences")
    first = references[0] if isinstance(references, list) and references else None
    return str(first.get("url") or first.get("id") or "") if isinstance(first, dict) else ""
