"""The root command. Commands are named here and imported on use, so that help stays fast."""

from typing import Any

import click

import bundlegate
from bundlegate.cli.lazy import LazyGroup
from bundles.errors import Invalid
from bundles.reasons import reason

USAGE_INVALID = reason(
    "USAGE_INVALID",
    "The command was called with options or arguments it does not take.",
    "see --help of the command",
)
_WANTS_JSON = "bundlegate.cli.wants_json"

COMMANDS: dict[str, tuple[str, str]] = {
    # name: (module:attribute, one line for --help)
    "up": ("bundlegate.cli.up:up", "run the embedded service: broker, API and worker"),
    "bundle": ("bundlegate.cli.bundle:bundle", "start, check, name and send contract bundles"),
    "candidate": ("bundlegate.cli.candidate:candidate", "put builds forward, see where they stand"),
    "verify": ("bundlegate.cli.verify:verify", "verify a candidate live and follow the run"),
    "gate": ("bundlegate.cli.gate:gate", "ask whether a candidate may go somewhere now"),
    "promote": ("bundlegate.cli.promote:promote", "move a candidate, if the gate says yes"),
    "evidence": ("bundlegate.cli.evidence:evidence", "look at evidence, verify it offline"),
    "token": ("bundlegate.cli.token:token", "make, list and revoke tokens"),
    "policy": ("bundlegate.cli.policy:policy", "read and replace policies"),
    "suite": ("bundlegate.cli.suite:suite", "check suite files and run them on a server"),
    "conformance": (
        "bundlegate.cli.conformance:conformance",
        "check a live server, without bundle or service",
    ),
    "smoke": ("bundlegate.cli.smoke:smoke", "see in a moment whether a server works at all"),
    "snapshot": ("bundlegate.cli.snapshot:snapshot", "take snapshots of tools, compare two"),
    "compat": ("bundlegate.cli.compat:compat", "ask whether one schema can replace another"),
    "import": (
        "bundlegate.cli.import_report:import_report",
        "read reports of other tools, keep them as imported evidence",
    ),
    "checks": ("bundlegate.cli.checks:checks", "list and explain every check and reason code"),
    "db": ("bundlegate.cli.db:db", "look after the database schema"),
}


class _RootGroup(LazyGroup):
    """A lazy group that shows wrong usage as JSON where asked, and never Ctrl-C as a verdict."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember whether a document was asked for: wrong usage is shown before it is parsed."""
        pairs = zip(args, [*args[1:], ""], strict=True)
        ctx.meta[_WANTS_JSON] = "--format=json" in args or ("--format", "json") in pairs
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; wrong usage is a refusal like any other where JSON was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            from bundlegate.cli.output import Exit, say

            say("interrupted")
            raise SystemExit(Exit.INTERRUPTED) from None
        except click.UsageError as error:
            if ctx.meta[_WANTS_JSON]:
                from bundlegate.cli.output import show_refusal

                where = error.ctx.command_path if error.ctx else "bundlegate"
                step = f"see `{where} --help`"
                refusal = Invalid(USAGE_INVALID, error.format_message(), next_steps=[step])
                show_refusal(refusal, as_json=True)
            raise


@click.command(
    cls=_RootGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(bundlegate.__version__, prog_name="bundlegate")
def cli() -> None:
    """Registry admission for contract bundles of MCP servers and A2A agents.

    Exit codes: 0 yes, 1 no, 2 wrong usage or unreadable input, 3 not yet, 4 service or candidate
    unreachable, 5 not authorised.
    """
