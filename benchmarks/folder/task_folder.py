"""Reads a folder of tasks, once: every task.toml and the files that it names, within bounds, without links, and nothing
outside the folder. Other files beside them (journals, caches) are not read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.folder.task_file import AIDE_MODULE, TASK_FILE, Change, FolderFault, TaskFile, TaskText
from benchmarks.local.local_benchmark import Expectation
from sandbox import Aide, AideLimits, ForkServer, SandboxBroken, normal_path
from sandbox.interface import CallError

MOST_FILES: Final = 5_000
MOST_REPEATED: Final = 200
"""Worlds with the most files that the trees of all tasks may make, if they differ."""
MOST_BYTES: Final = 50_000_000
MOST_NAME_CHARS: Final = 100
LIMITS: Final = AideLimits(trial_cpu_s=10)
"""CPU seconds for reading all tasks of a folder."""
_SHOWN_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class FolderTask:
    """One task with its world."""

    task_id: str
    file: TaskFile
    files: Mapping[str, str]
    expectation: Expectation


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """All tasks of a folder by id, and a digest of all their files."""

    tasks: Mapping[str, FolderTask]
    digest: str


def read_folder(root: Path) -> TaskFolder:
    """Return the tasks of a folder: the folder itself if it holds a task.toml, else every folder in it that does.

    Raises `FolderFault` for a link, a file that is not text, more files or bytes than the bounds, and a wrong task.
    """
    if not root.is_dir():
        msg = f"{root}: there is no such folder"
        raise FolderFault(msg)
    try:
        with ForkServer((AIDE_MODULE,)) as server, Aide(server, limits=LIMITS) as aide:
            return _read_tasks(_Texts(root), aide)
    except SandboxBroken as error:
        msg = f"{root}: no process can be started to read it: {error}"
        raise FolderFault(msg) from None
    except OSError as error:
        msg = f"{error.filename}: {error.strerror}"
        raise FolderFault(msg) from None


def _read_tasks(texts: _Texts, aide: Aide) -> TaskFolder:
    root = texts.root
    places = [""] if (root / TASK_FILE).is_file() else []
    for entry in sorted(os.scandir(root), key=lambda entry: entry.name):
        if not entry.name.startswith(".") and entry.is_dir() and Path(entry.path, TASK_FILE).is_file():
            places.append(f"{entry.name}/")
    if not places:
        msg = f"{root}: no folder in it holds a {TASK_FILE}"
        raise FolderFault(msg)
    if "" in places and len(places) > 1:
        msg = f"{root}: it holds a {TASK_FILE} and so do folders in it; keep one or the other"
        raise FolderFault(msg)
    tasks = {}
    for place in places:
        task_id = place[:-1] or root.resolve().name or "task"
        if not task_id.isprintable() or len(task_id) > MOST_NAME_CHARS:
            msg = f"{str(root / place)!r}: a task's folder has a name of at most {MOST_NAME_CHARS} printable characters"
            raise FolderFault(msg)
        name = f"{place}{TASK_FILE}"
        tasks[task_id] = _task(task_id, texts, TaskText(texts.read(name), str(root / name), aide, place))
    return TaskFolder(tasks, texts.digest())


class _Texts:
    """The texts of the files below a folder, each read once, all within the bounds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[str, str] = {}
        self._bytes = 0
        self._below: dict[str, dict[str, str]] = {}
        self._worlds: dict[tuple[str, ...], dict[str, str]] = {}
        self._world_files = 0
        """Files of all worlds; tasks with the same trees share one."""
        self._plain: set[str] = set()
        """Paths of files and folders that are not links."""

    def world(self, folders: tuple[str, ...]) -> Mapping[str, str]:
        """Return the texts below folders, by path in the world; a later folder covers an earlier one."""
        if folders not in self._worlds:
            self._world_files += sum(len(self.below(folder)) for folder in folders)
            self._check_size()
            self._worlds[folders] = {path: text for folder in folders for path, text in self.below(folder).items()}
        return self._worlds[folders]

    def below(self, folder: str) -> Mapping[str, str]:
        """Return the texts below a folder, by path in a world of that folder alone."""
        if folder not in self._below:
            self._below[folder] = self._listed(folder)
        return self._below[folder]

    def _listed(self, folder: str) -> dict[str, str]:
        found = {}
        waiting = [folder] if self._is_folder(folder) else []
        while waiting:
            here = waiting.pop()
            for entry in sorted((self.root / here).iterdir()):
                name = f"{here}/{entry.name}"
                if self._is_folder(name):
                    waiting.append(name)
                else:
                    found[name.removeprefix(folder)] = self.read(name)
        return found

    def read(self, name: str) -> str:
        """Return the text of a file, named relative to the root. Raises `FolderFault` and `OSError`."""
        if name not in self._read:
            self._check(name)
            place = self.root / name
            with os.fdopen(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    msg = f"{place}: it is not a file"
                    raise FolderFault(msg)
                data = file.read(MOST_BYTES - self._bytes + 1)
            self._bytes += len(data)
            self._check_size()
            try:
                self._read[name] = data.decode()
            except UnicodeDecodeError as error:
                msg = f"{place}: it is not UTF-8 text (byte {error.start}); a task's files are texts"
                raise FolderFault(msg) from None
        return self._read[name]

    def digest(self) -> str:
        """Return a digest of the names and texts of all files that were read."""
        digest = hashlib.sha256()
        for name, text in sorted(self._read.items()):
            digest.update(f"{len(name)} {len(text)} {name}{text}".encode())
        return digest.hexdigest()[:12]

    def _is_folder(self, name: str) -> bool:
        self._check(name)
        try:
            return stat.S_ISDIR((self.root / name).lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _check(self, name: str) -> None:
        """Raise `FolderFault` for a name that a world cannot have, for a link in its path, and for too many names."""
        try:
            name.encode()
            normal_path(name)
        except (UnicodeEncodeError, CallError) as error:
            why = error.message if isinstance(error, CallError) else "it is not UTF-8"
            msg = f"{str(self.root / name)[:_SHOWN_CHARS]!r}: this name cannot be used: {why}"
            raise FolderFault(msg) from None
        parts = name.split("/")
        for place in ("/".join(parts[:count]) for count in range(1, len(parts) + 1)):
            if place not in self._plain and (self.root / place).is_symlink():
                msg = f"{self.root / place}: it is a link, and links are not followed: put the file itself there"
                raise FolderFault(msg)
            self._plain.add(place)
        self._check_size()

    def _check_size(self) -> None:
        is_repeated = self._world_files > MOST_REPEATED * MOST_FILES
        if is_repeated or len(self._plain) > MOST_FILES or self._bytes > MOST_BYTES:
            size = f"{MOST_FILES:,} files and folders, or {MOST_BYTES // 1_000_000} MB"
            msg = f"{self.root}: it holds more than {size}; split it"
            raise FolderFault(msg)


def _task(task_id: str, texts: _Texts, source: TaskText) -> FolderTask:
    file = source.parsed()
    files = _world(texts, source, file)
    if file.rules not in files:
        rules = min((path for path in files if path.casefold() == file.rules.casefold()), default=file.rules)
        file = file.model_copy(update={"rules": rules})
    changes = {change.path: _wanted(texts, source, at, change, files) for at, change in enumerate(file.expected.change)}
    expected = file.expected
    known = {*files, *changes, *(tool.path for tool in file.tool)}
    for at, path in enumerate(expected.references):
        if path not in known:
            raise source.fault(("expected", "references", at), f"{path} is not a file of the task's world")
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
            free=(*expected.free, *(f"/mcp/{name}/" for name in file.mcp)),
            changes=changes,
        ),
    )


