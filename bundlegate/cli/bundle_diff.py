"""`bundlegate bundle diff`: what a new version of a contract means for its consumers."""

import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bundlegate.cli.diffing import DiffOptions, diff_options
from bundlegate.cli.output import format_option, shows_refusals

if TYPE_CHECKING:
    from bundles.contract import Contract

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@click.command()
@click.argument("old")
@click.argument("new")
@click.option(
    "--url",
    metavar="URL",
    help="Address of the service, for digests.  [env: BUNDLEGATE_URL]",
)
@diff_options
@format_option
@shows_refusals
def diff(old: str, new: str, url: str | None, output: str, asked: DiffOptions) -> None:
    """Compare two versions of a bundle: folders, archives, or digests the service knows.

    Exit 0 when identical or compatible, 1 when breaking, 3 when it depends on consumers
    (conditional) or when somebody has to look (risk). A digest needs a token in BUNDLEGATE_TOKEN.
    """
    from bundles.compat.bundle_diff import compare
    from service.containment import Comparisons

    before, after = _contract(old, url), _contract(new, url)
    overrides = asked.overrides()
    with Comparisons() as comparisons:
        found = compare(before, after, comparisons.compare, overrides)
    asked.show(
        found,
        "bundle diff",
        f"{old} → {new}",
        as_json=output == "json",
        old=before.digest,
        new=after.digest,
    )


def _contract(source: str, url: str | None) -> "Contract":
    from bundlegate.folder import read_bundle
    from bundles.archive import read_archive
    from bundles.contract import Contract

    if _DIGEST.fullmatch(source):
        from bundlegate.client import Client

        with Client.from_env(url, None) as client:
            return Contract.read(read_archive(BytesIO(client.archive(source))))
    return Contract.read(read_bundle(Path(source)))
