"""Which names a file in a bundle may have: one spelling, inside the bundle, on every system."""

import unicodedata

from bundles.errors import LimitExceeded, Refused
from bundles.limits import Limits
from bundles.reasons import reason

_RENAME = "Rename the file and pack the bundle again."

PATH_ABSOLUTE = reason("PATH_ABSOLUTE", "A path starts at the root or at a drive.", _RENAME)
PATH_TRAVERSAL = reason(
    "PATH_TRAVERSAL", "A path has a `..` segment and could leave the bundle.", _RENAME
)
PATH_MALFORMED = reason(
    "PATH_MALFORMED",
    "A path is empty, not UTF-8, or has an empty or `.` segment, a backslash or a control "
    "character.",
    _RENAME,
)
PATH_NOT_NFC = reason(
    "PATH_NOT_NFC",
    "A path is not in Unicode form NFC, so that two systems may spell it differently.",
    _RENAME,
)
PATH_TOO_LONG = reason("PATH_TOO_LONG", "A path is longer than the limit.", "Shorten the path.")
PATH_DUPLICATE = reason(
    "PATH_DUPLICATE",
    "Two entries have the same path, or one is both a file and a folder.",
    "Pack each file once.",
)
PATH_CASE_COLLISION = reason(
    "PATH_CASE_COLLISION",
    "Two paths differ in letter case alone, and are one file on some systems.",
    _RENAME,
)


def clean_path(name: str, limits: Limits) -> str:
    """The path of an entry: "/"-separated segments, relative, in NFC. A leading "./" is dropped.

    Raises:
        Refused, LimitExceeded: a PATH_* code.
    """
    shown = name[:200].encode("utf-8", "backslashreplace").decode("utf-8")
    path = name
    while path.startswith("./"):
        path = path[2:]
    if name.startswith(("/", "\\")) or (name[1:2] == ":" and name[:1].isalpha()):
        raise Refused(PATH_ABSOLUTE, "an absolute path", path=shown)
    segments = path.replace("\\", "/").split("/")
    if ".." in segments:
        raise Refused(PATH_TRAVERSAL, "a path that could leave the bundle", path=shown)
    if "\\" in path or "" in segments or "." in segments or _has_control(path):
        raise Refused(PATH_MALFORMED, "a malformed path", path=shown)
    size = len(path.encode("utf-8"))
    if size > limits.path_bytes:
        raise LimitExceeded(
            PATH_TOO_LONG,
            f"a path of {size} bytes",
            path=shown,
            seen=size,
            expected=limits.path_bytes,
        )
    if not unicodedata.is_normalized("NFC", path):
        raise Refused(PATH_NOT_NFC, "a path that is not NFC", path=shown)
    return path


def _has_control(path: str) -> bool:
    return any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in path)


class PathSet:
    """The paths of one bundle so far; refuses what would collide."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._spellings: dict[str, str] = {}

    def add_file(self, path: str) -> None:
        """Take a file.

        Raises:
            Refused: PATH_DUPLICATE or PATH_CASE_COLLISION.
        """
        if path in self._kinds:
            raise Refused(PATH_DUPLICATE, "this path appears twice", path=path)
        folder, slash, _ = path.rpartition("/")
        if slash:
            self.add_folder(folder)
        self._spell(path)
        self._kinds[path] = "file"

    def add_folder(self, path: str) -> None:
        """Take a folder, named by an entry or implied by a file in it.

        Raises:
            Refused: PATH_DUPLICATE when it is a file already, or PATH_CASE_COLLISION.
        """
        while path:
            known = self._kinds.get(path)
            if known == "folder":
                return
            if known == "file":
                raise Refused(PATH_DUPLICATE, "this path is a file and a folder", path=path)
            self._spell(path)
            self._kinds[path] = "folder"
            path = path.rpartition("/")[0]

    def _spell(self, path: str) -> None:
        folded = unicodedata.normalize("NFC", path.casefold())
        other = self._spellings.setdefault(folded, path)
        if other != path:
            raise Refused(
                PATH_CASE_COLLISION, "two paths differ in case alone", path=path, seen=other
            )
