"""Submitting a 1 MiB bundle of 200 files, against the libraries alone doing the reading of it."""

import hashlib
import io
import itertools
import json
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml

from bundles.archive import read_archive, write_tar_gz
from bundles.contract import Contract
from bundles.secret_scan import scan_file
from migrations import upgrade
from tests.bench.measured import Measured, interleaved
from tests.fixtures.world import World

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def measure() -> list[Measured]:
    versions = itertools.count()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'bench.db'}"
        upgrade(url)
        world = World(url)
        packed = (_packed(f"1.0.{next(versions)}") for _ in itertools.count())
        waiting = [next(packed) for _ in range(12)]

        def submit() -> None:
            made = world.registry.submit_bundle(world.me, io.BytesIO(waiting.pop()))
            assert made.created
            assert made.bundle.static_verdict == "PASS", made.findings[:3]

        one = next(packed)
        submitted = interleaved(submit, lambda: _by_libraries(one), rounds=9)
        contract = Contract.read(read_archive(io.BytesIO(one)))
        scanned = interleaved(lambda: _scan(contract), lambda: _by_libraries(one), rounds=9)
    size = sum(map(len, contract.files.values())) / (1 << 20)
    what = f"{len(contract.files)} files, {size:.1f} MiB"
    libraries = "unpacking, hashing, parsing and schema-validating by libraries alone"
    return [
        Measured(f"submit a bundle ({what})", *submitted, 3, libraries),
        Measured("the secret scan in it", *scanned, None, libraries),
    ]


def _by_libraries(packed: bytes) -> None:
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            files[member.name] = content.read()
    documents: dict[str, Any] = {}
    for path, raw in files.items():
        hashlib.sha256(raw).hexdigest()
        if path.endswith(".json"):
            documents[path] = json.loads(raw)
        else:
            documents[path] = yaml.load(raw, Loader=yaml.CSafeLoader)  # type: ignore[attr-defined]
    for path, document in documents.items():
        if path.startswith("schemas/"):
            jsonschema_rs.Draft202012Validator(document)
    for tool in documents["tools.json"]:
        jsonschema_rs.Draft202012Validator(tool["inputSchema"])


def _scan(contract: Contract) -> None:
    for path, content in contract.files.items():
        found = scan_file(content, contract.documents.get(path), parsed=path in contract.documents)
        assert not list(found)


def _packed(version: str) -> bytes:
    files = {f"schemas/s{n}.json": _json(_schema(n)) for n in range(178)}
    files |= {f"suites/s{n}.json": _json(_suite(n)) for n in range(20)}
    files["tools.json"] = _json([{"name": f"t{n}", "inputSchema": _schema(n)} for n in range(12)])
    manifest = {
        "contract_id": "bench",
        "contract_version": version,
        "protocol": {"mcp": "2026-07-28"},
        "producer": {"agent_id": "bench-server"},
        "declarations": {"mcp_tools": "tools.json"},
        "suites": "suites/",
        "schemas": "schemas/",
    }
    files["bundle.yaml"] = _json({"contract_bundle": manifest})
    return write_tar_gz(files)


def _schema(number: int) -> dict[str, Any]:
    return {
        "$schema": _DIALECT,
        "$id": f"https://example.com/schemas/{number}.json",
        "type": "object",
        "properties": {
            f"field{at}": {
                "type": "string",
                "description": f"What the caller wants in place {at} of schema {number}, in words.",
                "maxLength": at + 1,
            }
            for at in range(37)
        },
        "required": ["field0"],
        "$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/word"}}, "word": {}},
    }


def _suite(number: int) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "id": f"suite-{number}",
        "name": "Measured",
        "cases": [
            {
                "id": f"case-{at}",
                "name": f"Tool {at} answers",
                "operation": {"type": "callTool", "tool": f"t{at}", "input": {"field0": "x"}},
                "assertions": [{"type": "isError", "expected": False}],
            }
            for at in range(12)
        ],
    }


def _json(document: object) -> bytes:
    return json.dumps(document, indent=1).encode("utf-8")
