"""The page about suites in Python, run: its files are a project, and its tests pass."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bundlegate.pytest_suites import plugin
from tests.bundlegate.pytest_suites.project import ROOT, Project, forecast
from tests.fixtures.processes import dies_with_parent

PAGE = ROOT / "docs" / "suites-in-python.md"
WRITTEN = "http://127.0.0.1:8000/mcp"


@pytest.fixture
def url() -> Iterator[str]:
    """The reference server over HTTP."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.servers.reference", "--transport", "http"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=dies_with_parent(),  # noqa: PLW1509 - one prctl, no lock taken
    )
    assert server.stdout is not None
    yield f"http://127.0.0.1:{server.stdout.readline().strip()}/mcp"
    server.kill()
    server.wait()
    server.stdout.close()


def files_of_the_page() -> dict[str, str]:
    blocks = re.findall(r"```(?:python|ini)\n# (\S+)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return dict(blocks)


def test_the_examples_run_and_pass(tmp_path: Path, url: str) -> None:
    project = Project(tmp_path)
    files = files_of_the_page()
    assert {"test_forecast.py", "test_notes.py", "pytest.ini", "conftest.py"} <= files.keys()
    for name, text in files.items():
        (tmp_path / name).write_text(text.replace(WRITTEN, url), encoding="utf-8")
    plugin = "-p bundlegate.pytest_suites.plugin -p no:cacheprovider"
    settings = (tmp_path / "pytest.ini").read_text()
    (tmp_path / "pytest.ini").write_text(f"{settings}addopts = {plugin}\nfilterwarnings = error\n")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    project.suite("local.suite.json", forecast("oslo"))
    project.suite("other.suite.json", forecast("oslo"))
    ran = project.pytest("-v", "--ignore=tests")
    assert (ran.code, ran.outcomes) == (0, {"passed": 5}), ran.text


def test_the_table_of_options_is_complete() -> None:
    parser = pytest.Parser(_ispytest=True)
    plugin.pytest_addoption(parser)
    page = PAGE.read_text("utf-8")
    names = [name for group in parser._groups for o in group.options for name in o.names()]
    assert [n for n in (*names, *parser._inidict) if f"`{n}" not in page] == []
    assert len(names) + len(parser._inidict) == 7


def test_what_a_builder_makes_is_the_format(tmp_path: Path) -> None:
    namespace: dict[str, object] = {}
    exec(files_of_the_page()["test_forecast.py"], namespace)
    made = json.loads(json.dumps(namespace["FORECAST"]))
    assert made["cases"][0]["operation"] == {"type": "listTools"}
    assert made["cases"][1]["timeoutMs"] == 5000
