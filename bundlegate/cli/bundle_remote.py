"""`bundlegate bundle push|pull`: bundles to and from the service."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bundlegate.cli.output import emit_json, emit_line, exit_of, format_option, say
from bundlegate.cli.service import safe, talks_to_service
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundlegate.client import Client

PULLED_BUNDLE_DIFFERS = reason(
    "PULLED_BUNDLE_DIFFERS",
    "What the service sent as a bundle does not have the digest it was asked for.",
    "do not use it; check the address in --url, then the service",
)


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--key", metavar="KEY", help="Idempotency-Key of the submission.")
@format_option
@talks_to_service
def push(client: "Client", *, source: Path, key: str | None, output: str) -> None:
    """Submit SOURCE, a folder or an archive: exit 0 passed, 1 failed, 2 refused and not stored.

    The digest is alone on stdout; verdict and findings go to stderr.
    """
    from bundlegate.folder import read_bundle
    from bundles.archive import write_tar

    made = client.submit(write_tar(read_bundle(source)), key=key)
    if output == "json":
        emit_json(made)
    else:
        emit_line(safe(made["bundle"]["digest"]))
        say(f"verdict: {safe(made['verdict'])}")
        for finding in made["findings"]:
            where = ":".join(safe(finding[n]) for n in ("path", "line") if finding.get(n))
            say(f"  {safe(finding['reason_code'])}  {where}  {safe(finding['message'])}")
    raise SystemExit(exit_of(made["verdict"]))


@click.command()
@click.argument("digest")
@click.argument("folder", type=click.Path(path_type=Path))
@format_option
@talks_to_service
def pull(client: "Client", *, digest: str, folder: Path, output: str) -> None:
    """Fetch the bundle of DIGEST into FOLDER; existing files are never overwritten."""
    from bundlegate.folder import write_files
    from bundles.archive import read_archive
    from bundles.digest import bundle_digest
    from bundles.errors import Refused

    files = read_archive(BytesIO(client.archive(digest)))
    if bundle_digest(files) != digest:
        raise Refused(
            PULLED_BUNDLE_DIFFERS,
            "the service sent another bundle",
            seen=bundle_digest(files),
            expected=digest,
        )
    write_files(files, folder)
    if output == "json":
        emit_json({"digest": digest, "folder": str(folder), "files": sorted(files)})
        return
    for name in sorted(files):
        emit_line(str(folder / name))
