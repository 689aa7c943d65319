"""Coverage of contract axes in the text report: denominators, and what could not be read."""

from collections.abc import Iterator

from bundles.report.cut import cut, escaped
from bundles.suite.axes import Coverage, ToolCoverage
from bundles.suite.language import Words
from bundles.suite.report.sentences import listed


def coverage_lines(coverage: Coverage, words: Words) -> Iterator[str]:
    """What of the tools' declarations a suite checks: all together, then each tool."""
    if coverage.ratio is None:
        yield words("coverage.nothing")
    else:
        percent = f"{int(coverage.ratio * 1000) / 10:g}%"  # never rounded up to what is not there
        yield words("coverage", covered=coverage.covered, total=coverage.total, percent=percent)
    for tool in coverage.tools:
        yield from _covered(tool, words)


def _covered(tool: ToolCoverage, words: Words) -> Iterator[str]:
    name = escaped(cut(tool.tool))
    if tool.unreadable:
        why = escaped(cut(tool.unreadable))
        yield f"  {words('coverage.tool.unreadable', tool=name, why=why)}"
        return
    counts = words("coverage.tool", tool=name, covered=tool.covered, total=tool.total)
    yield f"  {counts}"
    if tool.missing:
        axes = listed([escaped(cut(str(axis).rstrip(":"))) for axis in tool.missing], words)
        yield f"    → {words('coverage.missing', axes=axes)}"
    if tool.unread_fields:
        fields = listed([escaped(cut(name)) for name in tool.unread_fields], words)
        yield f"    → {words('coverage.unread', fields=fields)}"
