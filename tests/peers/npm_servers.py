"""The npm servers as an operator would configure them, and what there is to find on each."""

import json
import os
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from service.admission.model import Target
from tests.fixtures.processes import Server
from tests.peers.installed import MODULES, node, script
from workers.endpoints import Endpoint
from workers.launchers import Launchers

LAUNCHED = ("everything", "filesystem", "memory")
_UNMEASURED = "sha256:" + "0" * 64


def launched(name: str, folder: Path) -> Endpoint:
    """One of `LAUNCHED` through a launchers file; its files lie in `folder`/sandbox, watched."""
    sandbox = folder / "sandbox"
    sandbox.mkdir()
    (sandbox / "note.txt").write_text("one\ntwo\n")
    arguments = {"everything": ["stdio"], "filesystem": [str(sandbox)], "memory": []}[name]
    launcher = {
        "argv": [node(), script(f"server-{name}", "dist/index.js"), *arguments],
        "set": {"MEMORY_FILE_PATH": str(sandbox / "memory.jsonl")},
        "watch": {"files": str(sandbox)},
    }
    file = folder / "launchers.yaml"
    file.write_text(json.dumps({"launchers": {name: launcher}}))  # JSON is YAML
    target = Target(name, "mcp+stdio", launcher=name)
    return Launchers.read(file).resolve(target, _UNMEASURED, os.environ)[0]


def safe_calls(name: str, folder: Path) -> Mapping[str, list[dict[str, Any]]]:
    """Calls that change nothing."""
    sandbox = folder / "sandbox"
    calls: dict[str, dict[str, list[dict[str, Any]]]] = {
        "everything": {
            "echo": [{"message": "hello"}],
            "get-sum": [{"a": 1, "b": 2}],
            "get-structured-content": [{"location": "New York"}],
        },
        "filesystem": {
            "list_directory": [{"path": str(sandbox)}],
            "read_text_file": [{"path": str(sandbox / "note.txt")}],
        },
        "memory": {"read_graph": [{}], "search_nodes": [{"query": "nothing"}]},
    }
    return calls[name]


@contextmanager
def everything_over_http() -> Iterator[str]:
    """`server-everything` over Streamable HTTP; its URL."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    server = Server(
        [node(), script("server-everything", "dist/index.js"), "streamableHttp"],
        b"listening on port",
        sig=signal.SIGKILL,
        cwd=MODULES,
        env={"PORT": str(port), "PATH": os.environ["PATH"]},
    )
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.stop(signal.SIGTERM)
