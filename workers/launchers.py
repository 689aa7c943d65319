"""The operator's launchers file: the only place, besides a terminal, where a command can be named.

```yaml
launchers:
  weather:                          # the name targets use
    argv: [python, server.py]       # no shell; argv[0] is looked up on the PATH passed below;
                                    # "{python}" is the interpreter the worker itself runs on
    env: [PATH, WEATHER_TOKEN]      # variables passed on from the worker, by name
    set: {PYTHONDONTWRITEBYTECODE: "1"}   # variables with the value written here; no secrets
    cwd: ../weather                 # paths are relative to this file
    measure: ../weather/server.py   # a file or folder whose digest is the artifact's
    watch: {files: ../weather/data} # folders the observers look at
    limits: {memory_mib: 512}
    uid: 1001
    gid: 1001
credentials:                        # references of targets and profiles, and where they may go
  env:WEATHER_TOKEN: [weather.example.com]
```

A folder that is measured must not change by being run: set PYTHONDONTWRITEBYTECODE for Python.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from bundles.errors import Invalid, NotFound, Refused
from bundles.mcp.authorization import Authorization, read_authorization
from bundles.names import NAME_FORM, is_name
from bundles.reasons import reason
from bundles.yaml_reader import parse_yaml
from service.admission.model import Binding, Target
from workers.credentials import is_reference, resolve_headers
from workers.egress import EgressRules, check_url
from workers.endpoints import Endpoint, HttpEndpoint, ProcessLimits, StdioEndpoint
from workers.measure import require_artifact
from workers.other_credentials import resolve_others

LAUNCHERS_INVALID = reason(
    "LAUNCHERS_INVALID",
    "The operator's launchers file cannot be read or says something it cannot say.",
    "correct the launchers file at the place named; its members are listed in the documentation",
)
LAUNCHER_UNKNOWN = reason(
    "LAUNCHER_UNKNOWN",
    "A target names a launcher that the operator of this worker did not configure.",
    "add it to the worker's launchers file (BUNDLEGATE_LAUNCHERS), or name one that is there",
)
TARGET_KIND_UNKNOWN = reason(
    "TARGET_KIND_UNKNOWN",
    "A target is of a kind this worker cannot reach.",
    'use "mcp+http" with a url, or "mcp+stdio" with the name of a launcher',
)

_OWN_PYTHON = "{python}"
_LIMITS = {field.name for field in fields(ProcessLimits)}
_MEMBERS = {"argv", "env", "set", "cwd", "measure", "watch", "limits", "uid", "gid"}


@dataclass(frozen=True, slots=True)
class _Launcher:
    """One launcher as written; variables are read from the environment when it is used."""

    endpoint: StdioEndpoint
    passed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Launchers:
    """What the operator configured for this worker."""

    egress: EgressRules
    by_name: Mapping[str, _Launcher]
    credentials: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: Path | None, *, egress: tuple[str, ...] = ()) -> "Launchers":
        """Read the launchers file; without one no command and no credential can be used.

        Raises:
            Invalid: LAUNCHERS_INVALID or EGRESS_ALLOW_INVALID.
        """
        rules = EgressRules(egress)
        if path is None:
            return cls(rules, {}, {})
        reader = _Reader(path)
        return cls(rules, reader.launchers(), reader.credentials())

    def resolve(
        self,
        target: Target,
        artifact_digest: str,
        environ: Mapping[str, str] | None = None,
        authorization: object = None,
    ) -> tuple[Endpoint, Binding]:
        """The endpoint of a target, and how it is tied to the artifact.

        A launcher that measures is measured now; call this right before the start.

        Args:
            target: of the candidate.
            artifact_digest: of the candidate.
            environ: the worker's environment, the process's own when None.
            authorization: what the bundle's profile names (`bundles.mcp.authorization`). A header
                of the target wins over one of the profile.

        Raises:
            NotFound: LAUNCHER_UNKNOWN.
            Conflict: ARTIFACT_DIGEST_MISMATCH.
            BundlegateError: TARGET_KIND_UNKNOWN, what `workers.measure`, `workers.credentials` and
                `workers.egress` refuse.
        """
        environment = os.environ if environ is None else environ
        if target.kind == "mcp+http":
            return self._remote(target, environment, authorization), Binding.CLAIMED
        if target.kind != "mcp+stdio":
            raise Invalid(TARGET_KIND_UNKNOWN, f"kind {target.kind!r}", seen=target.kind)
        endpoint = self.endpoint(target.launcher, environment)
        if endpoint.measure is None:
            return endpoint, Binding.CLAIMED
        require_artifact(endpoint.measure, artifact_digest)
        return endpoint, Binding.MEASURED

    def _remote(
        self, target: Target, environ: Mapping[str, str], authorization: object
    ) -> HttpEndpoint:
        named = read_authorization(authorization) or Authorization()
        destinations = [check_url(url) for url in (target.url, *target.instances)]

        def resolve(references: Mapping[str, str]) -> dict[str, str]:
            for destination in destinations:
                found = resolve_headers(references, destination, self.credentials, environ)
            return found

        given = {header.lower() for header in target.headers}
        profile = {h: told for h, told in named.headers.items() if h.lower() not in given}
        headers = resolve({**profile, **target.headers})
        others = resolve_others(named, resolve, headers)
        return HttpEndpoint(target.url, self.egress, headers, others, target.instances)

    def endpoint(self, name: str, environ: Mapping[str, str]) -> StdioEndpoint:
        """The command behind a launcher's name, with the variables it is passed.

        Raises:
            NotFound: LAUNCHER_UNKNOWN.
        """
        launcher = self.by_name.get(name)
        if launcher is None:
            raise NotFound(
                LAUNCHER_UNKNOWN,
                f"no launcher is called {name!r} here",
                seen=name,
                expected=sorted(self.by_name),
            )
        passed = {key: environ[key] for key in launcher.passed if key in environ}
        written = launcher.endpoint
        return StdioEndpoint(
            argv=written.argv,
            env={**passed, **written.env},
            cwd=written.cwd,
            measure=written.measure,
            watch=written.watch,
            limits=written.limits,
            uid=written.uid,
            gid=written.gid,
        )


class _Reader:
    """Reads the file strictly: an unknown member or a wrong type is refused with its place."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = path.resolve().parent
        try:
            document = parse_yaml(path.read_bytes(), path=path.name)
        except OSError as error:
            raise Invalid(
                LAUNCHERS_INVALID, error.strerror or "unreadable", path=path.name
            ) from error
        except Refused as error:
            raise Invalid(
                LAUNCHERS_INVALID, error.detail, path=path.name, line=error.line
            ) from error
        self._root = self._mapping(document, "")
        self._only(self._root, {"launchers", "credentials"}, "")

    def launchers(self) -> dict[str, _Launcher]:
        """The launchers by name."""
        named = self._mapping(self._root.get("launchers", {}), "/launchers")
        return {
            name: self._launcher(self._mapping(entry, at), at)
            for name, entry in named.items()
            for at in [f"/launchers/{name}"]
        }

    def credentials(self) -> dict[str, tuple[str, ...]]:
        """References and the hosts their values may be sent to."""
        listed = self._mapping(self._root.get("credentials", {}), "/credentials")
        for reference in listed:
            if not is_reference(reference):
                self._refuse("/credentials", "no reference", reference, "env:NAME or file:PATH")
        return {
            reference: self._strings(hosts, f"/credentials/{reference}")
            for reference, hosts in listed.items()
        }

    def _launcher(self, entry: Mapping[str, Any], at: str) -> _Launcher:
        self._only(entry, _MEMBERS, at)
        words = self._strings(entry.get("argv", []), f"{at}/argv")
        argv = tuple(sys.executable if word == _OWN_PYTHON else word for word in words)
        if not argv:
            self._refuse(f"{at}/argv", "a launcher needs a command", None, "a list of words")
        limits = self._mapping(entry.get("limits", {}), f"{at}/limits")
        self._only(limits, _LIMITS, f"{at}/limits")
        watch = self._mapping(entry.get("watch", {}), f"{at}/watch")
        for observer in watch:
            if not is_name(observer):  # no bundle may ask for it by this name
                self._refuse(f"{at}/watch", "no name of an observer", observer, NAME_FORM)
        written = self._mapping(entry.get("set", {}), f"{at}/set")
        endpoint = StdioEndpoint(
            argv=argv,
            env={key: self._string(value, f"{at}/set/{key}") for key, value in written.items()},
            cwd=self._place(entry["cwd"], f"{at}/cwd") if "cwd" in entry else Path("/"),
            measure=self._place(entry["measure"], f"{at}/measure") if "measure" in entry else None,
            watch={key: self._place(value, f"{at}/watch/{key}") for key, value in watch.items()},
            limits=ProcessLimits(
                **{key: self._count(value, f"{at}/limits/{key}") for key, value in limits.items()}
            ),
            uid=self._count(entry["uid"], f"{at}/uid") if "uid" in entry else None,
            gid=self._count(entry["gid"], f"{at}/gid") if "gid" in entry else None,
        )
        return _Launcher(endpoint, self._strings(entry.get("env", []), f"{at}/env"))

    def _place(self, value: object, at: str) -> Path:
        return self._folder / self._string(value, at)

    def _mapping(self, value: object, at: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self._refuse(at, "wrong type", type(value).__name__, "a mapping")
        return value

    def _strings(self, value: object, at: str) -> tuple[str, ...]:
        if not isinstance(value, list):
            self._refuse(at, "wrong type", type(value).__name__, "a list")
        return tuple(self._string(item, f"{at}/{n}") for n, item in enumerate(value))

    def _string(self, value: object, at: str) -> str:
        if not isinstance(value, str) or not value or "\0" in value:
            self._refuse(at, "wrong type", type(value).__name__, "a text; quote numbers")
        return value

    def _count(self, value: object, at: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            self._refuse(at, "wrong type", value, "a whole number, not negative")
        return value

    def _only(self, mapping: Mapping[str, Any], known: set[str], at: str) -> None:
        unknown = sorted(set(mapping) - known)
        if unknown:
            self._refuse(f"{at}/{unknown[0]}", "unknown member", unknown[0], sorted(known))

    def _refuse(self, at: str, what: str, seen: object, expected: object) -> NoReturn:
        raise Invalid(
            LAUNCHERS_INVALID,
            f"{at or 'the document'}: {what}",
            path=self._path.name,
            pointer=at,
            seen=seen,
            expected=expected,
        )
