"""The server of the suite measurements: one tool, over stdio or on a socket it inherits."""

import socket
import sys

import uvicorn
from mcp.server import MCPServer

server = MCPServer("adder", log_level="ERROR")


@server.tool()
def add(a: int, b: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


if __name__ == "__main__" and len(sys.argv) == 1:
    server.run("stdio")
elif __name__ == "__main__":
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    config = uvicorn.Config(app, log_level="error")
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
