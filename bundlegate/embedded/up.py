"""`bundlegate up`: one command, and broker, API and worker run on this machine."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from bundlegate.embedded import folder
from bundlegate.embedded.broker import READY, broker_command
from bundlegate.embedded.child import READY_FD, Server
from bundlegate.embedded.first import Prepared, prepare
from bundlegate.embedded.supervisor import Supervisor
from bundles.errors import Unreachable
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
            asyncio.run(_run(bound, voice, environ, listening, claim))
    finally:
        os.close(claim)


async def _run(
    settings: Settings,
    voice: Voice,
    environ: Mapping[str, str],
    listening: socket.socket,
    claim: int,
) -> None:
    prepared = await asyncio.to_thread(prepare, settings)
    groups = _servers(settings, environ, listening.fileno(), claim)
    supervisor = Supervisor(settings.data_dir, groups, voice.say)
    await supervisor.run(lambda: _announce(settings, voice, prepared))


def _servers(
    settings: Settings, environ: Mapping[str, str], listening: int, claim: int
) -> list[list[Server]]:
    # Everything else of the environment goes on: header values of targets may be `env:NAME`.
    passed = {name: value for name, value in environ.items() if not name.startswith(PREFIX)}
    environment = passed | settings.to_env()
    # -P: a folder called `service` where the person stands must not be imported as ours.
    python = (sys.executable, "-P", "-m")
    api = Server(
        "api",
        (*python, "bundlegate.embedded.api", "--socket-fd", str(listening), "--ready-fd", READY_FD),
        environment=environment,
        descriptors=(listening, claim),
    )
    worker = Server(
        "worker",
        (*python, "workers", "--ready-fd", READY_FD),
        environment=environment,
        descriptors=(claim,),
    )
    if settings.broker_url != f"redis+socket://{settings.broker_socket}":
        return [[api, worker]]
    broker = Server(
        "broker",
        broker_command(settings.broker_socket, settings.data_dir),
        ready=READY,
        descriptors=(claim,),
    )
    return [[broker], [api, worker]]


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


def _announce(settings: Settings, voice: Voice, prepared: Prepared) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    line = {
        "url": f"http://{host}:{settings.port}",
        "data_dir": str(settings.data_dir),
        "key_id": prepared.key_id,
        "pid": os.getpid(),
    }
    if prepared.token is not None:
        line["admin_token"] = prepared.token
    voice.announce(json.dumps(line))
