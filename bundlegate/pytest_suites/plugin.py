"""What pytest calls. Imports nothing of ours until a suite file is met: most runs meet none."""

import json
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bundlegate.pytest_suites import hooks

if TYPE_CHECKING:
    from bundlegate.pytest_suites.collecting import SuiteFile
    from bundlegate.suite.server import Server

_ADDRESS = "URL of the MCP server that suites are run on"
_COMMAND = "command that starts the MCP server that suites are run on, over stdio"
_PROFILE = "profile the server is reached under: cases for others are skipped"
_GROUPED = ("load", "loadgroup", "worksteal")
"""How xdist may hand out tests that would tear a suite apart."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say what may be asked."""
    group = parser.getgroup("bundlegate", "MCP suites")
    group.addoption("--suite-url", metavar="URL", help=_ADDRESS)
    group.addoption("--suite-command", metavar="CMD", help=_COMMAND)
    group.addoption("--suite-profile", metavar="NAME", help=_PROFILE)
    parser.addini("suite_files", "patterns of suite files (names, or paths from the root)", "args")
    parser.addini("suite_url", _ADDRESS)
    parser.addini("suite_command", f"{_COMMAND}, in the root folder")
    parser.addini("suite_profile", _PROFILE)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Offer `pytest_bundlegate_server`."""
    pluginmanager.add_hookspecs(hooks)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "SuiteFile | None":
    """Take the files that are named as suites, and those given by hand that are some."""
    if file_path.suffix != ".json":
        return None
    named = _matches(file_path, parent.config)
    if not named and not (parent.session.isinitpath(file_path) and _reads_like_one(file_path)):
        return None
    from bundlegate.pytest_suites.collecting import SuiteFile

    return SuiteFile.from_parent(parent, path=file_path)


@pytest.hookimpl(trylast=True)
def pytest_bundlegate_server(config: pytest.Config, path: Path) -> "Server | None":
    """The server of the command line, else of the configuration file."""
    del path
    from bundlegate.suite.arguments import words_of
    from bundlegate.suite.server import Server

    url, command = config.option.suite_url, config.option.suite_command
    if url or command:
        here = config.invocation_params.dir if command else None
        return Server(url=url or "", command=words_of(command or ""), cwd=here)
    url, command = config.getini("suite_url"), config.getini("suite_command")
    if url or command:
        here = config.rootpath if command else None
        return Server(url=url, command=words_of(command), cwd=here)
    return None


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep each suite on one worker: it is one session, and its cases have an order."""
    dist = config.getvalue("dist")
    if dist not in _GROUPED or not (config.getini("suite_files") or _given_by_hand(config)):
        return None
    from bundlegate.pytest_suites.scheduling import scheduler

    return scheduler(dist, config, log)


def _matches(path: Path, config: pytest.Config) -> bool:
    patterns = config.getini("suite_files")
    if not patterns:
        return False
    inside = path.is_relative_to(config.rootpath)
    whole = path.relative_to(config.rootpath).as_posix() if inside else path.as_posix()
    return any(fnmatch(whole if "/" in each else path.name, each) for each in patterns)


def _reads_like_one(path: Path) -> bool:
    """Whether a JSON file somebody named is meant as a suite: others may be another plugin's."""
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and {"schemaVersion", "cases"} <= document.keys()


def _given_by_hand(config: pytest.Config) -> bool:
    return any(str(each).partition("::")[0].endswith(".json") for each in config.args)
