"""The reference MCP server as a process: `python -m tests.servers.reference`.

Over stdio it serves one client. Over HTTP it serves the fault of its command line at `/mcp`, and
every fault at `/faults/<fault>/mcp`, each with a state of its own; the port is printed to stdout.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.servers import streams
from tests.servers.answers import DIED, Answers, Death
from tests.servers.envelope import encoded
from tests.servers.faults import FAULTS
from tests.servers.meta import unasked


def over_stdio(answers: Answers, *, slow: bool = False) -> None:
    """One message a line, until stdin ends."""
    if answers.fault in streams.OPENING_NOISE:
        print(streams.OPENING_NOISE[answers.fault], flush=True)
    for line in streams.lines(answers.fault, slow=slow):
        if answers.fault == "stdout-noise-in-calls" and b'"tools/call"' in line:
            print("calling a tool", flush=True)
        try:
            _, answer = answers.to_bytes(line)
        except Death:
            sys.exit(DIED)
        if answer is not None and (notice := unasked(answers.fault)):
            sys.stdout.buffer.write(json.dumps(notice).encode() + b"\n")
        if chatter := streams.noise(answers.fault, line):
            sys.stdout.buffer.write(chatter.encode() + b"\n")
        reply = streams.reply(answers.fault, line, answer)
        messages = (answer,) if reply is None else reply.messages
        for message in messages if answer is not None else ():
            sys.stdout.buffer.write(encoded(answers.fault, message) + b"\n")
        sys.stdout.buffer.flush()
    streams.linger(answers.fault)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", choices=["", *FAULTS], default="")
    parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where tools write; a temporary one if absent")
    parser.add_argument("--walks", type=Path, help="file that counts list walks over processes")
    parser.add_argument("--slow", action="store_true", help="forecasts take a while (stdio)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if options.transport == "stdio":
            over_stdio(Answers(options.fault, folder, options.walks), slow=options.slow)
            return
        # stdio processes are started by the hundred and need none of this
        from tests.servers.over_http import HttpServer  # noqa: PLC0415

        server = HttpServer(options.port, options.fault, folder)
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
