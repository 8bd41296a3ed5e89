"""Read a folder of tasks once: each task.toml and the files that it names.

Other files, such as journals and caches, are not read.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.folder_texts import FolderTexts
from controlplane.benchmarks.folder.task_file import (
    GRADE_FILE,
    TASK_FILE,
    Change,
    Expected,
    TaskFile,
)
from controlplane.benchmarks.folder.task_text import TaskText
from controlplane.local_benchmark.expected_end import Expectation
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
    """The required end of a trial; None if only the task's own graders decide."""
    grader: str = ""
    """The code of its `grade.py`; empty if it has none."""


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """The tasks of a folder."""

    tasks: dict[str, FolderTask]
    """The tasks by id."""
    digest: str
    """A hash of their files. If it changes, the worlds may have changed."""


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
    """Read one task and its world. Raises `BenchmarkError` and `OSError`."""
    task_id = _task_id(texts.root, place)
    shown_path = f"{texts.root / place / TASK_FILE}"
    _refuse_task_of_harbor(texts.root, place, shown_path)
    source = TaskText(texts.read(f"{place}{TASK_FILE}"), shown_path, place)
    parsed_file = source.parsed()
    files = _world_of(texts, source, parsed_file)
    # The task may name its rules `/AGENTS.md` and the file be `/agents.md`: use the file's path.
    file = parsed_file.model_copy(
        update={"rules": _rules_path(parsed_file.rules, files)}
    )
    grader = texts.read_without_digest(f"{place}{GRADE_FILE}") or ""
    expectation = None
    if file.expected is not None:
        expectation = _expectation(texts, source, file, file.expected, files)
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
    """Raise `BenchmarkError` for a task of Harbor, whose task.toml has other keys."""
    folder = root / place
    if (folder / "instruction.md").is_file() and (folder / "environment").is_dir():
        msg = (
            f"{path}: this is a task of Harbor, which runs in its container "
            f"(`harbor run -p {root}`); a task here has its instruction in task.toml, "
            "and its files below `files`"
        )
        raise BenchmarkError(INVALID, msg)


# The world --------------------------------------------------------------------------------------


def _world_of(
    texts: FolderTexts, source: TaskText, file: TaskFile
) -> Mapping[str, str]:
    """Return the files of a task's world, by path.

    If several trees (folders of files) have the same path, the last one's file is used.
    """
    layers: list[dict[str, str]] = []
    for number, tree in enumerate(file.trees):
        key = f"trees[{number}]"
        folder = source.path_in_folder(tree, key)
        folder_of_task = source.place.removesuffix("/")
        if folder in (folder_of_task, "."):  # `.` is the folder of all tasks.
            text = f"{tree!r} would show {TASK_FILE}, which tells what is right"
            raise source.fault(key, text)
        layer = texts.world_of(folder)
        may_be_missing = tree == "files"  # the default
        if not layer and not may_be_missing:
            raise source.fault(key, f"there is no file below {tree!r}")
        layers.append(layer)
    # A `ChainMap` takes a file from the first map that has it, so the last tree is first.
    files = ChainMap(*reversed(layers))
    for number, tool in enumerate(file.tool):
        if tool.path in files:
            key = f"tool[{number}].path"
            raise source.fault(key, f"{tool.path} is a file already")
    return files


def _rules_path(rules: str, files: Mapping[str, str]) -> str:
    """Return the path of the rules document as the files spell it, ignoring case."""
    if rules in files:
        return rules
    same_paths = [path for path in files if path.casefold() == rules.casefold()]
    return min(same_paths, default=rules)


# The required end -------------------------------------------------------------------------------


def _expectation(
    texts: FolderTexts,
    source: TaskText,
    file: TaskFile,
    expected: Expected,
    files: Mapping[str, str],
) -> Expectation:
    """Return the required end of a trial. Raises `BenchmarkError`."""
    changes = {}
    for number, change in enumerate(expected.change):
        changes[change.path] = _wanted_text(texts, source, number, change, files)

    tool_paths = [tool.path for tool in file.tool]
    citable_paths = {*files, *changes, *tool_paths}
    for number, path in enumerate(expected.references):
        if path not in citable_paths:
            key = f"expected.references[{number}]"
            raise source.fault(key, f"{path} is not a file of the task's world")

    # Citations are graded only if task.toml has one of these keys. Otherwise any path
    # may be cited.
    keys_on_citations = {"references", "tolerated", "free"}
    grades_citations = not keys_on_citations.isdisjoint(expected.model_fields_set)
    free = list(expected.free) if grades_citations else ["/"]
    for server in file.mcp:
        free.append(f"/mcp/{server}/")

    return Expectation(
        outcome=expected.outcome,
        message=expected.answer,
        tokens=expected.contains,
        forbidden=expected.lacks,
        references=frozenset(expected.references),
        tolerated=frozenset(expected.tolerated),
        free=tuple(free),
        changes=changes,
    )


def _wanted_text(
    texts: FolderTexts,
    source: TaskText,
    number: int,
    change: Change,
    files: Mapping[str, str],
) -> str | None:
    """Return the text that a file must have in the end; None if it must be deleted."""
    if change.deleted:
        if change.path not in files:
            text = f"{change.path} is not a file that could be deleted"
            path_key = f"expected.change[{number}].path"
            raise source.fault(path_key, text)
        return None
    if not change.file:
        return change.text or ""
    file_key = f"expected.change[{number}].file"
    try:
        return texts.read(source.path_in_folder(change.file, file_key))
    except OSError:
        text = f"there is no file {change.file!r} beside {TASK_FILE}"
        raise source.fault(file_key, text) from None
