"""`bundlegate up`: one command, and broker, API and worker run on this machine."""

import asyncio
import json
import os
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from bundlegate.embedded import folder, forking, swift
from bundlegate.embedded.broker import READY, broker_command
from bundlegate.embedded.server import GO_FD, PYTHON, READY_FD, Server
from bundlegate.embedded.supervisor import Supervisor
from bundles.errors import Refused, Unreachable
from bundles.reasons import reason
from service.settings import PREFIX, Settings

ADDRESS_UNUSABLE = reason(
    "ADDRESS_UNUSABLE",
    "The API cannot listen on the address asked for.",
    "name another port with --port (0 takes a free one), or stop what listens there",
)


@dataclass(frozen=True, slots=True)
class Voice:
    """Where `up` speaks: words for people, and one line for programs."""

    say: Callable[[str], None]
    announce: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Api:
    """The socket the API serves on, and how its start is followed: see `Server`."""

    listening: int
    hear: Callable[[bytes], None]
    confirm: Callable[[], Awaitable[None]]


def up(settings: Settings, voice: Voice, environ: Mapping[str, str]) -> None:
    """Run the embedded service until SIGTERM or SIGINT.

    Once everything serves, `voice.announce` gets one JSON line: {"url", "data_dir", "key_id",
    "pid"}, and "admin_token" on the very first start, which is the only time it is shown.

    Raises:
        Conflict: DATA_FOLDER_IN_USE.
        Refused, Unreachable: what could not be prepared or started.
    """
    folder.private_folder(settings.data_dir)
    folder.private_folder(settings.broker_socket.parent)
    claim = folder.take(settings.data_dir)
    try:
        with closing(_listen(settings)) as listening:
            port = listening.getsockname()[1]
            bound = replace(settings, port=port)
            told: dict[str, str] = {}
            servers = _servers(bound, environ, _api(listening, told), claim)
            born = _fork(servers, settings, listening)
            supervisor = Supervisor(settings.data_dir, servers, voice.say, born)

            def announce() -> None:
                voice.announce(json.dumps(_ready(bound, told)))

            asyncio.run(supervisor.run(announce))
    finally:
        os.close(claim)


def _fork(
    servers: Sequence[Server], settings: Settings, listening: socket.socket
) -> dict[str, forking.Newborn]:
    """Fork the servers that are ours. In each of them this ends with the process."""
    born: dict[str, forking.Newborn] = {}
    forking.share()
    for server in servers:
        if server.command[: len(PYTHON)] != PYTHON:
            continue
        newborn = forking.fork(server, settings.data_dir)
        if newborn is None:
            listening.detach()  # a descriptor of the API's own now, and closed in the others
            raise SystemExit(swift.main())
        born[server.name] = newborn
    return born


def _api(listening: socket.socket, told: dict[str, str]) -> _Api:
    return _Api(
        listening.fileno(),
        hear=lambda line: told.update(_read(line)),
        # The socket is ours and listens by now: a request waits there until the API serves.
        confirm=lambda: _answers(listening.getsockname()),
    )


def _servers(
    settings: Settings,
    environ: Mapping[str, str],
    asked: _Api,
    claim: int,
) -> list[Server]:
    # Everything else of the environment goes on: header values of targets may be `env:NAME`.
    passed = {name: value for name, value in environ.items() if not name.startswith(PREFIX)}
    environment = passed | settings.to_env()
    api = Server(
        "api",
        (
            *(*PYTHON, "api", "bundlegate.embedded.api"),
            *("--socket-fd", str(asked.listening), "--ready-fd", READY_FD),
        ),
        environment=environment,
        descriptors=(asked.listening, claim),
        hear=asked.hear,
        confirm=asked.confirm,
    )
    worker = Server(
        "worker",
        (*PYTHON, "worker", "workers.__main__", "--ready-fd", READY_FD, "--go-fd", GO_FD),
        environment=environment,
        descriptors=(claim,),
    )
    if settings.broker_url != f"redis+socket://{settings.broker_socket}":
        return [api, worker]
    broker = Server(
        "broker",
        broker_command(settings.broker_socket, settings.data_dir),
        ready=READY,
        descriptors=(claim,),
    )
    return [broker, api, worker]


def _read(line: bytes) -> dict[str, str]:
    """What the API says of its start: {"key_id", "admin_token"?}, or why there is none."""
    said = json.loads(line)
    if "refused" in said:
        refusal = said["refused"]
        raise Refused(refusal.pop("reason_code"), refusal.pop("detail"), **refusal)
    return {name: str(value) for name, value in said.items()}


async def _answers(address: tuple[str, int]) -> None:
    """Ask the API whether database and broker answer.

    Raises:
        Unreachable: with the reason the API gives.
    """
    reader, writer = await asyncio.open_connection(*address[:2])
    try:
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    if b" 200 " not in head.partition(b"\r\n")[0]:
        problem = json.loads(body)
        raise Unreachable(problem["reason_code"], problem["detail"], seen=problem.get("seen"))


def _listen(settings: Settings) -> socket.socket:
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, proto)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
    except OSError as error:
        raise Unreachable(
            ADDRESS_UNUSABLE,
            f"{settings.host}:{settings.port}: {error.strerror or error}",
            seen=f"{settings.host}:{settings.port}",
        ) from error
    listening.setblocking(False)  # noqa: FBT003 - the socket's own signature
    return listening


def _ready(settings: Settings, told: Mapping[str, str]) -> dict[str, str | int]:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "url": f"http://{host}:{settings.port}",
        "data_dir": str(settings.data_dir),
        "pid": os.getpid(),
        **told,
    }
