"""Whatever is sent to any endpoint, the answer is one of those it documents, and never a 500."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fixtures.house import EVERY_SCOPE, House, Visitor, problem, routes

_TEXT = st.text(max_size=40) | st.sampled_from(
    [
        "",
        "\0",
        "..",
        "%00",
        "'",
        '"',
        "sha256:" + "0" * 64,
        "latest",
        "\ud7ff",
        "\U0001d7d8",
        "-1",
        "1e9",
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=10,
)
_HEADER = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
_SETTINGS = settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # a request a second: shrinking would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def guest(house: House) -> Visitor:
    return house.visitor(*EVERY_SCOPE)


@pytest.fixture(scope="module")
def document(guest: Visitor) -> dict[str, Any]:
    found: dict[str, Any] = guest.http.get("/v1/openapi.json").json()
    return found


@pytest.fixture(scope="module")
def real(guest: Visitor) -> dict[str, str]:
    """Ids that exist, so that fuzzing gets past the first look-up."""
    candidate = guest.candidate()
    run = guest.client.start_run(candidate["id"])["id"]
    guest.client.cancel(run)
    return {
        "candidate_id": candidate["id"],
        "digest": candidate["bundle_digest"],
        "run_id": run,
        "evidence_id": next(iter(guest.client.evidence_list()))["id"],
        "decision_id": guest.client.gate(candidate["id"], to="CANARY")["id"],
        "name": "default",
        "path": "bundle.yaml",
    }


def operations(house: House) -> list[tuple[str, str]]:
    return [(method, path) for method, path, _ in routes(house.app)]


def value_for(schema: dict[str, Any], components: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a schema roughly, and some that do not."""
    if "$ref" in schema:
        schema = components[schema["$ref"].rpartition("/")[2]]
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | _TEXT
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return st.one_of([value_for(each, components) for each in schema[union]]) | _TEXT
    if schema.get("type") == "object" and "properties" in schema:
        members = {n: value_for(s, components) | _JSON for n, s in schema["properties"].items()}
        needed = {n: s for n, s in members.items() if n in schema.get("required", ())}
        optional = {n: s for n, s in members.items() if n not in needed}
        return st.fixed_dictionaries(needed, optional=optional)
    if schema.get("type") == "array":
        return st.lists(value_for(schema.get("items", {}), components), max_size=3)
    if schema.get("type") == "integer":
        return st.integers() | st.integers(0, 1)
    return _TEXT


@dataclass(frozen=True)
class _Request:
    method: str
    path: str
    url: str
    params: tuple[tuple[str, str], ...]
    headers: dict[str, str]
    content: bytes


@st.composite
def requests(
    draw: st.DrawFn,
    method: str,
    path: str,
    operation: dict[str, Any],
    real: dict[str, str],
    components: dict[str, Any],
) -> _Request:
    url, params, headers = path, [], {}
    for parameter in operation.get("parameters", ()):
        name, schema = parameter["name"], parameter.get("schema", {})
        known = st.just(real[name]) if name in real else st.nothing()
        if parameter["in"] == "path":
            value = draw(known | _TEXT) or "x"
            # A client resolves "." and ".." before it sends, to another address of the service.
            url = url.replace("{" + name + "}", quote(value, safe="").replace(".", "%2E"))
        elif parameter["in"] == "query" and draw(st.booleans() | st.just(parameter["required"])):
            chosen = st.integers(0, 1) if name == "wait" else value_for(schema, components)
            params.append((name, str(draw(chosen))))
        elif parameter["in"] == "header" and draw(st.booleans()):
            headers[name] = draw(_HEADER)
    content = b""
    if "requestBody" in operation:
        kinds = operation["requestBody"]["content"]
        if "application/json" in kinds:
            shape = value_for(kinds["application/json"].get("schema", {}), components)
            content = json.dumps(draw(shape | _JSON)).encode()
            headers["Content-Type"] = "application/json"
        else:
            content = draw(st.binary(max_size=600))
    return _Request(method, path, url, tuple(params), headers, content)


@_SETTINGS
@given(data=st.data())
def test_no_request_breaks_the_service(
    house: House,
    guest: Visitor,
    document: dict[str, Any],
    real: dict[str, str],
    data: st.DataObject,
) -> None:
    described = {(m, p): document["paths"][p][m.lower()] for m, p in operations(house)}
    components = document["components"]["schemas"]
    # All are drawn before the first is sent: no answer has a say in what is drawn.
    drawn = [
        data.draw(requests(method, path, operation, real, components))
        for (method, path), operation in described.items()
    ]
    for request in drawn:
        answer = guest.http.request(
            request.method,
            request.url,
            params=request.params,
            headers=request.headers,
            content=request.content,
            timeout=120,
        )
        told = described[request.method, request.path]["responses"]
        assert answer.status_code < 500, (request, answer.text)
        assert str(answer.status_code) in told or answer.status_code in {304, 404}, request
        if answer.status_code >= 400:
            problem(answer, answer.status_code)
