"""Reads a folder of tasks, once and whole: within bounds, without links, and nothing from outside of it."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.folder.task_file import TASK_FILE, Change, FolderFault, TaskFile, fault_at, parse_task
from benchmarks.local.end_state_grader import Expectation
from sandbox import normal_path
from sandbox.interface import CallError

MOST_FILES: Final = 5_000
MOST_BYTES: Final = 50_000_000
TASK_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class FolderTask:
    """One task with its world."""

    task_id: str
    file: TaskFile
    files: Mapping[str, str]
    """The world's files by path."""
    expectation: Expectation


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """All tasks of a folder by id, and a digest of everything in it."""

    tasks: Mapping[str, FolderTask]
    digest: str


def read_folder(root: Path) -> TaskFolder:
    """Return the tasks of a folder: itself if it holds a task.toml, else every folder in it that does.

    Raises `FolderFault` for a link, a file that is no text, more files or bytes than the bounds, and a wrong task.
    """
    if not root.is_dir():
        msg = f"{root}: there is no such folder"
        raise FolderFault(msg)
    try:
        texts = dict(sorted(_texts(root)))
    except OSError as error:
        msg = f"{error.filename}: {error.strerror}"
        raise FolderFault(msg) from None
    split = (each.rpartition("/") for each in texts)
    places = [folder + slash for folder, slash, name in split if name == TASK_FILE and "/" not in folder]
    if not places:
        msg = f"{root}: no folder in it holds a {TASK_FILE}"
        raise FolderFault(msg)
    if "" in places and len(places) > 1:
        msg = f"{root}: it holds a {TASK_FILE} and so do folders in it; keep one or the other"
        raise FolderFault(msg)
    digest = hashlib.sha256()
    for name, text in texts.items():
        digest.update(f"{len(name)} {len(text)} {name}{text}".encode())
    tasks = {(each[:-1] or _id_of(root)): each for each in places}
    found = {task_id: _task(task_id, _Source(root, each, texts)) for task_id, each in tasks.items()}
    return TaskFolder(found, digest.hexdigest()[:12])


def _id_of(root: Path) -> str:
    """Return a task's id from the name of its folder."""
    return re.sub(r"[^a-z0-9._-]+", "-", root.resolve().name.lower()).strip("-._") or "task"


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yield path, seen from `root`, and text of every file. Hidden files of the folder itself are none of it."""
    waiting = [each for each in _entries(root) if not each.name.startswith(".")]
    count = size = 0
    while waiting:
        place = waiting.pop()
        mode = place.lstat().st_mode
        if stat.S_ISDIR(mode):
            waiting += _entries(place)
            continue
        if not stat.S_ISREG(mode):
            kind = "a link, and links are not followed: put the file itself there" if stat.S_ISLNK(mode) else "no file"
            msg = f"{place}: it is {kind}"
            raise FolderFault(msg)
        count, size = count + 1, size + place.stat().st_size
        if count > MOST_FILES or size > MOST_BYTES:
            msg = f"{root}: it holds more than {MOST_FILES:,} files or {MOST_BYTES // 1_000_000} MB; split it"
            raise FolderFault(msg)
        yield _name(place, root), _text(place)


def _entries(folder: Path) -> list[Path]:
    return [Path(each.path) for each in os.scandir(folder)]


def _name(place: Path, root: Path) -> str:
    name = place.relative_to(root).as_posix()
    try:
        name.encode()
        normal_path(name)
    except (UnicodeEncodeError, CallError) as error:
        why = error.message if isinstance(error, CallError) else "it is not UTF-8"
        msg = f"{str(place)!r}: this name cannot be used: {why}"
        raise FolderFault(msg) from None
    return name


def _text(place: Path) -> str:
    try:
        return place.read_bytes().decode()
    except UnicodeDecodeError as error:
        msg = f"{place}: it is no UTF-8 text (byte {error.start}); a task's files are texts"
        raise FolderFault(msg) from None


@dataclass(frozen=True, slots=True)
class _Source:
    """A task.toml within its folder."""

    root: Path
    place: str
    """The folder that holds it, seen from the root, with a slash at its end; empty for the root."""
    texts: Mapping[str, str]

    @property
    def name(self) -> str:
        return f"{self.place}{TASK_FILE}"

    @property
    def shown_name(self) -> str:
        return str(self.root / self.name)

    def fault(self, location: tuple[str | int, ...], what: str) -> FolderFault:
        return fault_at(self.shown_name, self.texts[self.name], location, what)

    def inside(self, path: str, location: tuple[str | int, ...]) -> str:
        """Return a path of the task.toml as seen from the root. Raises `FolderFault` for one that leads out."""
        found = os.path.normpath(f"{self.place}{path}")
        if path.startswith("/") or found == ".." or found.startswith("../"):
            raise self.fault(location, f"{path!r} leads out of the folder")
        return found


def _task(task_id: str, source: _Source) -> FolderTask:
    if not TASK_NAME.fullmatch(task_id):
        msg = (
            f"{source.root / source.place}: a task's folder is named with a-z, 0-9, dots and dashes, at most 64 of them"
        )
        raise FolderFault(msg)
    file = parse_task(source.texts[source.name], source.shown_name)
    files = _world(source, file)
    changes = {each.path: _wanted(source, at, each, files) for at, each in enumerate(file.expected.change)}
    expected = file.expected
    known = {*files, *changes, *(each.path for each in file.tool)}
    for at, path in enumerate(expected.references):
        if path not in known:
            raise source.fault(("expected", "references", at), f"{path} is no file of the task's world")
    if expected.rows and expected.rows.file not in files:
        raise source.fault(("expected", "rows", "file"), f"{expected.rows.file} is no file of the task's world")
    return FolderTask(
        task_id,
        file,
        files,
        Expectation(
            outcome=expected.outcome,
            message=expected.answer,
            tokens=expected.contains,
            forbidden=expected.lacks,
            references=frozenset(expected.references),
            tolerated=frozenset(expected.tolerated),
            free=expected.free,
            changes=changes,
        ),
    )


def _world(source: _Source, file: TaskFile) -> Mapping[str, str]:
    layers: list[dict[str, str]] = []
    for at, tree in enumerate(file.trees):
        root = source.inside(tree, ("trees", at)) + "/"
        found = {f"/{name.removeprefix(root)}": text for name, text in source.texts.items() if name.startswith(root)}
        if not found and tree != "files":
            raise source.fault(("trees", at), f"there is no file below {tree!r}")
        layers.insert(0, found)
    files = dict(ChainMap(*layers))
    for at, tool in enumerate(file.tool):
        if tool.path in files:
            raise source.fault(("tool", at, "path"), f"{tool.path} is a file already")
    return files


def _wanted(source: _Source, at: int, change: Change, files: Mapping[str, str]) -> str | None:
    """Return the text that a file must have in the end, None if it must be gone."""
    location = ("expected", "change", at)
    if change.deleted:
        if change.path not in files:
            raise source.fault((*location, "path"), f"{change.path} is no file that could be deleted")
        return None
    if not change.file:
        return change.text or ""
    name = source.inside(change.file, (*location, "file"))
    if name not in source.texts:
        raise source.fault((*location, "file"), f"there is no file {change.file!r} beside {TASK_FILE}")
    return source.texts[name]
