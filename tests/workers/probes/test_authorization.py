"""What is sent about credentials: only what is meant, only where it may go, never twice seen."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bundles.live import judge_transcript
from bundles.plan import Plan
from bundles.transcript import Failure, Transcript
from bundles.verdict import Verdict
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint, OtherCredentials
from workers.probes.observe import observe

TOKEN = "Bearer own-token-of-the-profile"
PUBLISHED = "mcp.auth.metadata-published"


class Locked:
    """A server that lets one token in, and says where its metadata is."""

    def __init__(self, metadata_url: str) -> None:
        self.heard: list[tuple[str, str, str | None]] = []
        locked = self

        class Requests(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                given = self.headers["Authorization"]
                locked.heard.append(("POST", self.path, given))
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if given != TOKEN:
                    self._send(401, b"")
                elif isinstance(asked, dict) and "id" in asked:
                    cache = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
                    found = {"supportedVersions": ["2026-07-28"], "capabilities": {}, **cache}
                    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": found | {"tools": []}}
                    self._send(200, json.dumps(answer).encode())
                else:
                    self._send(202, b"")

            def do_GET(self) -> None:
                locked.heard.append(("GET", self.path, self.headers["Authorization"]))
                self.send_response(302)
                self.send_header("Location", "http://169.254.169.254/latest")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def _send(self, status: int, body: bytes) -> None:
                self.send_response(status)
                if status == 401:
                    challenge = f'Bearer resource_metadata="{metadata_url}"'
                    self.send_header("WWW-Authenticate", challenge)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
        self.port = self.server.server_address[1]

    def seen(self, others: OtherCredentials | None = None, *, own: str = TOKEN) -> Transcript:
        """The security stage under the profile's token."""
        rules = EgressRules(allow=(f"127.0.0.1:{self.port}",))
        url = f"http://127.0.0.1:{self.port}/mcp"
        headers = {"authorization": own, "x-tenant": "blue"}
        endpoint = HttpEndpoint(url, rules, headers, others or OtherCredentials())
        plan = Plan("security", "default", "2026-07-28", "http", ())
        return asyncio.run(observe(plan, endpoint, Budget(), lambda *_: None))


@pytest.fixture
def locked(request: pytest.FixtureRequest) -> Iterator[Locked]:
    made = Locked(getattr(request, "param", "http://169.254.169.254/oauth"))
    with made.server as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()


def verdict_of(transcript: Transcript, check_id: str) -> Verdict:
    return next(o.verdict for o in judge_transcript(transcript) if o.check.id == check_id)


def test_a_metadata_url_on_a_refused_address_is_never_fetched_and_leaves_it_open(
    locked: Locked,
) -> None:
    transcript = locked.seen()
    named = transcript.of("auth-metadata:challenge")[0]
    assert named.failure is Failure.REFUSED_EGRESS
    assert "EGRESS_ADDRESS_REFUSED" in named.note
    assert verdict_of(transcript, PUBLISHED) is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    "locked",
    ["file:///etc/passwd", "http://user:pw@a.example/x", "not a url", "gopher://127.0.0.1/"],
    indirect=True,
)
def test_a_metadata_url_that_is_none_is_never_fetched(locked: Locked) -> None:
    named = locked.seen().of("auth-metadata:challenge")[0]
    assert named.failure is Failure.REFUSED_EGRESS


def test_redirects_of_metadata_are_recorded_and_not_followed(locked: Locked) -> None:
    transcript = locked.seen()
    page = transcript.of("auth-metadata:path")[0]
    assert (page.status, page.headers["location"]) == (302, "http://169.254.169.254/latest")
    fetched = [told for told in locked.heard if told[0] == "GET"]
    assert {path for _, path, _ in fetched} == {
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource",
    }
    assert {given for *_, given in fetched} == {None}


def test_each_credential_is_sent_where_it_is_meant_and_masked_everywhere(locked: Locked) -> None:
    others = OtherCredentials(
        tokens={"expired": "Bearer expired-token-1", "in_url": "Bearer spare-token-2"},
        principal={"x-api-key": "key-of-somebody-else"},
    )
    transcript = locked.seen(others)
    paths = {path for _, path, given in locked.heard if given is None and "access" in path}
    assert paths == {"/mcp?access_token=spare-token-2"}
    assert "Bearer expired-token-1" in {given for *_, given in locked.heard}
    random = {given for *_, given in locked.heard if given and given.startswith("Bearer ")}
    assert len(random - {TOKEN, "Bearer expired-token-1"}) == 1
    text = repr(transcript)
    for secret in ("own-token", "expired-token", "spare-token", "key-of-somebody"):
        assert secret not in text


def test_without_a_credential_other_headers_are_sent_as_ever(locked: Locked) -> None:
    anonymous = locked.seen().of("auth:none")[0]
    assert "authorization" not in anonymous.request["headers"]
    assert "x-tenant" in anonymous.request["headers"]


def test_a_profile_whose_credential_is_refused_proves_nothing(locked: Locked) -> None:
    transcript = locked.seen(
        OtherCredentials(tokens={"expired": "Bearer expired-token-1"}), own="Bearer stale-token-0"
    )
    for name in ("invalid-token-refused", "expired-token-refused", "basic-token-refused"):
        assert verdict_of(transcript, f"mcp.auth.{name}") is Verdict.INCONCLUSIVE
    assert verdict_of(transcript, "mcp.auth.challenge-sent") is Verdict.PASS
