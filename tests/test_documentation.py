"""The documentation says what the program does: tables and links are held to the code."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from litestar.routes import HTTPRoute

from bundlegate.cli import cli
from bundles.check import Subject, registry
from bundles.claims import CLAIMS
from bundles.reasons import reasons
from bundles.verdict import Severity
from service.admission import gate_reasons
from service.admission.lifecycle import ILLEGAL_TRANSITION, TRANSITIONS
from service.admission.policy import DEFAULT_POLICY
from service.app import create_app
from service.settings import Settings
from service.signing import create_key

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page
    for page in ROOT.rglob("*.md")
    if not any(part.startswith(".") for part in page.relative_to(ROOT).parts)
)
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(#[^)]*)?\)")


def table(page: str, heading: str) -> list[str]:
    """Rows of the first table under a heading, without head and rule."""
    after = (ROOT / page).read_text().partition(f"\n## {heading}\n")[2]
    rows = [line for line in after.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return rows[2:]


def commands(group: click.Command, path: str = "bundlegate") -> Iterator[str]:
    context = click.Context(group)
    if not isinstance(group, click.Group):
        first = (group.help or "").strip().partition("\n\n")[0].replace("\n", " ")
        yield f"| `{path}` | {' '.join(first.split())} |"
        return
    for name in group.list_commands(context):
        inner = group.get_command(context, name)
        assert inner is not None, name
        yield from commands(inner, f"{path} {name}")


def test_every_command_stands_in_the_table_of_commands() -> None:
    assert table("docs/cli.md", "Commands") == list(commands(cli))


def test_every_endpoint_stands_in_the_table_of_endpoints(tmp_path: Path) -> None:
    create_key(tmp_path / "signing.key")
    app = create_app(Settings(data_dir=tmp_path))
    rows = []
    for route in app.routes:
        if isinstance(route, HTTPRoute) and not route.path.startswith("/v1/openapi.json"):
            for handler in route.route_handlers:
                path = re.sub(r"\{(\w+):\w+\}", r"{\1}", route.path)
                about = (handler.fn.__doc__ or "").strip().partition("\n")[0]
                methods = handler.http_methods - {"OPTIONS", "HEAD"}
                rows += [(path, method, f"{handler.opt['needs']} | {about}") for method in methods]
    told = [f"| {method} | `{path}` | {rest} |" for path, method, rest in sorted(rows)]
    assert table("docs/rest.md", "Endpoints") == told


def test_every_reason_of_the_gate_is_explained() -> None:
    codes = [ILLEGAL_TRANSITION] + [
        value
        for name, value in vars(gate_reasons).items()
        if name.isupper() and isinstance(value, str)
    ]
    told = [reasons()[code] for code in codes]
    rows = [row.split(" | ") for row in table("docs/policies.md", "The gate")]
    assert [row[0] for row in rows] == [f"| `{reason.code}`" for reason in told]
    assert [row[2] for row in rows] == [reason.meaning for reason in told]
    assert [row[3] for row in rows] == [f"{reason.next_step} |" for reason in told]


def test_the_default_policy_is_shown_as_it_is() -> None:
    shown = (ROOT / "docs/policies.md").read_text().partition("```json\n")[2].partition("```")[0]
    assert json.loads(shown) == dict(DEFAULT_POLICY)


def test_the_tables_of_transitions_and_claims_are_complete() -> None:
    assert table("docs/policies.md", "States") == [
        f"| {state.value} | {event.value.replace('_', ' ')} | {to.value} |"
        for (state, event), to in TRANSITIONS.items()
    ]
    named = [row.split("`")[1] for row in table("docs/policies.md", "Claims")]
    assert named == list(CLAIMS)


def test_every_rule_that_is_policy_is_explained() -> None:
    disputed = [c for c in registry().values() if c.severity is Severity.POLICY]
    live = [c for c in disputed if c.subject is Subject.TRANSCRIPT]
    rows = [row.split(" | ") for row in table("docs/disputed-rules.md", "Rules that are policy")]
    assert [row[:2] for row in rows] == sorted([f"| `{c.id}`", c.title] for c in live)


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = LINK.findall((folder / "README.md").read_text())
    pages = sorted(page.name for page in folder.glob("0*.md"))
    assert [link for link, _ in listed] == pages


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link, _ in LINK.findall(page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_every_folder_of_the_program_says_what_lives_there() -> None:
    for folder in (
        *("bundles", "bundles/checks", "service", "service/admission", "service/store"),
        *("service/api", "workers", "workers/probes", "bundlegate", "migrations", "deploy"),
        *("tests", "examples", "docs"),
    ):
        lines = (ROOT / folder / "README.md").read_text().splitlines()
        assert 4 <= len(lines) <= 30, folder


def command_lines(page: Path) -> Iterator[str]:
    """What stands after `bundlegate` in the shell examples of a page."""
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL):
        for line in block.replace("\\\n", "").splitlines():
            others = re.sub(r"\$\((?!bundlegate )[^()]*\)", "x", line)
            yield from re.findall(r"\bbundlegate ([^#|>)\n]*)", others)


def test_every_command_line_that_a_page_shows_is_one_the_command_takes() -> None:
    shown = [(page.name, line) for page in PAGES for line in command_lines(page)]
    assert len(shown) > 10
    for page, line in shown:
        words = shlex.split(line.partition(" -- ")[0])
        command: click.Command = cli
        while words and isinstance(command, click.Group):
            inner = command.get_command(click.Context(command), words.pop(0))
            assert inner is not None, (page, line)
            command = inner
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, (page, line)
        needed = [p for p in command.params if isinstance(p, click.Option) and p.required]
        assert all(set(p.opts) & set(words) for p in needed), (page, line)
