"""The supervisor on small real programs: order, readiness, death, restart, and a clean end."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bundlegate.embedded.server import GO_FD, READY_FD, Server
from bundlegate.embedded.supervisor import Supervisor
from bundles.errors import Invalid, Unreachable
from tests.fixtures.processes import gone, until

SERVES = """
import os, signal, sys
with open(sys.argv[1], "a") as file: file.write(f"{os.getpid()}\\n")
if len(sys.argv) > 2:
    os.write(int(sys.argv[2]), b"ready\\n"); os.close(int(sys.argv[2]))
else:
    print("now serving", flush=True)
signal.pause()
"""


def _server(tmp_path: Path, name: str, *, code: str = SERVES, announces: bool = True) -> Server:
    command = (sys.executable, "-c", code, str(tmp_path / f"{name}.pids"))
    if announces:
        return Server(name, (*command, READY_FD))
    return Server(name, command, ready=b"now serving")


def _pids(tmp_path: Path, name: str) -> list[int]:
    path = tmp_path / f"{name}.pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


async def _run(
    tmp_path: Path, servers: list[Server], when_ready: Callable[[], None], said: list[str]
) -> None:
    supervisor = Supervisor(tmp_path, servers, said.append)
    async with asyncio.timeout(120):
        await supervisor.run(when_ready)


def _terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def test_servers_serve_before_ready_is_said_and_none_is_left_afterwards(tmp_path: Path) -> None:
    names = ("broker", "api", "worker")
    servers = [_server(tmp_path, name, announces=name != "broker") for name in names]
    serving: list[int] = []

    def ready() -> None:
        serving.extend(pid for name in names for pid in _pids(tmp_path, name))
        _terminate()

    asyncio.run(_run(tmp_path, servers, ready, []))
    assert len(serving) == 3
    assert all(gone(pid) for pid in serving)


def test_a_server_begins_only_when_those_before_it_serve(tmp_path: Path) -> None:
    slow = "import os, sys, time; time.sleep(0.5)\n" + SERVES
    eager = (
        "import os, sys\n"
        "os.read(int(sys.argv[3]), 1)\n"
        "served = os.path.exists(os.path.dirname(sys.argv[1]) + '/api.pids')\n"
        "open(sys.argv[1], 'w').write(str(int(served)))\n"
        "os.write(int(sys.argv[2]), b'ready\\n')\n"
    )
    worker = _server(tmp_path, "worker", code=eager)
    worker = replace(worker, command=(*worker.command, GO_FD))
    asyncio.run(_run(tmp_path, [_server(tmp_path, "api", code=slow), worker], _terminate, []))
    assert _pids(tmp_path, "worker") == [1]


def test_what_a_server_says_may_be_refused(tmp_path: Path) -> None:
    def refuse(line: bytes) -> None:
        raise Invalid("SAID", line.decode().strip(), next_steps=["try again"])

    server = replace(_server(tmp_path, "api"), hear=refuse)
    with pytest.raises(Invalid, match="SAID: ready"):
        asyncio.run(_run(tmp_path, [server], _terminate, []))
    assert all(gone(pid) for pid in _pids(tmp_path, "api"))


def test_ready_waits_until_a_server_is_confirmed(tmp_path: Path) -> None:
    story: list[str] = []

    async def answers() -> None:
        until("the next one has begun", lambda: bool(_pids(tmp_path, "worker")))
        story.append("answered")

    def ready() -> None:
        story.append("ready")
        _terminate()

    servers = [
        replace(_server(tmp_path, "api"), confirm=answers),
        _server(tmp_path, "worker"),
    ]
    asyncio.run(_run(tmp_path, servers, ready, []))
    assert story == ["answered", "ready"]


def test_a_server_that_ends_before_it_is_confirmed_is_refused(tmp_path: Path) -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    code = "import os, sys; os.write(int(sys.argv[2]), b'ready\\n'); sys.exit('no route')"
    server = replace(_server(tmp_path, "api", code=code), confirm=never)
    with pytest.raises(Unreachable, match="no route") as refused:
        asyncio.run(_run(tmp_path, [server], _terminate, []))
    assert refused.value.reason_code == "SERVER_NOT_STARTED"


def test_a_killed_server_is_started_again(tmp_path: Path) -> None:
    said: list[str] = []

    def stop_when_back() -> None:
        until("api is back", lambda: len(_pids(tmp_path, "api")) == 2)
        _terminate()

    watcher = threading.Thread(target=stop_when_back)

    def ready() -> None:
        os.kill(_pids(tmp_path, "api")[0], signal.SIGKILL)
        watcher.start()

    asyncio.run(_run(tmp_path, [_server(tmp_path, "api")], ready, said))
    watcher.join()
    assert len(set(_pids(tmp_path, "api"))) == 2
    assert any("api was ended by SIGKILL" in line for line in said)


def test_a_server_that_never_serves_is_refused_with_its_last_words(tmp_path: Path) -> None:
    bad = _server(tmp_path, "api", code="import sys; sys.exit('no such port')")
    with pytest.raises(Unreachable) as refused:
        asyncio.run(_run(tmp_path, [bad], lambda: None, []))
    assert refused.value.reason_code == "SERVER_NOT_STARTED"
    assert "no such port" in refused.value.detail


def test_a_server_that_keeps_dying_is_given_up_with_a_reason(tmp_path: Path) -> None:
    code = "import os, sys; os.write(int(sys.argv[2]), b'ready\\n'); sys.exit(3)"
    with pytest.raises(Unreachable) as refused:
        asyncio.run(_run(tmp_path, [_server(tmp_path, "api", code=code)], lambda: None, []))
    assert refused.value.reason_code == "SERVER_KEEPS_DYING"
    assert "exit code 3" in refused.value.detail


def test_one_that_ignores_sigterm_is_killed_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = os.fork()\n"
        "open(sys.argv[1], 'a').write(f'{os.getpid()}\\n')\n"
        "if child: os.write(int(sys.argv[2]), b'ready\\n')\n"
        "signal.pause()\n"
    )
    monkeypatch.setattr("bundlegate.embedded.supervisor._GRACE_S", 0.2)
    asyncio.run(_run(tmp_path, [_server(tmp_path, "api", code=code)], _terminate, []))
    pids = _pids(tmp_path, "api")
    assert len(pids) == 2
    until("the whole session is gone", lambda: all(gone(pid) for pid in pids))


def test_servers_die_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    story = (
        "import asyncio, os, signal, sys\n"
        "from pathlib import Path\n"
        "from bundlegate.embedded.server import Server, READY_FD\n"
        "from bundlegate.embedded.supervisor import Supervisor\n"
        f"server = Server('api', (sys.executable, '-c', {SERVES!r}, sys.argv[1], READY_FD))\n"
        "kill = lambda: os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(Supervisor(Path(sys.argv[2]), [server], print).run(kill))\n"
    )

    async def play() -> int:
        supervisor = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", story, str(tmp_path / "api.pids"), str(tmp_path))
        )
        return await supervisor.wait()

    assert asyncio.run(play()) == -signal.SIGKILL
    (pid,) = _pids(tmp_path, "api")
    # The kernel sends the signal when the parent ends; it may take a moment to act.
    until("the server is gone", lambda: gone(pid))
