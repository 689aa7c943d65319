"""The files in deploy/ name settings, commands and files that exist, and pin what they take."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from bundlegate.cli import cli
from service.settings import Settings

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text()
OURS = [name for name, service in COMPOSE["services"].items() if service["image"] == "bundlegate"]
EXACT = re.compile(r"[\w./-]+:\d+\.\d+(\.\d+)?-[\w-]+")


def test_there_is_a_schema_an_api_and_a_worker() -> None:
    assert OURS == ["schema", "api", "worker"]


@pytest.mark.parametrize("name", OURS)
def test_the_environment_of_each_process_is_accepted_by_the_settings(name: str) -> None:
    environment = COMPOSE["services"][name]["environment"]
    filled = {k: re.sub(r"\$\{[^}]*\}", "secret", v) for k, v in environment.items()}
    settings = Settings.from_env(filled)
    assert settings.database_url.startswith("postgresql+psycopg://")
    assert settings.broker_url.startswith("redis://")
    if name != "schema":
        assert settings.signing_key == "env:SIGNING_KEY"
        assert "SIGNING_KEY" in environment


@pytest.mark.parametrize("name", OURS)
def test_each_process_starts_something_that_exists(name: str) -> None:
    program, *arguments = COMPOSE["services"][name]["command"]
    if program == "bundlegate":
        command: Any = cli
        for word in arguments:
            command = command.get_command(None, word)
            assert command is not None, word
        return
    assert (program, arguments[0]) == ("python", "-m")
    assert find_spec(f"{arguments[1]}.__main__")


@pytest.mark.parametrize("name", OURS)
def test_no_process_has_more_rights_than_it_needs(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_every_image_is_named_by_an_exact_version() -> None:
    taken = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    taken += [s["image"] for n, s in COMPOSE["services"].items() if n not in OURS]
    assert len(taken) == 4
    assert [image for image in taken if not EXACT.fullmatch(image)] == []


def test_the_image_is_not_root_and_takes_nothing_but_locked_hashes() -> None:
    final = DOCKERFILE.rpartition("FROM ")[2]
    assert re.search(r"^USER 10001:10001$", final, re.MULTILINE)
    assert "pip install --require-hashes --requirement requirements.lock" in DOCKERFILE


def test_every_file_the_image_takes_is_there_and_let_through() -> None:
    let_through = (ROOT / ".dockerignore").read_text().split()
    for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE):
        for name in line.split()[:-1]:
            assert (ROOT / name).exists(), name
            assert f"!{name}" in let_through, name


def test_no_secret_stands_in_the_files() -> None:
    for name, service in COMPOSE["services"].items():
        for variable, value in service.get("environment", {}).items():
            if "PASSWORD" in variable or "KEY" in variable:
                assert value == "env:SIGNING_KEY" or value.startswith("${"), (name, variable)
