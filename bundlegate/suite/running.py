"""Running a suite from Python, on a server that is there or one that is started for it."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bundlegate.suite.arguments import calls_at_once, each_of, plain
from bundlegate.suite.server import SERVER_NOT_NAMED, Server
from bundles.errors import Invalid, Refused
from bundles.suite.judge import SuiteReport
from bundles.suite.model import Suite, load_suite
from bundles.suite.reading import SUITE_READ_FAILED, read_json
from bundles.suite.selection import select_some

AnySuite = Suite | Mapping[str, Any] | Path | str
"""A suite, its JSON (built or read), or the path of the file that holds it."""


def read_suite(path: Path | str) -> Suite:
    """The suite in a file.

    Raises:
        Refused: SUITE_READ_FAILED, what `read_json` refuses, SUITE_VALIDATION_FAILED,
            SUITE_V2_VALIDATION_FAILED.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(SUITE_READ_FAILED, f"cannot read it: {why}", path=str(path)) from error
    return load_suite(read_json(data, path=str(path)), path=str(path))


def run_suite(
    suite: AnySuite,
    *,
    url: str = "",
    command: Sequence[str] = (),
    server: Server | None = None,
    profile: str = "",
    tags: Collection[str] = (),
    skip_tags: Collection[str] = (),
    concurrency: int | None = None,
) -> SuiteReport:
    """Run a suite in a session of its own, and wait for it. See `run_suite_async`.

    Raises:
        RuntimeError: called inside an event loop, which it would block.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(
            run_suite_async(
                suite,
                url=url,
                command=command,
                server=server,
                profile=profile,
                tags=tags,
                skip_tags=skip_tags,
                concurrency=concurrency,
            )
        )
    msg = "an event loop runs here: await run_suite_async(…) instead"
    raise RuntimeError(msg)


async def run_suite_async(
    suite: AnySuite,
    *,
    url: str = "",
    command: Sequence[str] = (),
    server: Server | None = None,
    profile: str = "",
    tags: Collection[str] = (),
    skip_tags: Collection[str] = (),
    concurrency: int | None = None,
) -> SuiteReport:
    """Run a suite in a session of its own: over stdio, in a process started for it.

    Args:
        suite: what to run.
        url: a Streamable HTTP endpoint; or
        command: program and arguments of a stdio server; or
        server: either of them with what it takes besides.
        profile: the profile the server is reached under: cases for others are left out.
        tags: run only cases with one of these.
        skip_tags: leave out cases with one of these.
        concurrency: calls in flight at once, instead of what the suite says.

    Returns:
        How each case went. A failed case raises nothing: look at `verdict`, `cases`, `summary`.

    Raises:
        Invalid: SERVER_NOT_NAMED, SUITE_ARGUMENT_MISTAKEN, SUITE_NOTHING_CHOSEN, and what
            `Server.endpoint` refuses.
        Refused: the suite is not valid, or its file cannot be read.
        Unreachable: MCP_CONNECTION_FAILED. A server that is lost later is `SuiteReport.stopped`.
        Unauthorised: MCP_AUTHORIZATION_REQUIRED.
    """
    from workers.probes.suite.live import run_live

    if server is None:
        server = Server(url=url, command=command)
    elif url or command:
        raise Invalid(SERVER_NOT_NAMED, "name one server: it is given twice")
    wanted, unwanted = each_of("tags", tags), each_of("skip_tags", skip_tags)
    at_once = calls_at_once(concurrency)
    chosen = select_some(_loaded(suite), profile=profile, tags=wanted, skip_tags=unwanted)
    report = await run_live(server.endpoint(), chosen.suite, concurrency=at_once)
    return replace(report, left_out=chosen.left_out)


def _loaded(suite: AnySuite) -> Suite:
    if isinstance(suite, Path | str):
        return read_suite(suite)
    return suite if isinstance(suite, Suite) else load_suite(plain(suite))
