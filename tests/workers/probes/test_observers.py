"""The files observer sees every kind of change below a folder, or says why it could not look."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from workers.probes import observers
from workers.probes.observers import look, observed


def files(folder: Path) -> object:
    return asyncio.run(look({"files": folder}))["files"]


def test_a_look_names_files_folders_and_links(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.txt").write_bytes(b"hello")
    (tmp_path / "a").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    hello = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert files(tmp_path) == {
        "a": "link:/etc/passwd",
        "b": "folder",
        "b/c.txt": hello,
        "pipe": "special",
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "new").write_text("x"),
        lambda folder: (folder / "new").mkdir(),
        lambda folder: (folder / "old").unlink(),
        lambda folder: (folder / "old").write_text("two"),
        lambda folder: (folder / "old").rename(folder / "moved"),
        lambda folder: (folder / "link").symlink_to("old"),
    ],
)
def test_any_change_is_seen(tmp_path: Path, change: Callable[[Path], object]) -> None:
    (tmp_path / "old").write_text("one")
    before = asyncio.run(look({"files": tmp_path}))
    change(tmp_path)
    joined = observed(before, asyncio.run(look({"files": tmp_path})))
    assert joined["files"]["before"] != joined["files"]["after"]


def test_a_folder_replaced_by_a_link_to_its_copy_is_a_change(tmp_path: Path) -> None:
    watched, copy = tmp_path / "watched", tmp_path / "copy"
    for folder in (watched, copy):
        folder.mkdir()
        (folder / "a").write_text("same")
    before = files(watched)
    watched.rename(tmp_path / "old")
    watched.symlink_to(copy)
    assert files(watched) != before


def test_a_pipe_put_in_the_place_of_a_file_holds_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("plain")
    plain = (tmp_path / "a").lstat()
    (tmp_path / "a").unlink()
    os.mkfifo(tmp_path / "a")
    monkeypatch.setattr(Path, "lstat", lambda _: plain)
    assert files(tmp_path) == "a file was replaced while it was looked at"


def test_names_that_are_no_text_can_be_stored(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")).write_text("x")
    seen = files(tmp_path)
    assert isinstance(seen, dict)
    assert list(seen) == ["\\xff"]


def test_a_folder_that_is_not_there_is_a_failure_not_an_empty_folder(tmp_path: Path) -> None:
    before = asyncio.run(look({"files": tmp_path / "missing"}))
    assert observed(before, before) == {"files": {"failed": "No such file or directory"}}


def test_too_much_to_look_at_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("12345")
    (tmp_path / "b").write_text("12345")
    monkeypatch.setattr(observers, "MAX_BYTES", 9)
    assert files(tmp_path) == "more than 9 bytes"
    monkeypatch.setattr(observers, "MAX_ENTRIES", 1)
    assert files(tmp_path) == "more than 1 files and folders"
