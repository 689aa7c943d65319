"""The Inspector's command as a process."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bundles.imports import Imported, Source, read_report
from tests.peers.installed import node, script


@dataclass(frozen=True)
class Inspected:
    """One run: its exit code, and the documents it printed to stdout and to stderr."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def kind(self) -> str:
        """Its failure class; "ok" is our word for none."""
        if self.code == 0:
            return "ok"
        line = next(part for part in self.stderr.splitlines() if part.startswith(b'{"error"'))
        return str(json.loads(line)["error"]["code"])

    @property
    def linted(self) -> set[tuple[str, str]]:
        """(tool, rule) of every schema finding."""
        found: list[dict[str, Any]] = json.loads(self.stdout).get("schemaFindings", [])
        return {(tool["toolName"], each["rule"]) for tool in found for each in tool["findings"]}

    def imported(self) -> Imported:
        """What `bundlegate import` makes of it."""
        return read_report({"run.json": self.stdout + self.stderr}, Source.INSPECTOR)


def inspect(folder: Path, *arguments: str) -> Inspected:
    """Run it with a home folder of its own; `arguments` name the server and the method."""
    command = (
        *(node(), script("inspector", "clients/launcher/build/index.js")),
        *("--cli", "--format", "json", *arguments),
    )
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        cwd=folder,
        env={"HOME": str(folder), "PATH": str(Path(node()).parent)},
    )
    return Inspected(done.returncode, done.stdout, done.stderr)
