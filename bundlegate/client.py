"""A client of the service: REST in, plain JSON out, every error a `BundlegateError`.

Synchronous, and blind to proxy variables and netrc files: it talks to the address it was given.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx2

from bundles.errors import (
    BundlegateError,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Refused,
    Unauthorised,
    Unreachable,
)
from bundles.reasons import reason

DEFAULT_URL = "http://127.0.0.1:8321"

SERVICE_UNREACHABLE = reason(
    "SERVICE_UNREACHABLE",
    "The service did not answer at its address.",
    "start it with `bundlegate up`, or name another address with --url or BUNDLEGATE_URL",
)
SERVICE_ANSWER_UNREADABLE = reason(
    "SERVICE_ANSWER_UNREADABLE",
    "What answered at the address is not this service, or failed in a way it could not explain.",
    "check the address in --url or BUNDLEGATE_URL, then the log of the service",
)
SERVICE_URL_INVALID = reason(
    "SERVICE_URL_INVALID",
    "The address of the service is no http or https address.",
    "write it as http://HOST:PORT, in --url or BUNDLEGATE_URL",
)
TOKEN_NOT_GIVEN = reason(
    "TOKEN_NOT_GIVEN",
    "The command was given no token.",
    "put one in BUNDLEGATE_TOKEN; `bundlegate up` prints the first, `bundlegate token create` more",
)

_ANSWER_S = 60.0
"""How long one answer may take beyond what the request itself asked to wait."""
_WAIT_AT_ONCE_S = 30
"""Longest single wait at the gate: proxies close what is silent for a minute."""
_OVER = frozenset({"finished", "cancelled"})

_CLASSES: dict[int, type[BundlegateError]] = {
    400: Invalid,
    401: Unauthorised,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: Refused,
    422: Refused,
    503: Unreachable,
}


class GateSaid(Forbidden):
    """A transition the gate did not allow; `decision` is its JSON, with reasons."""

    decision: Mapping[str, Any]


class Client:
    """One service, one token. Use as a context manager.

    Every method raises `BundlegateError`: the subclass follows the HTTP status, reason code, detail
    and next steps are the service's own. No answer at all is Unreachable.
    """

    def __init__(self, url: str, token: str, *, transport: httpx2.BaseTransport | None = None):
        self._url = url.rstrip("/")
        self._http = httpx2.Client(
            base_url=self._url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx2.Timeout(_ANSWER_S, connect=5.0),
            trust_env=False,
            transport=transport,
        )

    @classmethod
    def from_env(cls, url: str | None = None, token: str | None = None) -> "Client":
        """A client of BUNDLEGATE_URL with BUNDLEGATE_TOKEN; arguments go first.

        Raises:
            Unauthorised: TOKEN_NOT_GIVEN.
            Invalid: SERVICE_URL_INVALID.
        """
        url = url or os.environ.get("BUNDLEGATE_URL") or DEFAULT_URL
        if not url.lower().startswith(("http://", "https://")):
            raise Invalid(SERVICE_URL_INVALID, "this is no http or https address", seen=url)
        token = token or os.environ.get("BUNDLEGATE_TOKEN", "")
        if not token:
            raise Unauthorised(TOKEN_NOT_GIVEN, "no token in BUNDLEGATE_TOKEN or --token")
        return cls(url, token)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._http.close()

    # --- bundles ------------------------------------------------------------------------------

    def submit(self, archive: bytes, *, key: str | None = None) -> dict[str, Any]:
        """Submit an archive: {"bundle", "created", "verdict", "outcomes", "findings"}."""
        headers = {"Content-Type": "application/octet-stream", **_keyed(key)}
        return self._json("POST", "/v1/bundles", content=archive, headers=headers)

    def bundle(self, digest: str) -> dict[str, Any]:
        """One bundle: {"bundle", "outcomes", "findings"}."""
        return self._json("GET", f"/v1/bundles/{_part(digest)}")

    def bundles(self, **filters: str | None) -> Iterator[dict[str, Any]]:
        """Bundles, newest first; filters contract_id, producer, digest."""
        return self._all("/v1/bundles", filters)

    def archive(self, digest: str) -> bytes:
        """The bundle as a deterministic tar."""
        return self._send("GET", f"/v1/bundles/{_part(digest)}/archive").content

    # --- candidates ---------------------------------------------------------------------------

    def register(
        self,
        *,
        bundle_digest: str,
        version: str,
        artifact_digest: str,
        targets: Sequence[Mapping[str, Any]],
        policy: str = "default",
    ) -> dict[str, Any]:
        """Register a build: {"candidate", "created"}."""
        body = {
            "bundle_digest": bundle_digest,
            "version": version,
            "artifact_digest": artifact_digest,
            "targets": list(targets),
            "policy": policy,
        }
        return self._json("POST", "/v1/candidates", json=body)

    def candidate(self, candidate_id: str) -> dict[str, Any]:
        """One candidate."""
        return self._json("GET", f"/v1/candidates/{_part(candidate_id)}")

    def candidates(self, **filters: str | None) -> Iterator[dict[str, Any]]:
        """Candidates, newest first; filters producer, state, digest, contract_id, version."""
        return self._all("/v1/candidates", filters)

    def verification(self, candidate_id: str) -> dict[str, Any]:
        """The flat summary of what was verified."""
        return self._json("GET", f"/v1/candidates/{_part(candidate_id)}/verification")

    # --- runs ---------------------------------------------------------------------------------

    def start_run(
        self,
        candidate_id: str,
        *,
        stages: Sequence[str] | None = None,
        profiles: Sequence[str] | None = None,
        key: str | None = None,
    ) -> dict[str, Any]:
        """Start a verification; the queued run."""
        return self._json(
            "POST",
            f"/v1/candidates/{_part(candidate_id)}/runs",
            json={
                "stages": list(stages) if stages else None,
                "profiles": list(profiles) if profiles else None,
            },
            headers=_keyed(key),
        )

    def run(self, run_id: str) -> dict[str, Any]:
        """One run."""
        return self._json("GET", f"/v1/runs/{_part(run_id)}")

    def cancel(self, run_id: str) -> dict[str, Any]:
        """Cancel a run."""
        return self._json("POST", f"/v1/runs/{_part(run_id)}/cancel")

    def findings(self, run_id: str) -> Iterator[dict[str, Any]]:
        """Findings of a run, in order."""
        return self._all(f"/v1/runs/{_part(run_id)}/findings", {})

    def report(self, run_id: str, form: str) -> str:
        """The report of a run as json, junit, sarif, text or html."""
        answer = self._send("GET", f"/v1/runs/{_part(run_id)}/report", params={"format": form})
        return answer.text

    def follow(self, run_id: str, *, wait_s: float) -> Iterator[dict[str, Any]]:
        """Events of a run until it is over or `wait_s` seconds have passed.

        A stream that breaks is taken up after the last event seen; none is missed or repeated.
        """
        until = monotonic() + wait_s
        seen = 0
        while True:
            for event in self._stream(run_id, seen, until):
                seen = event["seq"]
                yield event
            if monotonic() >= until or self.run(run_id)["state"] in _OVER:
                return

    def _stream(self, run_id: str, seen: int, until: float) -> Iterator[dict[str, Any]]:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(seen)}
        path = f"/v1/runs/{_part(run_id)}/events"
        try:
            with self._http.stream("GET", path, headers=headers) as answer:
                if answer.is_error:
                    answer.read()
                    raise _refusal(answer)
                data = ""
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        data = line.removeprefix("data: ")
                    elif not line and data:
                        yield json.loads(data)
                        data = ""
                    if monotonic() >= until:
                        return
        except httpx2.TransportError as error:
            if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
                raise self._unreachable(error) from error

    # --- gate ---------------------------------------------------------------------------------

    def gate(
        self, candidate_id: str, *, to: str, environment: str = "default", wait_s: int = 0
    ) -> dict[str, Any]:
        """The gate's decision; waits up to `wait_s` seconds while it is undecided."""
        until = monotonic() + wait_s
        while True:
            wait = max(0, min(_WAIT_AT_ONCE_S, round(until - monotonic())))
            decision = self._json(
                "GET",
                f"/v1/candidates/{_part(candidate_id)}/gate",
                params={"to": to, "environment": environment, "wait": wait},
                timeout=_ANSWER_S + wait,
            )
            if decision["verdict"] != "INCONCLUSIVE" or monotonic() + 0.5 >= until:
                return decision

    def transition(
        self,
        candidate_id: str,
        *,
        to: str,
        expected_state: str,
        reason: str,
        environment: str = "default",
    ) -> dict[str, Any]:
        """Move a candidate: {"transition", "decision"}.

        Raises:
            GateSaid: no, or not yet. Conflict: it is in another state.
        """
        body = {
            "to": to,
            "expected_state": expected_state,
            "reason": reason,
            "environment": environment,
        }
        return self._json("POST", f"/v1/candidates/{_part(candidate_id)}/transitions", json=body)

    def transitions(self, candidate_id: str) -> Iterator[dict[str, Any]]:
        """Every state change of a candidate, oldest first."""
        return self._all(f"/v1/candidates/{_part(candidate_id)}/transitions", {})

    def replay(self, decision_id: str) -> dict[str, Any]:
        """A decision beside what its stored inputs give: {"agrees", "stored", "recomputed"}."""
        return self._json("GET", f"/v1/decisions/{_part(decision_id)}/replay")

    # --- evidence -----------------------------------------------------------------------------

    def evidence_list(self, **filters: str | None) -> Iterator[dict[str, Any]]:
        """Evidence, newest first; filters digest, candidate_id, stage, profile, verdict, fresh."""
        return self._all("/v1/evidence", filters)

    def evidence(self, evidence_id: str) -> dict[str, Any]:
        """One piece of evidence."""
        return self._json("GET", f"/v1/evidence/{_part(evidence_id)}")

    def envelope(self, evidence_id: str) -> bytes:
        """Its DSSE envelope, byte-exact."""
        path = f"/v1/evidence/{_part(evidence_id)}"
        return self._send("GET", path, params={"format": "dsse"}).content

    def import_evidence(
        self,
        candidate_id: str,
        *,
        profile: str,
        files: Mapping[str, str],
        source: str | None = None,
        expected_failures: str | None = None,
        key: str | None = None,
    ) -> dict[str, Any]:
        """Keep a report of another tool about a candidate; the imported evidence."""
        body = {
            "candidate_id": candidate_id,
            "profile": profile,
            "files": dict(files),
            "source": source,
            "expected_failures": expected_failures,
        }
        return self._json("POST", "/v1/evidence/import", json=body, headers=_keyed(key))

    def public_keys(self) -> Iterator[dict[str, Any]]:
        """Public keys of the service."""
        return self._all("/v1/keys", {})

    # --- tokens and policies ------------------------------------------------------------------

    def create_token(
        self, *, name: str, scopes: Sequence[str], expires_in_s: int | None
    ) -> dict[str, Any]:
        """Make a token: {"token", "secret"}."""
        body = {"name": name, "scopes": list(scopes), "expires_in_s": expires_in_s}
        return self._json("POST", "/v1/tokens", json=body)

    def tokens(self) -> Iterator[dict[str, Any]]:
        """Tokens of the namespace."""
        return self._all("/v1/tokens", {})

    def revoke_token(self, token_id: str) -> dict[str, Any]:
        """Revoke a token for good."""
        return self._json("DELETE", f"/v1/tokens/{_part(token_id)}")

    def policy(self, name: str) -> dict[str, Any]:
        """The current version of a policy."""
        return self._json("GET", f"/v1/policies/{_part(name)}")

    def put_policy(self, name: str, document: Mapping[str, Any]) -> dict[str, Any]:
        """Store a version of a policy and make it current."""
        return self._json("PUT", f"/v1/policies/{_part(name)}", json=document)

    # --- the wire -----------------------------------------------------------------------------

    def _all(self, path: str, filters: Mapping[str, str | None]) -> Iterator[dict[str, Any]]:
        """Every item of every page."""
        params = {name: value for name, value in filters.items() if value is not None}
        while True:
            page = self._json("GET", path, params=params)
            yield from page["items"]
            if page["next"] is None:
                return
            params["cursor"] = page["next"]

    def _json(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        answer = self._send(method, path, **options)
        try:
            body = answer.json()
        except ValueError as error:
            raise _unreadable(answer) from error
        if not isinstance(body, dict):
            raise _unreadable(answer)
        return body

    def _send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        try:
            answer = self._http.request(method, path, **options)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise self._unreachable(error) from error
        if not answer.is_success:
            raise _refusal(answer)
        return answer

    def _unreachable(self, error: Exception) -> Unreachable:
        return Unreachable(
            SERVICE_UNREACHABLE, f"no answer from {self._url}: {error}", seen=type(error).__name__
        )


def _part(value: str) -> str:
    """A value as one segment of a path."""
    return quote(value, safe=":")


def _keyed(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Idempotency-Key": key}


def _unreadable(answer: httpx2.Response) -> Unreachable:
    return Unreachable(
        SERVICE_ANSWER_UNREADABLE,
        f"{answer.request.url} answered {answer.status_code} with something else than JSON",
        seen=answer.headers.get("content-type"),
        expected="application/json",
    )


def _refusal(answer: httpx2.Response) -> BundlegateError:
    """The refusal that a Problem describes."""
    try:
        problem = answer.json()
        code, detail = str(problem["reason_code"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return _unreadable(answer)
    decision = problem.get("decision")
    unknown = Unreachable if answer.status_code >= 500 else Invalid
    kind = GateSaid if decision else _CLASSES.get(answer.status_code, unknown)
    error = kind(
        code,
        detail,
        path=str(problem.get("path") or ""),
        pointer=str(problem.get("pointer") or ""),
        line=problem.get("line"),
        seen=problem.get("seen"),
        expected=problem.get("expected"),
        next_steps=[str(step) for step in problem.get("next_steps") or ()],
    )
    if isinstance(error, GateSaid):
        error.decision = decision
    return error
