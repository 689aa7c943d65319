"""Finding credentials in files: own rules first, a rule catalogue for what looks like a token.

The catalogue (Kingfisher) takes most of a second to load, so a compiled prefilter decides which
files it sees at all: those with a long run of mixed characters that is no digest and no UUID, and
those that are not UTF-8. Nothing here returns a secret: only its kind, line and length.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from bundles.json_walk import escape_pointer


@dataclass(frozen=True, slots=True)
class Secret:
    """Something that looks like a credential: what kind, where, how long; never its text."""

    kind: str
    length: int
    line: int | None = None
    pointer: str = ""


_Place = tuple[Any, str]  # (place of the parent or None, token): a pointer, written when needed

_RUN_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=.-")
_MARKED = bytes(ord("x") if byte in _RUN_BYTES else ord(" ") for byte in range(256))
_RUN = b"x" * 20
_SPLIT = bytes.maketrans(b"./_-=", b"     ")
_HARMLESS_RUN = re.compile(
    rb"[0-9a-f]{64}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9.\-]+"
)
# how common tokens begin, some of which are all words and numbers after that
_KNOWN_TOKEN = re.compile(
    rb"xox[a-z]-|xapp-|A[KS]IA|gh[pousr]_|github_pat|glpat-|sk[-_]|rk_|AIza|ya29|eyJ|SG\.|npm_|"
    rb"pypi-|hf_|dop_v1|shp(?:at|ss|ca)_|hvs\.|key-|AGE-SECRET|PMAK-|lin_api"
)
_DIGIT = re.compile(rb"[0-9]")
_PRIVATE_KEY = re.compile(rb"-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)?-----")
_BEARER = re.compile(rb"(?i)\b(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/\-]{12,}=*)")
_DSN = re.compile(rb"://[^\s:/@\"'<>{}$]*:([^\s/@\"'<>{}$]{3,})@")
_ASSIGNED = re.compile(
    rb"(?im)^[ \t]*(?:export[ \t]+)?[\"']?([A-Za-z0-9_.\-]{2,60})[\"']?[ \t]*[:=][ \t]*"
    rb"[\"']?([^\s\"',;#]{6,})"
)
_CREDENTIAL_WORDS = (b"pass", b"pwd", b"secret", b"token", b"key", b"auth", b"cred", b"cookie")
# keys whose value is a secret whatever it looks like
_PASSWORD_KEYS = re.compile(r"(?:.*(?:password|passwd|passphrase)|pwd|pass)")
# keys whose value is a secret when it looks like one
_TOKEN_KEYS = re.compile(
    r".*(?:secret|apikey|accesskey|secretkey|privatekey|authtoken|accesstoken|refreshtoken|"
    r"bearertoken|sessiontoken|idtoken|clientsecret|credential|credentials|authorization|cookie)"
    r"|token|key"
)
_PLACEHOLDER = re.compile(
    r"(?i)(?:env|file|vault|secret|ref):.+|\$\{?.+|\{\{.+|<.*>|%\w+%|\[redacted.*|(.)\1*|"
    r"(?:your|my|the|an?|some|test|fake|dummy|sample|example|invalid|wrong|bad|expired|"
    r"placeholder|change|redacted|masked|todo|none|null|true|false|string|secret|password|passwd|"
    r"token|bearer)(?:[-_ .]?[a-z])*[-_ .]?\d{0,3}"
)
_MIN_PASSWORD = 6
_MIN_TOKEN = 16
_MIN_ENTROPY = 3.0  # bits a character, for values with a digit
_WORDLESS_ENTROPY = 4.2  # without one: above what words joined together reach


def scan_file(content: bytes, document: Any, *, parsed: bool) -> Iterator[Secret]:
    """What looks like a credential in one file.

    Args:
        content: the file.
        document: its parsed value, when it is JSON or YAML.
        parsed: True when `document` is one.
    """
    lowered = content.lower()
    yield from _by_text(content, lowered)
    if parsed:
        # an escaped key (\\u0070ass) would hide its word from the bytes
        if b"\\u" in content or any(word in lowered for word in _CREDENTIAL_WORDS):
            yield from _by_field(document)
    else:
        yield from _by_assignment(content)
    if _is_suspicious(content):
        yield from _by_catalogue(content)


def _by_text(content: bytes, lowered: bytes) -> Iterator[Secret]:
    """Credentials that show in any text; each pattern runs only where its own words occur."""
    if b"private key" in lowered:
        for line, found in _with_lines(_PRIVATE_KEY, content):
            yield Secret("private key", len(found.group()), line=line)
    if b"bearer" in lowered or b"basic" in lowered:
        yield from _matches(_BEARER, "authorization header", content)
    if b"://" in content:
        yield from _matches(_DSN, "password in a connection URL", content)


def _matches(pattern: re.Pattern[bytes], kind: str, content: bytes) -> Iterator[Secret]:
    for line, found in _with_lines(pattern, content):
        secret = found.group(1)
        if not _PLACEHOLDER.fullmatch(secret[:200].decode("utf-8", "replace")):
            yield Secret(kind, len(secret), line=line)


def _with_lines(
    pattern: re.Pattern[bytes], content: bytes
) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Matches with the lines they start on, each byte counted once."""
    line, counted = 1, 0
    for found in pattern.finditer(content):
        line += content.count(b"\n", counted, found.start())
        counted = found.start()
        yield line, found


