"""A folder of suites and the pytest that a person runs in it."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fixtures.processes import dies_with_parent

ROOT = Path(__file__).parents[3]
_SERVER = Path(__file__).with_name("watched_server.py")
_SETTINGS = """[pytest]
addopts = -p bundlegate.pytest_suites.plugin -p no:cacheprovider
filterwarnings = error
suite_files = *.suite.json
"""
_OUTCOMES = re.compile(r"(\d+) (passed|failed|skipped|errors?)")


@dataclass(frozen=True)
class Ran:
    """What one pytest run said."""

    code: int
    text: str

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of tests by how they ended; `error` whether one or more."""
        last = self.text.strip().splitlines()[-1]
        return {
            name.removesuffix("s") if "error" in name else name: int(n)
            for n, name in _OUTCOMES.findall(last)
        }


class Project:
    """A pytest project in a folder, its server watched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "requests.log"
        (folder / "pytest.ini").write_text(_SETTINGS)

    @property
    def command(self) -> list[str]:
        """What starts the server."""
        return [sys.executable, str(_SERVER), str(self.log)]

    def suite(self, name: str, *cases: dict[str, Any], **more: Any) -> Path:
        """Write a suite file."""
        path = self.folder / name
        document = {"schemaVersion": 1, "id": name, "name": "Weather", "cases": cases, **more}
        path.write_text(json.dumps(document))
        return path

    def conftest(self) -> None:
        """Name the server as a conftest.py does."""
        (self.folder / "conftest.py").write_text(
            "from bundlegate.suite import Server\n"
            "def pytest_bundlegate_server(config, path):\n"
            f"    env = {{'PYTHONPATH': {str(ROOT)!r}}}\n"
            f"    return Server(command={self.command!r}, env=env)\n"
        )

    def pytest(self, *arguments: str) -> Ran:
        """Run pytest in the folder."""
        return self.ended(self.begun(*arguments))

    def begun(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start pytest in the folder."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", "--color=no", *arguments],
            cwd=self.folder,
            env=environment | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=dies_with_parent(),  # noqa: PLW1509 - one prctl, no lock taken
        )

    def ended(self, process: "subprocess.Popen[str]") -> Ran:
        """Wait for its end."""
        text, _ = process.communicate(timeout=120)
        return Ran(process.returncode, text)

    def requests(self, method: str) -> list[dict[str, Any]]:
        """The requests of one method that the server got."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [told for told in map(json.loads, lines) if told["method"] == method]

    def calls(self) -> list[str]:
        """The tools that were called, in order."""
        return [told["tool"] for told in self.requests("tools/call")]


def forecast(case_id: str, city: str = "Oslo", *, celsius: int = 100) -> dict[str, Any]:
    """A case that calls the forecast, and passes unless it is warmer than `celsius`."""
    return {
        "id": case_id,
        "name": f"{city} is below {celsius}",
        "operation": {"type": "callTool", "tool": "get_forecast", "input": {"city": city}},
        "assertions": [
            {
                "type": "bodyMatchesSchema",
                "schema": {
                    "type": "object",
                    "properties": {"celsius": {"type": "number", "maximum": celsius}},
                },
            }
        ],
    }


def call(case_id: str, tool: str, **more: Any) -> dict[str, Any]:
    """A case that calls a tool and expects no error."""
    return {
        "id": case_id,
        "name": case_id,
        "operation": {"type": "callTool", "tool": tool, "input": {}},
        "assertions": [{"type": "isError", "expected": False}],
        **more,
    }
