"""The strict verifier of sealed statements: what makes anything signed count.

Raw bytes first, parsing afterwards; all required subjects in one statement, since subjects match
independently and two half-right statements are not one right one; each key pinned to the one
verifier it may speak for.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bundles.canonical import parse_json
from bundles.errors import BundlegateError, Refused
from bundles.reasons import reason
from service.admission.dsse import TrustedKey, open_envelope
from service.admission.evidence import (
    EXTENSION,
    STATEMENT_TYPE,
    TEST_RESULT,
    VERIFICATION_SUMMARY,
)

STATEMENT_MALFORMED = reason(
    "STATEMENT_MALFORMED",
    "The signed payload is not an in-toto statement of a known predicate.",
    "ask the signer what it signed; nothing in it counts as evidence",
)
SUBJECT_MISSING = reason(
    "SUBJECT_MISSING",
    "A required subject is not in the statement, or under another digest.",
    "ask for the evidence of exactly these digests; subjects of two statements never add up",
)
VERIFIER_MISMATCH = reason(
    "VERIFIER_MISMATCH",
    "The statement names a verifier the signing key does not speak for.",
    "trust the key for that verifier only if its owner says so",
)

_SHA256_HEX = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Verified:
    """A statement whose signature, shape, verifier and subjects all hold."""

    statement: Mapping[str, Any]
    predicate_type: str
    key_id: str

    @property
    def subjects(self) -> Mapping[str, str]:
        """Subject name → "sha256:…"."""
        return {s["name"]: f"sha256:{s['digest']['sha256']}" for s in self.statement["subject"]}


def verify(
    envelope: bytes, trusted: Iterable[TrustedKey], subjects: Mapping[str, str] | None = None
) -> Verified:
    """Verify a sealed statement: signature over raw bytes first, everything else afterwards.

    Args:
        envelope: the DSSE envelope, as exported.
        trusted: keys, each with the verifier id it may speak for.
        subjects: name → "sha256:…" that must all stand in this one statement.

    Raises:
        Refused: a code of `service.admission.dsse`, STATEMENT_MALFORMED, VERIFIER_MISMATCH or
            SUBJECT_MISSING.
    """
    payload, key = open_envelope(envelope, trusted)
    try:
        statement = parse_json(payload, max_string=len(payload))
    except BundlegateError as error:
        raise _malformed(f"it is not strict JSON: {error.detail}") from error
    found = _read_subjects(statement)
    verifier = _verifier_of(statement)
    if verifier != key.verifier_id:
        raise Refused(
            VERIFIER_MISMATCH,
            "the key does not speak for the verifier the statement names",
            seen=verifier,
            expected=key.verifier_id,
        )
    for name, digest in (subjects or {}).items():
        if found.get(name) != digest:
            told = f"under another digest, {found[name]}" if name in found else "not there"
            detail = f"the subject {name} {digest} is {told}"
            raise Refused(SUBJECT_MISSING, detail, seen=found, expected=dict(subjects or {}))
    return Verified(statement, statement["predicateType"], key.key_id)


def _read_subjects(statement: object) -> Mapping[str, str]:
    """Subject name → digest of a well-formed statement of a known predicate."""
    names = {"_type", "subject", "predicateType", "predicate"}
    if not isinstance(statement, dict) or set(statement) != names:
        raise _malformed("it has other members", expected=sorted(names))
    if statement["_type"] != STATEMENT_TYPE:
        raise _malformed("_type", seen=statement["_type"], expected=STATEMENT_TYPE)
    if statement["predicateType"] not in (TEST_RESULT, VERIFICATION_SUMMARY):
        raise _malformed(
            "predicateType",
            seen=statement["predicateType"],
            expected=[TEST_RESULT, VERIFICATION_SUMMARY],
        )
    entries = statement["subject"]
    if not isinstance(entries, list) or not entries:
        raise _malformed("it has no subject")
    found: dict[str, str] = {}
    for entry in entries:
        name, digest = _read_subject(entry)
        if name in found:
            raise _malformed(f"it names the subject {name!r} twice")
        found[name] = digest
    return found


def _read_subject(entry: object) -> tuple[str, str]:
    if isinstance(entry, dict) and set(entry) == {"name", "digest"}:
        name, digest = entry["name"], entry["digest"]
        if (
            isinstance(name, str)
            and name
            and isinstance(digest, dict)
            and set(digest) == {"sha256"}
        ):
            value = digest["sha256"]
            if isinstance(value, str) and _SHA256_HEX.fullmatch(value):
                return name, f"sha256:{value}"
    raise _malformed("a subject is not a name with a sha256 digest", seen=entry)


def _verifier_of(statement: Mapping[str, Any]) -> str:
    predicate = statement["predicate"]
    holder = (
        predicate.get(EXTENSION)
        if isinstance(predicate, dict) and statement["predicateType"] == TEST_RESULT
        else predicate
    )
    verifier = holder.get("verifier") if isinstance(holder, dict) else None
    name = verifier.get("id") if isinstance(verifier, dict) else None
    if not isinstance(name, str):
        raise _malformed("it names no verifier")
    return name


def _malformed(what: str, **more: Any) -> Refused:
    return Refused(STATEMENT_MALFORMED, f"not a statement this verifier knows: {what}", **more)
