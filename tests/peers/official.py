"""The official conformance suite as a process, and what it said in this product's words."""

import subprocess
from pathlib import Path

from bundles.imports import Imported, read_report
from tests.peers.installed import node, script

SCENARIOS = {
    "server-stateless": ("2026-07-28",),
    "tools-list": ("2026-07-28", "2025-11-25"),
    "prompts-list": ("2026-07-28", "2025-11-25"),
    "resources-list": ("2026-07-28", "2025-11-25"),
    "caching": ("2026-07-28",),
    "dns-rebinding-protection": ("2026-07-28", "2025-11-25"),
    "http-header-validation": ("2026-07-28",),
    "sep-2164-resource-not-found": ("2026-07-28",),
    "server-sse-multiple-streams": ("2026-07-28", "2025-11-25"),
    "input-required-result-unsupported-methods": ("2026-07-28",),
}
"""The scenarios that need no fixture, and the revisions each is made for."""


def run(url: str, scenario: str, revision: str, folder: Path) -> Imported:
    """Run one scenario; read what it wrote as `bundlegate import` would.

    Raises:
        CalledProcessError: it wrote nothing that could be read.
    """
    command = (
        *(node(), script("conformance", "dist/index.js"), "server", "--url", url),
        *("--scenario", scenario, "--spec-version", revision, "-o", str(folder)),
    )
    # exit 1 is a failed check as well as a suite that could not run: only files tell them apart
    done = subprocess.run(command, capture_output=True, check=False)
    files = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.glob("*/checks.json")
    }
    if not files:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return read_report(files)
