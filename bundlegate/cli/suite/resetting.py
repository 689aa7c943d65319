"""`--reset-cmd`: putting back what a server changed outside itself, before a suite is run."""

import shlex
import subprocess
from tempfile import TemporaryFile
from typing import IO

from bundlegate.cli.output import say
from bundles.errors import Refused
from bundles.reasons import reason

TIMEOUT_S = 60

RESET_COMMAND_FAILED = reason(
    "RESET_COMMAND_FAILED",
    "The command that puts the server's state back did not succeed.",
    "run the command by hand; it is split like a shell's words but no shell runs it",
)

_SHOWN_STDERR = 500


def reset(command: str) -> None:
    """Run a command to its end, within a minute; "" runs nothing.

    Raises:
        Refused: RESET_COMMAND_FAILED, with its exit code and the end of its stderr.
    """
    if not command:
        return
    say(f"reset: {command}")
    # its words go to a file: what it starts and leaves running may hold a pipe open for ever
    with TemporaryFile() as words:
        code = _exit_code(command, words)
        if code != 0:
            words.seek(0)
            tail = words.read().decode("utf-8", "backslashreplace")[-_SHOWN_STDERR:].strip()
            why = f"it ended with exit code {code}" + (f": {tail}" if tail else "")
            raise Refused(RESET_COMMAND_FAILED, why, seen=command, expected="exit code 0")


def _exit_code(command: str, stderr: IO[bytes]) -> int:
    try:
        return subprocess.run(  # noqa: S603 - the person at the terminal asks for it
            shlex.split(command),
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            timeout=TIMEOUT_S,
        ).returncode
    except ValueError as error:  # a quote that is not closed, a NUL
        raise Refused(RESET_COMMAND_FAILED, f"not a command line: {error}", seen=command) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(RESET_COMMAND_FAILED, f"cannot run it: {why}", seen=command) from error
    except subprocess.TimeoutExpired as error:
        why = f"it did not end within {TIMEOUT_S} s"
        raise Refused(RESET_COMMAND_FAILED, why, seen=command) from error