def _world(texts: _Texts, source: TaskText, file: TaskFile) -> Mapping[str, str]:
    folders = []
    for at, tree in enumerate(file.trees):
        folder = source.inside(tree, ("trees", at))
        if folder in (".", source.place[:-1]):
            raise source.fault(("trees", at), f"{tree!r} would show {TASK_FILE}, which tells what is right")
        if not texts.below(folder) and tree != "files":
            raise source.fault(("trees", at), f"there is no file below {tree!r}")
        folders.append(folder)
    files = texts.world(tuple(folders))
    for at, tool in enumerate(file.tool):
        if tool.path in files:
            raise source.fault(("tool", at, "path"), f"{tool.path} is a file already")
    return files


def _wanted(texts: _Texts, source: TaskText, at: int, change: Change, files: Mapping[str, str]) -> str | None:
    """Return the text that a file must have in the end, None if the file must be deleted."""
    location = ("expected", "change", at)
    if change.deleted:
        if change.path not in files:
            raise source.fault((*location, "path"), f"{change.path} is not a file that could be deleted")
        return None
    if not change.file:
        return change.text or ""
    try:
        return texts.read(source.inside(change.file, (*location, "file")))
    except OSError:
        what = f"there is no file {change.file!r} beside {TASK_FILE}"
        raise source.fault((*location, "file"), what) from None
