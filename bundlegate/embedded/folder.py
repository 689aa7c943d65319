"""The data folder: private, and used by one `up` at a time."""

import fcntl
import os
import stat
import threading
from pathlib import Path

from bundles.errors import Conflict, Refused
from bundles.reasons import reason

DATA_FOLDER_IN_USE = reason(
    "DATA_FOLDER_IN_USE",
    "Another `bundlegate up` uses this data folder.",
    "stop the other one, or give this one a folder of its own with --data-dir",
)
DATA_FOLDER_UNUSABLE = reason(
    "DATA_FOLDER_UNUSABLE",
    "The data folder cannot be made, or belongs to somebody else.",
    "name a folder that this user owns with --data-dir",
)

_SETTLE_S = 5.0
"""How long processes of an `up` that was killed may take to be gone."""


def private_folder(path: Path) -> None:
    """Make a folder that this user alone may enter, or close one of this user's to others.

    Raises:
        Refused: DATA_FOLDER_UNUSABLE: it cannot be made, is no folder, or is somebody else's.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise Refused(
                DATA_FOLDER_UNUSABLE, f"{path} is not a folder of this user", path=str(path)
            )
        path.chmod(0o700)
    except OSError as error:
        raise Refused(
            DATA_FOLDER_UNUSABLE, f"{path}: {error.strerror or error}", path=str(path)
        ) from error


def take(folder: Path) -> int:
    """Take a data folder for this process and its children; the descriptor returned is the claim.

    The kernel drops the claim when the last process that holds the descriptor is gone, so passing
    it to every child means that a claim taken after a kill -9 finds no survivor at work.

    Raises:
        Conflict: DATA_FOLDER_IN_USE.
    """
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _locked(lock):
            _wait_for_the_dying(lock, folder)
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode("ascii"), 0)
    except BaseException:
        os.close(lock)
        raise
    return lock


def _wait_for_the_dying(lock: int, folder: Path) -> None:
    holder = os.pread(lock, 20, 0).decode("ascii", errors="replace").strip()
    if _alive(holder) or not _locked_within(lock, _SETTLE_S):
        raise Conflict(
            DATA_FOLDER_IN_USE,
            f"{folder} is in use by process {holder or 'unknown'}",
            path=str(folder),
            seen=holder,
        )


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _locked_within(lock: int, seconds: float) -> bool:
    """Wait for the lock on a thread, since flock itself knows no timeout."""
    waiter = threading.Thread(target=fcntl.flock, args=(lock, fcntl.LOCK_EX), daemon=True)
    waiter.start()
    waiter.join(seconds)
    return not waiter.is_alive()


def _alive(pid: str) -> bool:
    return pid.isdigit() and Path("/proc", pid).exists()
