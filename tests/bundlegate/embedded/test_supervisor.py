"""The supervisor on small real programs: order, readiness, death, restart, and a clean end."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from bundlegate.embedded.child import READY_FD, Server
from bundlegate.embedded.supervisor import Supervisor
from bundles.errors import Unreachable
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
    tmp_path: Path, groups: list[list[Server]], when_ready: Callable[[], None], said: list[str]
) -> None:
    supervisor = Supervisor(tmp_path, groups, said.append)
    async with asyncio.timeout(30):
        await supervisor.run(when_ready)


def _terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def test_servers_serve_before_ready_is_said_and_none_is_left_afterwards(tmp_path: Path) -> None:
    groups = [
        [_server(tmp_path, "broker", announces=False)],
        [_server(tmp_path, "api"), _server(tmp_path, "worker")],
    ]
    seen: list[list[int]] = []

    def ready() -> None:
        seen.extend(_pids(tmp_path, name) for name in ("broker",))
        _terminate()

    asyncio.run(_run(tmp_path, groups, ready, []))
    pids = [pid for name in ("broker", "api", "worker") for pid in _pids(tmp_path, name)]
    assert len(pids) == 3
    assert all(gone(pid) for pid in pids)
    assert len(seen[0]) == 1


def test_a_killed_server_is_started_again(tmp_path: Path) -> None:
    said: list[str] = []

    def stop_when_back() -> None:
        until("api is back", lambda: len(_pids(tmp_path, "api")) == 2)
        _terminate()

    watcher = threading.Thread(target=stop_when_back)

    def ready() -> None:
        os.kill(_pids(tmp_path, "api")[0], signal.SIGKILL)
        watcher.start()

    asyncio.run(_run(tmp_path, [[_server(tmp_path, "api")]], ready, said))
    watcher.join()
    assert len(set(_pids(tmp_path, "api"))) == 2
    assert any("api was ended by SIGKILL" in line for line in said)


def test_a_server_that_never_serves_is_refused_with_its_last_words(tmp_path: Path) -> None:
    bad = _server(tmp_path, "api", code="import sys; sys.exit('no such port')")
    with pytest.raises(Unreachable) as refused:
        asyncio.run(_run(tmp_path, [[bad]], lambda: None, []))
    assert refused.value.reason_code == "SERVER_NOT_STARTED"
    assert "no such port" in refused.value.detail


def test_a_server_that_keeps_dying_is_given_up_with_a_reason(tmp_path: Path) -> None:
    code = "import os, sys; os.write(int(sys.argv[2]), b'ready\\n'); sys.exit(3)"
    with pytest.raises(Unreachable) as refused:
        asyncio.run(_run(tmp_path, [[_server(tmp_path, "api", code=code)]], lambda: None, []))
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
    asyncio.run(_run(tmp_path, [[_server(tmp_path, "api", code=code)]], _terminate, []))
    pids = _pids(tmp_path, "api")
    assert all(gone(pid) for pid in pids)
    assert len(pids) == 2


def test_servers_die_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    story = (
        "import asyncio, os, signal, sys\n"
        "from pathlib import Path\n"
        "from bundlegate.embedded.child import Server, READY_FD\n"
        "from bundlegate.embedded.supervisor import Supervisor\n"
        f"server = Server('api', (sys.executable, '-c', {SERVES!r}, sys.argv[1], READY_FD))\n"
        "kill = lambda: os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(Supervisor(Path(sys.argv[2]), [[server]], print).run(kill))\n"
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
