"""What an error text may not carry: stack frames, credentials, paths and internal addresses.

Each function names the kinds it finds and never repeats the text it found them in.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from bundles.mcp.probes import REDACTED

Patterns = Mapping[str, re.Pattern[str]]

_FRAME = re.compile(
    r"""File\s"[^"\n]{1,400}",\sline\s\d+            # Python
    | \bat\s[^\n(]{0,200}\([^()\n]{1,400}:\d+\)      # JavaScript, Java
    | \bat\s(?:file://|/|[A-Za-z]:\\)\S{1,400}:\d+   # JavaScript without a function name
    | \bat\s[^\n]{1,300}\sin\s[^\n]{1,300}:line\s\d+ # .NET
    | [^\s:]{1,300}\.rb:\d+:in\s                     # Ruby
    | \#\d+\s[^\s(]{1,300}\.php\(\d+\)               # PHP
    | [^\s:]{1,300}\.go:\d+\s\+0x[0-9a-f]+           # Go
    """,
    re.VERBOSE,
)
_STACKS: Patterns = {
    "a stack trace": re.compile(r"Traceback \(most recent call last\)"),
    "a stack frame": _FRAME,
    "a panic": re.compile(r"\bgoroutine \d+ \[|\bthread '[^']{0,100}' panicked at "),
}
_CREDENTIALS: Patterns = {
    "a masked credential": re.compile(re.escape(REDACTED)),
    "a connection string with a password": re.compile(
        r"\b[a-z][a-z0-9+.-]{1,30}://[^\s/:@]{0,100}:[^\s/@]{1,200}@"
    ),
    "a bearer token": re.compile(r"\bBearer\s+(?![A-Za-z_]+=\\?\")[A-Za-z0-9._~+/-]{16,}"),
    "a JSON Web Token": re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+"),
    "a vendor's key": re.compile(
        r"\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bsk-[\w-]{16,}|\bxox[abprs]-[\w-]{10,}"
    ),
    "a private key": re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"),
    "a password or token in words": re.compile(
        r"(?i)\b(?:password|passwd|secret|api[_-]?key|token)[\"']?\s*[=:]\s*[\"']?"
        r"(?=[^\s\"',;]*\d)[^\s\"',;]{8,}"
    ),
}
_INTERNALS: Patterns = {
    "a path of the server's file system": re.compile(
        r"""(?<![\w:/.~-])/(?:home|root|usr|var|etc|tmp|opt|srv|Users|private|mnt|proc|nix)/[^\s"'<>]+
        | (?<![\w:/.~-])/(?:app|workspace|builds?|code|src|data)/[^\s"'<>]*\.[a-z]{1,5}\b
        | \bfile:///\S+
        | \b[A-Za-z]:\\(?:[\w .-]+\\)+[\w.-]*
        """,
        re.VERBOSE,
    ),
    "an internal address": re.compile(
        r"(?<![\d.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)"
        r"\.\d{1,3}\.\d{1,3}(?![\d.]*\d)"
    ),
}


def stack_traces(text: str) -> tuple[str, ...]:
    """Kinds of stack traces in a text."""
    return _kinds(_STACKS, text)


def credentials(text: str) -> tuple[str, ...]:
    """Kinds of credentials in a text, those that redaction already masked included."""
    return _kinds(_CREDENTIALS, text)


def internals(text: str) -> tuple[str, ...]:
    """Kinds of internal names in a text; the paths inside stack frames belong to the frames."""
    return _kinds(_INTERNALS, _FRAME.sub("", text))


def strings(value: object) -> Iterator[str]:
    """Every text in a JSON value, member names included. Iterative: depth does not matter."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            yield from (str(name) for name in node)
            waiting.extend(node.values())
        elif isinstance(node, list | tuple):
            waiting.extend(node)


def without_echo(text: str, sent: Iterable[str]) -> str:
    """A text without what the caller itself had sent: repeating it to the caller leaks nothing."""
    for word in sorted(set(sent), key=len, reverse=True):
        if len(word) > 2:
            text = text.replace(word, "")
    return text


def _kinds(patterns: Patterns, text: str) -> tuple[str, ...]:
    return tuple(kind for kind, pattern in patterns.items() if pattern.search(text))
