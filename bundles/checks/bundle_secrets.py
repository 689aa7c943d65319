"""No secrets and no personal data: a bundle is stored, copied and published."""

from collections.abc import Iterator

from bundles.check import Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.personal_data import scan_text
from bundles.secret_scan import scan_file
from bundles.verdict import Layer, Severity, Stage

_FIXTURES = (
    "fixtures",
    "suites",
    "incidents",
    "examples.consumer_pacts",
    "examples.positive_cases",
    "examples.negative_cases",
    "skill_contracts",
)

# put together here, so that no scanner takes this file for a leak
_KEY = "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQ\n"
_GITHUB = "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"
_RANDOM = "q9X2" + "vLr7TzB4kWm8YpD1"


def _fixture(content: object, name: str = "f.json") -> Contract:
    return files_contract({f"fixtures/{name}": content}, {"fixtures": "fixtures/"})


@check(
    id="bundle.secret-free.credentials",
    reason_code="SECRET_IN_BUNDLE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, static checks: secrets",
    accepts=[
        _fixture({"password": "${DB_PASSWORD}", "token": "env:TOKEN", "secret": "<from vault>"}),
        _fixture({"properties": {"password": {"type": "string", "minLength": 12}}}),
        _fixture({"digest": "sha256:" + "0123456789abcdef" * 4, "password": "wrong-password"}),
        _fixture("url = postgres://db.internal/app\nAuthorization: Bearer <token>\n", "f.txt"),
    ],
    rejects=[
        _fixture(_KEY, "id.txt"),
        _fixture({"deep": [{"note": f"use {_GITHUB} please"}]}),
        _fixture({"headers": {"authorization": "Bearer " + _RANDOM}}),
        _fixture({"url": "postgres://app:" + "hunter2x9" + "@db.internal/app"}),
        _fixture({"db_password": "tr0ub4dor" + "&3"}),
        _fixture({"client_secret": _RANDOM}),
        _fixture("api_key = '" + _RANDOM + "'\n", "settings.txt"),
    ],
)
def no_credentials(contract: Contract) -> Iterator[Said]:
    """No file holds a credential.

    Why: a bundle is stored for ever, copied to workers and readable by everyone who may read the
    registry; a secret in it is published.
    Fix: revoke the credential, put a reference (env:NAME, file:PATH) or a placeholder (<token>) in
    its place, and submit again.
    """
    for path, content in contract.files.items():
        parsed = path in contract.documents
        places: set[tuple[int | None, str]] = set()
        for secret in scan_file(content, contract.documents.get(path), parsed=parsed):
            line = secret.line
            if line is None and secret.pointer:
                line = contract.line_of(path, secret.pointer)
            if (line, secret.kind) in places:
                continue
            places.add((line, secret.kind))
            yield Violation(
                f"this looks like a credential ({secret.kind})",
                path=path,
                pointer=secret.pointer,
                line=line,
                seen=f"{secret.length} characters, not repeated here",
            )


@check(
    id="bundle.fixtures.no-personal-data",
    reason_code="PERSONAL_DATA_IN_FIXTURE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, static checks: personal-data patterns in fixtures",
    accepts=[
        _fixture({"email": "ada@example.com", "phone": "+1 202 555-0143", "card": "4111-0000"}),
        _fixture("ada@mail.test wrote on 2026-11-30 about order 1234567890123456\n", "n.txt"),
    ],
    rejects=[
        _fixture({"email": "ada.lovelace@" + "gmail.com"}),
        _fixture({"card": "4539 5787 " + "6362 1486"}),
        _fixture({"iban": "DE89 3704 " + "0044 0532 0130 00"}),
        _fixture({"ssn": "536-22-" + "8726"}),
        _fixture({"rrn": "900101-" + "1234568"}),
        _fixture("call +82 10 9876 " + "5432\n", "n.txt"),
    ],
)
def no_personal_data(contract: Contract) -> Iterator[Said]:
    """No fixture, case or suite holds what looks like a person's data.

    Why: fixtures taken from production carry customers with them.
    Fix: invent the values: addresses at example.com, numbers kept for fiction.
    """
    paths = dict.fromkeys(path for purpose in _FIXTURES for path in contract.files_of(purpose))
    for path in paths:
        for found in scan_text(contract.files[path]):
            yield Violation(
                f"this looks like personal data ({found.kind})", path=path, line=found.line
            )
