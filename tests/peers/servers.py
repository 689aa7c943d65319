"""Servers of this repository, as processes: the reference with its faults, and the stock SDK's."""

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.fixtures.processes import Server
from tests.peers.installed import ROOT


@contextmanager
def reference() -> Iterator[str]:
    """Base URL of the reference server: "/mcp" is healthy, "/faults/NAME/mcp" is not."""
    command = (sys.executable, "-B", "-m", "tests.servers.reference", "--transport", "http")
    server = Server(command, b"\n", sig=signal.SIGKILL, cwd=ROOT)
    try:
        yield f"http://127.0.0.1:{int(server.output[0])}"
    finally:
        server.stop(signal.SIGTERM)


@contextmanager
def stock() -> Iterator[Mapping[str, str]]:
    """URLs of the stock SDK's servers, by shape."""
    command = (sys.executable, "-B", "-W", "ignore", "-m", "tests.servers.stock")
    server = Server(command, b"{", sig=signal.SIGKILL, cwd=ROOT)
    try:
        ports = next(json.loads(line) for line in server.output if line.startswith(b"{"))
        yield {shape: f"http://127.0.0.1:{port}/mcp" for shape, port in ports.items()}
    finally:
        server.stop(signal.SIGTERM)
