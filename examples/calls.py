"""The whole line over HTTP, with nothing but the standard library.

Needs BUNDLEGATE_URL and BUNDLEGATE_TOKEN of a service that was started with
`bundlegate up --launchers examples/launchers.yaml`.
"""

import io
import json
import os
import tarfile
from hashlib import sha256
from pathlib import Path
from urllib.request import Request, urlopen

URL, TOKEN = os.environ["BUNDLEGATE_URL"], os.environ["BUNDLEGATE_TOKEN"]
HERE = Path(__file__).parent


def call(method, path, body=None, kind="application/json"):
    payload = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": kind}
    with urlopen(Request(URL + path, payload, headers, method=method)) as answer:
        print(method, path, "→", answer.status)
        return json.load(answer)


archive = io.BytesIO()
with tarfile.open(fileobj=archive, mode="w:gz") as tar:
    tar.add(HERE / "weather" / "bundle", arcname="")

bundle = call("POST", "/v1/bundles", archive.getvalue(), "application/gzip")
call("PUT", "/v1/policies/demo", json.loads((HERE / "policies" / "demo.json").read_text()))
candidate = call(
    "POST",
    "/v1/candidates",
    {
        "bundle_digest": bundle["bundle"]["digest"],
        "version": "1.0.0",
        "artifact_digest": "sha256:"
        + sha256((HERE / "weather" / "server.py").read_bytes()).hexdigest(),
        "targets": [{"name": "local", "kind": "mcp+stdio", "launcher": "weather"}],
        "policy": "demo",
    },
)["candidate"]["id"]
call("POST", f"/v1/candidates/{candidate}/runs", {})
decision = call("GET", f"/v1/candidates/{candidate}/gate?to=REGISTRY_ADMITTED&wait=180")
print(decision["verdict"], decision["id"])
for claim in decision["unverified_claims"]:
    print("not verified:", claim["claim"], "–", claim["why"])
move = {"to": "REGISTRY_ADMITTED", "expected_state": "SECURITY_VERIFIED", "reason": "release 1.0.0"}
moved = call("POST", f"/v1/candidates/{candidate}/transitions", move)["transition"]
print(moved["from_state"], "→", moved["to_state"])
print("replay agrees:", call("GET", f"/v1/decisions/{decision['id']}/replay")["agrees"])
