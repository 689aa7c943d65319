"""From the files of a report to its outcomes: which tool wrote them, and what they say."""

from collections.abc import Mapping

from bundles.digest import raw_digest
from bundles.errors import Invalid
from bundles.imports import expected, inspector, junit, suite_tree
from bundles.imports.model import Imported, Source, collapsed, unreadable
from bundles.reasons import reason

EXPECTED_FAILURES_UNUSED = reason(
    "EXPECTED_FAILURES_UNUSED",
    "An expected-failures file was given with a report that has no use for one.",
    "leave it out; only results of the official conformance suite have expected failures",
)

_READERS = {
    Source.CONFORMANCE: suite_tree.read,
    Source.INSPECTOR: inspector.read,
    Source.JUNIT: junit.read,
}


def read_report(
    files: Mapping[str, bytes],
    source: Source | None = None,
    *,
    expected_failures: bytes | None = None,
) -> Imported:
    """Read a report of another tool.

    Args:
        files: path relative to the report's root → content.
        source: the tool; by default told from the files.
        expected_failures: the conformance suite's expected-failures YAML.

    Raises:
        Refused: IMPORT_UNREADABLE, EXPECTED_FAILURES_INVALID, or what is wrong with JSON or YAML.
        Invalid: EXPECTED_FAILURES_UNUSED.
    """
    if not files:
        raise unreadable("", "there is no file in it")
    told = source or _told(files)
    if expected_failures is not None and told is not Source.CONFORMANCE:
        raise Invalid(EXPECTED_FAILURES_UNUSED, f"a {told} report has no expected failures")
    outcomes = collapsed(
        entry for path in sorted(files) for entry in _READERS[told](path, files[path])
    )
    if expected_failures is not None:
        entries = expected.read(expected_failures)
        outcomes = expected.applied(entries, outcomes)
    digests = {path: raw_digest(content) for path, content in sorted(files.items())}
    return Imported(told, digests, outcomes)


def _told(files: Mapping[str, bytes]) -> Source:
    """The tool that wrote the files, all of them.

    Raises:
        Refused: IMPORT_UNREADABLE: they come from several, or from none that is known.
    """
    told = {_source_of(path, content) for path, content in files.items()}
    if len(told) > 1:
        names = sorted(source.value for source in told)
        raise unreadable("", "the files come from several tools", seen=names)
    return told.pop()


def _source_of(path: str, content: bytes) -> Source:
    begins = content.lstrip()[:1]
    if begins == b"<":
        return Source.JUNIT
    if begins == b"[":
        return Source.CONFORMANCE
    if begins == b"{" or b'\n{"error":' in content:
        return Source.INSPECTOR
    raise unreadable(path, "it begins like none of the reports that are known")
