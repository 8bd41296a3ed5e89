"""Reads a folder of tasks: each task.toml, and the files that it names.

    loans/task.toml      the task `loans`
    loans/files/         the files that its trials see
    loans/grade.py       code that grades it, if necessary

Other files, such as journals and caches, are not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.folder_texts import FolderTexts
from controlplane.benchmarks.folder.required_end import expectation_of
from controlplane.benchmarks.folder.task_file.task_file import (
    GRADE_FILE,
    TASK_FILE,
    TaskFile,
)
from controlplane.benchmarks.folder.task_text import TaskText
from controlplane.benchmarks.folder.task_world import rules_path, world_of
from controlplane.local_benchmark.expectation import Expectation
from controlplane.sandbox.interface import bounds, error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT


@dataclass(frozen=True, slots=True)
class FolderTask:
    """One task with its world: the files that trials see. Created when the benchmark is opened."""

    task_id: str
    file: TaskFile
    files: Mapping[str, str]
    """The files of its world, by path."""
    expectation: Expectation | None
    """The answer, citations and changed files that are right, by the table `[expected]`.
    None if a trial is graded only by a rubric or a `grade.py`."""
    grader: str = ""
    """The code of its `grade.py`; empty if it has none."""


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """The tasks of a folder."""

    tasks: dict[str, FolderTask]
    """The tasks by id."""
    digest: str
    """A hash of their files. If it changes, the worlds may have changed."""

    @property
    def has_questions(self) -> bool:
        """True if one of the tasks is a question that `ask --save-task` has saved."""
        return any(task.file.question for task in self.tasks.values())

    @property
    def server_names(self) -> tuple[str, ...]:
        """The MCP servers whose tools the tasks use."""
        names: set[str] = set()
        for task in self.tasks.values():
            names.update(task.file.mcp)
        return tuple(sorted(names))


def read_folder(root: Path) -> TaskFolder:
    """Return the tasks in a folder: that of its own task.toml, or those of its subfolders.

    Raises `BenchmarkError` for an invalid task, a link, a file that is not text, or too
    many files or bytes.
    """
    if not root.is_dir():
        raise BenchmarkError(INVALID, f"{root}: there is no such folder")
    texts = FolderTexts(root)
    tasks = {}
    try:
        for place in _places_of_tasks(root):
            task = _read_task(texts, place)
            tasks[task.task_id] = task
    except OSError as error:
        raise BenchmarkError(INVALID, f"{error.filename}: {error.strerror}") from None
    return TaskFolder(tasks, texts.digest())


def _places_of_tasks(root: Path) -> list[str]:
    """Return the folders that have a task.toml, relative to the root, such as `loans/`.

    The root itself, as the folder of a single task, is the empty text.
    """
    places = []
    if (root / TASK_FILE).is_file():
        places.append("")
    for file in sorted(root.glob(f"[!.]*/{TASK_FILE}")):
        if file.is_file():
            places.append(f"{file.parent.name}/")
    if not places:
        raise BenchmarkError(INVALID, f"{root}: no folder in it holds a {TASK_FILE}")
    if "" in places and len(places) > 1:
        msg = f"{root}: it holds a {TASK_FILE} and so do folders in it; keep one or the other"
        raise BenchmarkError(INVALID, msg)
    return places


def _read_task(texts: FolderTexts, place: str) -> FolderTask:
    """Read one task and its files. Raises `BenchmarkError` and `OSError`.

    `place` is its folder, such as `loans/`, or empty if the task.toml is in the root.
    """
    task_id = _task_id(texts.root, place)
    shown_path = f"{texts.root / place / TASK_FILE}"
    _refuse_task_of_harbor(texts.root, place, shown_path)
    source = TaskText(texts.read(f"{place}{TASK_FILE}"), shown_path, place)
    parsed_file = source.parsed()
    files = world_of(texts, source, parsed_file)
    # The task may name its rules `/AGENTS.md` and the file be `/agents.md`: use the file's path.
    file = parsed_file.model_copy(
        update={"rules": rules_path(parsed_file.rules, files)}
    )
    # The folder's digest tells whether trials see other files than before. A grader does
    # not change what they see.
    grader = texts.read_without_digest(f"{place}{GRADE_FILE}") or ""
    expectation = None
    if file.expected is not None:
        expectation = expectation_of(texts, source, file, file.expected, files)
    elif not grader and not file.rubric:
        text = f"nothing says what is right: give [expected], a rubric, or a {GRADE_FILE} beside it"
        key = "expected"
        raise source.fault(key, text)
    return FolderTask(task_id, file, files, expectation, grader)


def _task_id(root: Path, place: str) -> str:
    """Return the name of a task's folder. Raises `BenchmarkError` if it cannot be a task's id."""
    task_id = place.removesuffix("/") or root.resolve().name or "task"
    if not task_id.isprintable() or len(task_id) > bounds.MOST_NAME_CHARS:
        msg = (
            f"{str(root / place)!r}: a task's folder has a name of at most "
            f"{bounds.MOST_NAME_CHARS} printable characters"
        )
        raise BenchmarkError(INVALID, msg)
    return task_id


def _refuse_task_of_harbor(root: Path, place: str, path: str) -> None:
    """Raise `BenchmarkError` for a task of the framework Harbor, whose task.toml has other keys.

    `path` is the task.toml in the message.
    """
    folder = root / place
    if (folder / "instruction.md").is_file() and (folder / "environment").is_dir():
        msg = (
            f"{path}: this is a task of Harbor, which runs in its container "
            f"(`harbor run -p {root}`); a task here has its instruction in task.toml, "
            "and its files below `files`"
        )
        raise BenchmarkError(INVALID, msg)
