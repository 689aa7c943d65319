"""`bundlegate evidence`: look at evidence, and verify exported evidence without any service."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.evidence_remote import list_, show
from bundlegate.cli.output import (
    Exit,
    emit_json,
    emit_line,
    format_option,
    show_refusal,
    shows_refusals,
)

if TYPE_CHECKING:
    from service.admission.verifier import Verified


@click.group()
def evidence() -> None:
    """Look at evidence, and verify it offline."""


evidence.add_command(list_)
evidence.add_command(show)

_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)

_UNREADABLE = {"ENVELOPE_MALFORMED", "KEY_UNREADABLE"}
"""Refusals of input that cannot be read; every other one is a certain no."""


def _subject(context: click.Context, parameter: click.Parameter, values: Any) -> dict[str, str]:
    """Read `--subject NAME=DIGEST` options."""
    from bundles.digest import is_digest

    subjects: dict[str, str] = {}
    for value in values:
        name, _, digest = value.partition("=")
        if not name or not is_digest(digest):
            message = f"{value!r} is not NAME=sha256:<64 hex>"
            raise click.BadParameter(message, ctx=context, param=parameter)
        if subjects.setdefault(name, digest) != digest:
            message = f"{name} is given two digests"
            raise click.BadParameter(message, ctx=context, param=parameter)
    return subjects


@evidence.command()
@click.argument("envelope", type=_FILE, metavar="FILE")
@click.option(
    "--key",
    "key",
    type=_FILE,
    required=True,
    help="Public key in PEM form that must have signed it.",
)
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    callback=_subject,
    metavar="NAME=DIGEST",
    help="A subject that must be in the statement: artifact, snapshot. Repeatable.",
)
@format_option
@shows_refusals
def verify(envelope: Path, key: Path, subjects: dict[str, str], output: str) -> None:
    """Verify exported evidence, or a decision, against a public key. Needs no service.

    FILE is the DSSE envelope, byte for byte ("-" reads it from standard input).

    Exit codes: 0 verified, 1 not: forged, changed, by another key or about something else, 2
    unreadable. Old evidence still verifies; the output says whether it still counts.
    """
    from bundles.errors import Refused
    from service.admission.dsse import TrustedKey
    from service.admission.evidence import VERIFIER_ID
    from service.admission.verifier import verify as verify_envelope

    try:
        trusted = TrustedKey.from_pem(_read(key), VERIFIER_ID)
        verified = verify_envelope(_read(envelope), [trusted], subjects)
    except Refused as refused:
        if refused.reason_code in _UNREADABLE:
            raise
        show_refusal(refused, as_json=output == "json")
        raise SystemExit(Exit.NO) from refused
    described = _described(verified)
    if output == "json":
        emit_json(described)
        return
    for line in _lines(described):
        emit_line(line)


def _read(path: Path) -> bytes:
    return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()


def _described(verified: "Verified") -> dict[str, Any]:
    """What verified, as one JSON document."""
    from service.admission.evidence import EXTENSION

    predicate = verified.statement["predicate"]
    ours = predicate.get(EXTENSION)
    facts = ours if isinstance(ours, dict) else {}
    ends = facts.get("expires_at") or facts.get("valid_until")
    return {
        "verified": True,
        "key_id": verified.key_id,
        "predicate_type": verified.predicate_type,
        "subjects": dict(verified.subjects),
        "verdict": facts.get("verdict"),
        "imported": facts.get("imported"),
        "expires_at": ends,
        "expired": isinstance(ends, str) and ends <= datetime.now(UTC).strftime("%FT%T.%fZ"),
        "unverified_claims": facts.get("unverified_claims", []),
        "not_covered": facts.get("not_covered", []),
        "statement": dict(verified.statement),
    }


def _lines(described: dict[str, Any]) -> list[str]:
    """The same for people."""
    end = "no longer counts" if described["expired"] else "still counts"
    lines = [
        f"verified      signed by {described['key_id']}",
        f"  kind        {described['predicate_type']}",
        *(f"  {name:<11} {digest}" for name, digest in described["subjects"].items()),
        f"  verdict     {described['verdict']}",
        f"  until       {described['expires_at']} ({end})",
    ]
    if described["imported"]:
        source = described["imported"].get("source")
        lines.append(f"  imported    from {source}: no run here saw it, and no gate counts it")
    lines += [
        f"  not verified: {claim['claim']} ({claim['why']})"
        for claim in described["unverified_claims"]
    ]
    return lines + [f"  not covered: {absent}" for absent in described["not_covered"]]
