"""Run every measurement and print a table of ratios: `python -m tests.bench [NAME…]`.

A run of all of them also writes the table to docs/bench.md.
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from tests.bench.measured import Measured

MODULES = (
    "cli_help",
    "suite_http",
    "suite_stdio",
    "suite_command",
    "conformance",
    "bundle_submit",
    "up_ready",
    "gate",
    "tool_diff",
)
"""One module a measurement, in the order they run."""


TABLE = Path(__file__).parents[2] / "docs" / "bench.md"

_HEAD = (
    "| measurement | ratio | target | ours | floor | compared with |",
    "|---|---|---|---|---|---|",
)
_WORDS = """# Measurements

`make bench` writes this page. Both sides of a ratio ran in the same process, turn by turn, and the
medians are compared; the milliseconds are those of one machine on one day. Nothing is asserted.
"""


def main(names: Iterable[str]) -> None:
    wanted = tuple(names) or MODULES
    unknown = sorted(set(wanted) - set(MODULES))
    if unknown:
        sys.exit(f"no measurement {', '.join(unknown)}; there are {', '.join(MODULES)}")
    lines = list(_HEAD)
    print("\n".join(lines), flush=True)
    for name in wanted:
        for measured in import_module(f"tests.bench.{name}").measure():
            lines.append(row(measured))
            print(lines[-1], flush=True)
    if wanted == MODULES:
        TABLE.write_text("\n".join((_WORDS, *lines)) + "\n", encoding="utf-8")


def row(measured: Measured) -> str:
    target = "–" if measured.target is None else f"≤ {measured.target:g}"
    return (
        f"| {measured.name} | {measured.ratio:.2f} | {target} | {measured.ours * 1000:.0f} ms "
        f"| {measured.floor * 1000:.0f} ms | {measured.note} |"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