def _by_field(document: Any) -> Iterator[Secret]:
    """Credential-like fields of a parsed document."""
    stack: list[tuple[_Place | None, str, Any]] = [(None, "", document)]
    while stack:
        place, key, value = stack.pop()
        if isinstance(value, dict):
            stack.extend(((place, name), name, child) for name, child in value.items())
        elif isinstance(value, list):
            stack.extend(((place, str(at)), key, child) for at, child in enumerate(value))
        elif isinstance(value, str) and key:
            kind = _field_kind(key, value)
            if kind:
                yield Secret(kind, len(value), pointer=_pointer(place))


def _pointer(place: "_Place | None") -> str:
    tokens: list[str] = []
    while place is not None:
        tokens.append(escape_pointer(place[1]))
        place = place[0]
    return "".join(f"/{token}" for token in reversed(tokens))


def _by_assignment(content: bytes) -> Iterator[Secret]:
    """`password = …` lines of files that are no documents."""
    for line, found in _with_lines(_ASSIGNED, content):
        key, value = (part.decode("utf-8", "replace") for part in found.groups())
        kind = _field_kind(key, value)
        if kind:
            yield Secret(kind, len(value), line=line)


def _field_kind(key: str, value: str) -> str:
    """What a field's value is, by its name and looks; "" when it is no credential."""
    name = re.sub(r"[^a-z0-9]", "", key[:80].lower())
    if not value or _PLACEHOLDER.fullmatch(value[:200]):
        return ""
    if _PASSWORD_KEYS.fullmatch(name) and len(value) >= _MIN_PASSWORD and "\n" not in value:
        return "password field"
    if (
        _TOKEN_KEYS.fullmatch(name)
        and len(value) >= _MIN_TOKEN
        and not re.search(r"\s", value)
        and entropy(value) >= (_MIN_ENTROPY if re.search(r"[0-9]", value) else _WORDLESS_ENTROPY)
        and not _HARMLESS_RUN.fullmatch(value.removeprefix("sha256:").encode())
    ):
        return "high-entropy value in a credential field"
    return ""


def _is_suspicious(content: bytes) -> bool:
    """True when the catalogue should see the file: a long mixed run, or bytes that are no text."""
    for run in _runs(content):
        if _DIGIT.search(run) and not _HARMLESS_RUN.fullmatch(run) and _mixed(run):
            return True
    return not content.isascii() and not _is_utf8(content)


def _runs(content: bytes) -> Iterator[bytes]:
    """Runs of 20 and more bytes that tokens are made of, found at the speed of `bytes.find`."""
    marked = content.translate(_MARKED)
    start = marked.find(_RUN)
    while start >= 0:
        end = marked.find(b" ", start)
        end = len(marked) if end < 0 else end
        yield content[start:end]
        start = marked.find(_RUN, end)


def _mixed(run: bytes) -> bool:
    """True unless a run of letters and digits reads as a name of words and numbers."""
    if _KNOWN_TOKEN.search(run):
        return True
    words = run.translate(_SPLIT).split()
    return any(
        (len(word) >= 12 and _DIGIT.search(word) and not word.isdigit())
        or (len(word) >= 20 and not word.islower() and not word.isupper())
        for word in words
    )


def _by_catalogue(content: bytes) -> Iterator[Secret]:
    for found in _scanner().scan(content):
        if found.visible:
            place = found.location
            length = place["end_offset"] - place["start_offset"]
            yield Secret(found.rule_id.rpartition(".")[2], length, line=place["line"])


@cache
def _scanner() -> Any:
    from kingfisher_sdk import Scanner  # noqa: PLC0415 - takes most of a second to load

    return Scanner(redact=True)


def entropy(text: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(text)
    return -sum(n / size * math.log2(n / size) for n in Counter(text).values()) if size else 0.0


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
