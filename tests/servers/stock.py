"""Servers made with the stock SDK, none with a fault: `python -m tests.servers.stock`.

One process serves every shape of `SHAPES` over Streamable HTTP, each on a port of its own; the
ports are printed to stdout as one JSON object. With `--stdio` it is the calculator over stdio.
"""

import asyncio
import json
import socket
import sys
from collections.abc import Callable
from typing import Annotated, Literal

import uvicorn
from mcp import MCPError
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Elicit, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)
from pydantic import BaseModel, Field
from starlette.types import ASGIApp

TOKEN = "stock-server-token"
ECHO = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class Sum(BaseModel):
    total: int


def calculator(**options: object) -> MCPServer:
    server = MCPServer("calculator", version="1.0.0", log_level="WARNING", **options)

    @server.tool()
    def add(a: int, b: int = 0) -> Sum:
        """Adds two numbers."""
        return Sum(total=a + b)

    return server


def plain() -> ASGIApp:
    return calculator().streamable_http_app()


class Contact(BaseModel):
    name: str


async def contact(day: str) -> Elicit[Contact]:
    return Elicit(f"Who is coming on {day}?", Contact)


def asking() -> ASGIApp:
    """Asks for input, its requestState protected by the SDK."""
    server = calculator()

    @server.tool()
    async def book(day: str, who: Annotated[Contact, Resolve(contact)]) -> str:
        """Books a visit."""
        return f"{who.name} is coming on {day}"

    @server.tool()
    async def cancel(day: str, who: Annotated[Contact, Resolve(contact)]) -> str:
        """Cancels a visit."""
        return f"{who.name} is not coming on {day}"

    return server.streamable_http_app()


def stateless() -> ASGIApp:
    return calculator().streamable_http_app(stateless_http=True, json_response=True)


def constrained() -> ASGIApp:
    """Rules on every member, a failure of the tool's own, and a list as the result."""
    server = MCPServer("hotel", version="1.0.0", log_level="WARNING")

    @server.tool()
    def book(
        name: Annotated[str, Field(min_length=1, max_length=20)],
        nights: Annotated[int, Field(ge=1, le=30)],
        view: Literal["sea", "street"] = "sea",
        guests: Annotated[list[str], Field(max_length=2)] = [],  # noqa: B006 - only read
        code: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "ABC",
    ) -> Sum:
        """Books a room."""
        if len(name) == 1:
            raise ToolError(f"there is no room for {name}")
        return Sum(total=nights * 100 + len(view) + len(guests) + len(code))

    @server.tool()
    def rooms(floor: Annotated[int, Field(ge=0, le=1)]) -> list[str]:
        """The rooms of a floor."""
        return [f"{floor}01", f"{floor}02"]

    @server.prompt()
    def welcome(guest: str) -> str:
        """Greets a guest."""
        return f"Welcome {guest}!"

    return server.streamable_http_app()


def paged() -> ASGIApp:
    tools = [Tool(name=f"echo-{n}", input_schema=ECHO) for n in range(5)]

    async def page(_: object, params: PaginatedRequestParams | None) -> ListToolsResult:
        cursor = params.cursor if params else None
        if cursor not in {None, "2", "4"}:
            raise MCPError(code=-32602, message="no such cursor")
        at = int(cursor or 0)
        return ListToolsResult(tools=tools[at : at + 2], next_cursor={0: "2", 2: "4"}.get(at))

    async def call(_: object, params: CallToolRequestParams) -> CallToolResult:
        text = (params.arguments or {}).get("text")
        known = params.name in {tool.name for tool in tools} and isinstance(text, str)
        said = text if known and isinstance(text, str) else "text is required"
        return CallToolResult(content=[TextContent(type="text", text=said)], is_error=not known)

    return Server("paged", on_list_tools=page, on_call_tool=call).streamable_http_app()


def resources_only() -> ASGIApp:
    async def resources(_: object, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=[])

    return Server("library", on_list_resources=resources).streamable_http_app()


class _Tokens:
    async def verify_token(self, token: str) -> AccessToken | None:
        known = AccessToken(token=token, client_id="tests", scopes=["call"])
        return known if token == TOKEN else None


def protected(url: str = "https://calculator.example/mcp") -> ASGIApp:
    settings = AuthSettings(
        issuer_url="https://issuer.example",
        resource_server_url=url,
        required_scopes=["call"],
    )
    return calculator(auth=settings, token_verifier=_Tokens()).streamable_http_app()


SHAPES: dict[str, Callable[..., ASGIApp]] = {
    build.__name__.replace("_", "-"): build
    for build in (plain, stateless, constrained, paged, resources_only, protected, asking)
}


async def main() -> None:
    ports, serving = {}, []
    for name, build in SHAPES.items():
        listener = socket.create_server(("127.0.0.1", 0))
        ports[name] = listener.getsockname()[1]
        # what it publishes has to name the address clients use
        own = [f"http://127.0.0.1:{ports[name]}/mcp"] if build is protected else []
        server = uvicorn.Server(uvicorn.Config(build(*own), log_level="warning"))
        serving.append(server.serve(sockets=[listener]))
    print(json.dumps(ports), flush=True)
    await asyncio.gather(*serving)


if __name__ == "__main__":
    if sys.argv[1:] == ["--stdio"]:
        calculator().run("stdio")
    else:
        asyncio.run(main())
