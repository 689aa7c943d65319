"""`--profile FILE`: the conditions a server is observed under, credentials by reference.

The members are those of a bundle's profile (client, authorization, tenant_class, revision,
transport), and what a person has to say besides: its name, the calls that are allowed, and further
URLs of the same deployment.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from bundlegate.cli.given_file import content_of
from bundles.errors import Invalid, Refused
from bundles.mcp.authorization import (
    AUTHORIZATION_FORM,
    NARROW_SCOPE,
    NEGATIVE,
    OTHER_PRINCIPAL,
    Authorization,
    read_authorization,
)
from bundles.names import MOST_INSTANCES, NAME_FORM, is_name
from bundles.reasons import reason

R = TypeVar("R")

PROFILE_FILE_INVALID = reason(
    "PROFILE_FILE_INVALID",
    "A profile file cannot be read, or holds what no profile has.",
    "correct the member named; docs/cli.md shows a whole profile",
)
PROFILE_CONTRADICTED = reason(
    "PROFILE_CONTRADICTED",
    "An option or the target says something else than the profile.",
    "leave the option out, or name the profile that means it",
)

_TEXT = {"type": "string", "minLength": 1}
_REFERENCE = {"type": "string", "pattern": r"^(env|file):\S"}
_HEADERS = {"type": "object", "additionalProperties": _REFERENCE}
_CALLS = {"type": "array", "items": {"type": "object"}}
_SHAPE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "revision": {"enum": ["2026-07-28", "2025-11-25"]},
        "transport": {"enum": ["http", "stdio"]},
        "tenant_class": {"type": "string", "minLength": 1},
        "client": {
            "type": ["string", "object"],
            "minLength": 1,
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "version": {"type": "string", "minLength": 1},
                "capabilities": {"type": "object", "additionalProperties": {"type": "object"}},
            },
        },
        "authorization": {
            "type": "object",
            "additionalProperties": False,
            "minProperties": 1,
            "properties": {
                "headers": _HEADERS,
                "negative": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        **dict.fromkeys(NEGATIVE, _REFERENCE),
                        NARROW_SCOPE: {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["token", "tool"],
                            "properties": {"token": _REFERENCE, "tool": _TEXT},
                        },
                    },
                },
                OTHER_PRINCIPAL: {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["headers"],
                    "properties": {
                        "headers": _HEADERS | {"minProperties": 1},
                        "denied": {"type": "array", "items": _TEXT},
                    },
                },
            },
        },
        "instances": {
            "type": "array",
            "items": _TEXT,
            "uniqueItems": True,
            "maxItems": MOST_INSTANCES,
        },
        "safe_calls": {"type": "object", "additionalProperties": _CALLS},
    },
}


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile as its file has it; "" and empty for what it does not say.

    Attributes:
        client: who asks, as `bundles.mcp.client.read_client` takes it; None for the harness.
        safe_calls: tool → arguments of each call; without any they are derived.
        mrtr_tools: tool → how a tool that asks for input is called (`bundles.mcp.multi_round`).
        authorization: who asks by credentials, and what else is known of them; by reference.
        instances: further URLs of the same deployment.
    """

    name: str = "default"
    revision: str = ""
    transport: str = ""
    tenant_class: str = ""
    safe_calls: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    client: Any = None
    mrtr_tools: Mapping[str, Any] = field(default_factory=dict)
    authorization: Authorization = field(default_factory=Authorization)
    instances: tuple[str, ...] = ()

    @property
    def headers(self) -> Mapping[str, str]:
        """Header name → "env:NAME" or "file:PATH"."""
        return self.authorization.headers

    def spoken(self, option: str | None) -> str | None:
        """The revision to speak: that of `--revision`, or the profile's; None where neither says.

        Raises:
            Invalid: PROFILE_CONTRADICTED.
        """
        if option is not None and self.revision and option != self.revision:
            raise _contradicted("--revision", option, self.revision)
        return option or self.revision or None

    def calls(self, named: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
        """The profile's calls, then those named by options."""
        tools = dict.fromkeys([*self.safe_calls, *named])
        return {tool: [*self.safe_calls.get(tool, ()), *named.get(tool, ())] for tool in tools}

    def target(self, target: Mapping[str, Any]) -> dict[str, Any]:
        """The options of `bundlegate.cli.target`, with credentials and instances of the profile.

        Raises:
            Invalid: PROFILE_CONTRADICTED: the profile is one of the other transport, or a header of
                it is given by an option as well.
        """
        transport = "stdio" if target["url"] is None else "http"
        if self.transport and self.transport != transport:
            raise _contradicted("the target", transport, self.transport)
        if (self.authorization.anything or self.instances) and transport != "http":
            raise _contradicted("the target", transport, "http")
        given = {entry.partition("=")[0].lower() for entry in target["header_env"]}
        twice = sorted(name for name in self.headers if name.lower() in given)
        if twice:
            raise _contradicted("--header-env", twice, sorted(self.headers))
        instances = tuple(dict.fromkeys([*self.instances, *target.get("instance", ())]))
        return {**target, "authorization": self.authorization, "instance": instances}


def profile_option(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--profile FILE`, passed as `profile`: a path or None, for `read_profile`."""
    return click.option(
        "--profile",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="The conditions to observe under (YAML or JSON), credentials by reference.",
    )(function)


def read_profile(path: Path | None) -> Profile:
    """The profile in a file, the default one without a file.

    Raises:
        Refused: PROFILE_FILE_INVALID, or what is wrong with its YAML or JSON.
    """
    if path is None:
        return Profile()
    import jsonschema_rs

    from bundles.mcp import multi_round
    from bundles.mcp.problem import pointer_of
    from bundles.mcp.schema import cut
    from bundles.yaml_reader import parse_yaml

    try:
        document = parse_yaml(content_of(path), path=str(path))
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(PROFILE_FILE_INVALID, f"cannot read it: {why}", path=str(path)) from error
    members = {**_SHAPE["properties"], "mrtr_tools": multi_round.SHAPE}
    validator = jsonschema_rs.Draft202012Validator({**_SHAPE, "properties": members})
    problem = next(validator.iter_errors(document), None)
    if problem is not None:
        pointer = pointer_of(list(problem.instance_path))
        # a header's value that is no reference may be the credential itself: it is not shown
        hidden = pointer.startswith("/authorization")
        detail = f"expected {AUTHORIZATION_FORM}" if hidden else problem.message
        raise Refused(PROFILE_FILE_INVALID, str(cut(detail)), path=str(path), pointer=pointer)
    name = document.get("name", "default")
    if not is_name(name):
        what = "the profile has no name"
        raise Refused(
            PROFILE_FILE_INVALID, what, path=str(path), pointer="/name", expected=NAME_FORM
        )
    return Profile(
        name=name,
        revision=document.get("revision", ""),
        transport=document.get("transport", ""),
        tenant_class=document.get("tenant_class", ""),
        authorization=read_authorization(document.get("authorization")) or Authorization(),
        instances=tuple(document.get("instances", ())),
        safe_calls=document.get("safe_calls", {}),
        client=document.get("client"),
        mrtr_tools=document.get("mrtr_tools", {}),
    )


def resolved(references: Mapping[str, str]) -> dict[str, str]:
    """The header values behind references: the person at the terminal allows what they name.

    Raises:
        Unreachable: CREDENTIAL_UNAVAILABLE.
    """
    from workers.credentials import value_of

    return {name: value_of(reference, os.environ) for name, reference in references.items()}


def _contradicted(what: str, seen: object, expected: object) -> Invalid:
    return Invalid(
        PROFILE_CONTRADICTED, f"{what} contradicts the profile", seen=seen, expected=expected
    )
