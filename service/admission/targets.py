"""What a target may say. Never a command; header values only as references."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from bundles.contract import Contract
from bundles.errors import Invalid, Refused
from bundles.manifest import SUPPORTED_PROTOCOLS
from bundles.names import MOST_INSTANCES, MOST_PROFILES
from service.admission.model import Target
from service.admission.refusals import (
    PROFILE_NOT_OBSERVED,
    TARGET_CONTRADICTS_BUNDLE,
    TARGET_INVALID,
)
from service.admission.words import name

HTTP = "mcp+http"
STDIO = "mcp+stdio"

_SHOWN_PROFILES = 20
_LONGEST_URL = 2048
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")
_REFERENCE = re.compile(r"(env:[A-Za-z_][A-Za-z0-9_]{0,127}|file:/[^\0]{1,1023})")


def checked_targets(targets: Sequence[Target]) -> tuple[Target, ...]:
    """Targets a worker can make something of, each observed under a profile of its own.

    Raises:
        Invalid: TARGET_INVALID, NAME_INVALID.
    """
    if not 1 <= len(targets) <= MOST_PROFILES:
        allowed = f"1 to {MOST_PROFILES}"
        raise _invalid("/targets", f"a candidate has {allowed} targets", len(targets), allowed)
    for number, target in enumerate(targets):
        at = f"/targets/{number}"
        name(target.name, "the target's name", f"{at}/name")
        name(target.profile, "the profile", f"{at}/profile")
        _check_reach(target, at)
        _check_headers(target, at)
        if target.revision not in SUPPORTED_PROTOCOLS["mcp"]:
            raise _invalid(
                f"{at}/revision",
                "this harness does not speak the revision",
                target.revision[:50],
                list(SUPPORTED_PROTOCOLS["mcp"]),
            )
    for member in ("name", "profile"):
        used = [getattr(target, member) for target in targets]
        if len(set(used)) != len(used):
            raise _invalid("/targets", f"two targets share a {member}", used, "each its own")
    return tuple(targets)


def check_observed(contract: Contract, targets: Sequence[Target]) -> None:
    """Targets that observe everything the bundle is about, as the bundle says.

    "All profiles" of a policy are those of the targets: a profile left out here, or observed under
    another name, would be a promise that nobody ever looks at. A revision or transport other than
    the bundle's would be evidence about another contract.

    Raises:
        Refused: PROFILE_NOT_OBSERVED, TARGET_CONTRADICTS_BUNDLE.
    """
    observed = [target.profile for target in targets]
    missing = [profile for profile in contract.profiles if profile not in observed]
    if missing:
        raise Refused(
            PROFILE_NOT_OBSERVED,
            f"no target observes profile {missing[0][:100]} of the bundle",
            pointer="/targets",
            seen=observed,
            expected=[profile[:100] for profile in missing[:_SHOWN_PROFILES]],
        )
    for number, target in enumerate(targets):
        conditions = contract.profiles.get(target.profile, {})
        expected = {
            "revision": conditions.get("revision") or contract.manifest.protocol.get("mcp"),
            "transport": conditions.get("transport"),
        }
        seen = {"revision": target.revision, "transport": target.kind.removeprefix("mcp+")}
        for member, wanted in expected.items():
            if wanted is not None and seen[member] != wanted:
                raise Refused(
                    TARGET_CONTRADICTS_BUNDLE,
                    f"the bundle is about another {member} under profile {target.profile}",
                    pointer=f"/targets/{number}/{'kind' if member == 'transport' else member}",
                    seen=seen[member],
                    expected=str(wanted)[:50],
                )


def _check_reach(target: Target, at: str) -> None:
    if target.kind == STDIO and target.instances:
        raise _invalid(
            f"{at}/instances", "a stdio target has no instances", len(target.instances), 0
        )
    if len(target.instances) > MOST_INSTANCES:
        seen = len(target.instances)
        raise _invalid(f"{at}/instances", "too many instances", seen, MOST_INSTANCES)
    for number, url in enumerate(target.instances):
        if not _is_http(url) or url in (target.url, *target.instances[:number]):
            raise _invalid(
                f"{at}/instances/{number}",
                "an instance has a url of its own: absolute, http or https, without credentials "
                "or fragment",
                url[:200],
                "https://host/path",
            )
    if target.kind == STDIO:
        if target.url or not target.launcher:
            raise _invalid(
                at, "a stdio target names a launcher and no url", target.url[:200], "launcher"
            )
        name(target.launcher, "the launcher", f"{at}/launcher")
    elif target.kind == HTTP:
        if target.launcher or not _is_http(target.url):
            raise _invalid(
                f"{at}/url",
                "an http target has an absolute http or https url, without credentials or fragment",
                target.url[:200],
                "https://host/path",
            )
    else:
        raise _invalid(f"{at}/kind", "no such kind", target.kind[:50], [HTTP, STDIO])


def _is_http(url: str) -> bool:
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > _LONGEST_URL:
        return False
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what refuses a bad one
    except ValueError:
        return False
    secret = parts.username is not None or parts.password is not None
    return (
        parts.scheme in {"http", "https"}
        and bool(parts.hostname)
        and not (secret or parts.fragment)
    )


def _check_headers(target: Target, at: str) -> None:
    for header, reference in target.headers.items():
        if _HEADER.fullmatch(header) is None:
            raise _invalid(f"{at}/headers", "not a header name", header[:128], "a token")
        if _REFERENCE.fullmatch(reference) is None:
            # the value is not shown: it may be the secret itself
            raise _invalid(
                f"{at}/headers",
                f"the value of {header} is no reference",
                "a value",
                "env:NAME or file:/PATH, resolved by the worker alone",
            )
    if target.headers and target.kind == STDIO:
        raise _invalid(f"{at}/headers", "a stdio target has no headers", len(target.headers), 0)


def _invalid(pointer: str, detail: str, seen: object, expected: object) -> Invalid:
    return Invalid(TARGET_INVALID, detail, pointer=pointer, seen=seen, expected=expected)
