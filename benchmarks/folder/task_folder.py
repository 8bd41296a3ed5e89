"""Reads a folder of tasks: each task.toml, and the files that it names.

    loans/task.toml      the task `loans`
    loans/files/         the files that its trials see
    loans/grade.py       code that grades it, if necessary

Other files, such as journals and caches, are not read.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.folder_texts import FolderTexts
from controlplane.benchmarks.folder.task_file import (
    GRADE_FILE,
    TASK_FILE,
    Expected,
    TaskFile,
)
from controlplane.benchmarks.folder.task_text import TaskText
from controlplane.sandbox.interface import bounds, error_codes
from controlplane.sandbox.interface.outcomes import (
    GENERAL_OUTCOMES,
    PLATFORM_OUTCOMES,
    Outcome,
    Outcomes,
    names_platform_outcome,
)
from controlplane.tool_benchmark.expected_end import Expectation

# The required end of a trial, from the table `[expected]` of a task.toml.
#
# [expected]
# outcome = "OUTCOME_OK"
# references = ["/loans/l-1.json"]   # must be cited
# tolerated = ["/loans/l-2.json"]    # may be cited
# free = ["/docs/"]                  # all files in this folder may be cited
# change = [{path = "/loans/l-1.json", file = "end/l-1.json"}]   # must have that file's text


def _expectation_of(
    texts: FolderTexts,
    source: TaskText,
    file: TaskFile,
    expected: Expected,
    files: Mapping[str, str],
) -> Expectation:
    """Return the required end of a trial, in the form in which all benchmarks check it.

    `texts` reads the files that `expected` names, such as `end/l-1.json`. `source` is the text
    of the task.toml, for paths and messages; `file` is its contents; `files` are those that a
    trial sees. Raises `BenchmarkError` if `expected` names a file that is missing.
    """
    # The text that each file must have in the end; None if it must be deleted
    changes: dict[str, str | None] = {}
    for number, change in enumerate(expected.change):
        if change.deleted:
            key = f"expected.change[{number}].path"
            if change.path not in files:
                text = f"{change.path} is not a file that could be deleted"
                raise source.fault(key, text)
            changes[change.path] = None
        elif change.file:
            key = f"expected.change[{number}].file"
            try:
                name = source.path_in_folder(change.file, key)
                changes[change.path] = texts.read(name)
            except OSError:
                text = f"there is no file {change.file!r} beside {TASK_FILE}"
                raise source.fault(key, text) from None
        else:
            changes[change.path] = change.text or ""

    tool_paths = [tool.path for tool in file.tool]
    citable_paths = {*files, *changes, *tool_paths}
    for number, path in enumerate(expected.references):
        if path not in citable_paths:
            key = f"expected.references[{number}]"
            raise source.fault(key, f"{path} is not a file of the task's world")

    # Citations are graded only if task.toml has one of the keys on citations. Without them, any path
    # may be cited: below `/`. Results of an MCP server's tools can always be cited.
    keys_on_citations = {"references", "tolerated", "free"}
    grades_citations = not keys_on_citations.isdisjoint(expected.model_fields_set)
    free = list(expected.free) if grades_citations else ["/"]
    free += [f"/mcp/{server}/" for server in file.mcp]

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


# The files that a task's trials see, from the folders that its task.toml names.
#
# `trees = ["../common", "files"]` shows the files of both folders. If both have a file
# `rules.md`, trials see the one in `files`, the last folder.


def _world_of(
    texts: FolderTexts, source: TaskText, file: TaskFile
) -> Mapping[str, str]:
    """Return the texts of the files of a task's world, by path: `/docs/a.md`.

    `source` is the text of the task.toml, and `file` its contents. If several trees (folders of
    files) have the same path, the last one's file is used. Raises `BenchmarkError`.
    """
    layers = []
    folder_of_task = source.place.removesuffix("/")
    for number, tree in enumerate(file.trees):
        key = f"trees[{number}]"
        folder = source.path_in_folder(tree, key)
        # Trials must not see the task.toml, which has the right answer. It is in the
        # task's folder, and below the folder of all tasks (`.`).
        if folder in (folder_of_task, "."):
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


_INVALID: Final = error_codes.INVALID_ARGUMENT


@dataclass(frozen=True, slots=True)
class FolderTask:
    """One task with its world: the files that trials see. Created when the benchmark is opened."""

    task_id: str
    source: TaskText
    file: TaskFile
    files: Mapping[str, str]
    """The files of its world, by path."""
    rules: str
    """The path of the document with its rules; empty if it has none."""
    expectation: Expectation | None
    """The answer, citations and changed files that are right, by the table `[expected]`.
    None if a trial is graded only by a rubric or a `grade.py`."""
    grader: str = ""
    """The code of its `grade.py`; empty if it has none."""
    outcomes: Outcomes = GENERAL_OUTCOMES
    """How its trials may end."""


# The outcomes of a task: its own, or those of all tasks in the folder.
#
# [[outcomes]]
# name = "OUTCOME_DECLINED"
# kind = "refused"
# sentence = "the reader may not borrow the book"


def _common_outcomes(texts: FolderTexts, tasks: Iterable[FolderTask]) -> Outcomes:
    """Return the outcomes of all tasks that declare none.

    They are the platform's if a task.toml or a grader names one that only the platform has. So does a
    file of a world, such as its rules, unless a task expects an outcome that only the general ones have.
    """
    only_general = set(GENERAL_OUTCOMES.names) - set(PLATFORM_OUTCOMES.names)
    expects_general = False
    for task in tasks:
        for text in (task.source.text, task.grader):
            if names_platform_outcome(text):
                return PLATFORM_OUTCOMES
        expected = task.file.expected
        if expected is not None and expected.outcome in only_general:
            expects_general = True
    if texts.name_platform_outcome() and not expects_general:
        return PLATFORM_OUTCOMES
    return GENERAL_OUTCOMES


def _outcomes_of(task: FolderTask, common: Outcomes) -> Outcomes:
    """Return the outcomes of a task. `common` are those of a task that declares none.

    Raises `BenchmarkError` if those that it declares are invalid, and if it expects another one.
    """
    outcomes = common
    file = task.file
    if file.outcomes:
        try:
            declared = [Outcome(**entry.model_dump()) for entry in file.outcomes]
            outcomes = Outcomes(*declared)
        except ValueError as error:
            key = "outcomes"
            raise task.source.fault(key, str(error)) from None

    expected = file.expected.outcome if file.expected is not None else None
    if expected is not None and expected not in outcomes.names:
        text = f"{expected!r:.100} is none of {', '.join(outcomes.names)}"
        if outcomes is PLATFORM_OUTCOMES:
            text += ", which the tasks have since one of them, or its grader, names one of these"
        key = "expected.outcome"
        raise task.source.fault(key, text)
    return outcomes


@dataclass(frozen=True, slots=True)
class _TaskFolder:
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


def read_folder(root: Path) -> _TaskFolder:
    """Return the tasks in a folder: that of its own task.toml, or all that are below it.

    Raises `BenchmarkError` for an invalid task, a link, a file that is not text, or too
    many files or bytes.
    """
    if not root.is_dir():
        raise BenchmarkError(_INVALID, f"{root}: there is no such folder")
    texts = FolderTexts(root)
    tasks: dict[str, FolderTask] = {}
    try:
        for task_id, place in _places_of_tasks(root).items():
            tasks[task_id] = _read_task(texts, place, task_id)
    except OSError as error:
        raise BenchmarkError(_INVALID, f"{error.filename}: {error.strerror}") from None

    common = _common_outcomes(texts, tasks.values())
    for task_id, task in tasks.items():
        tasks[task_id] = replace(task, outcomes=_outcomes_of(task, common))
    return _TaskFolder(tasks, texts.digest())


def _places_of_tasks(root: Path) -> dict[str, str]:
    """Return the folders that have a task.toml, relative to the root, by the ids of the tasks.

    `loans/` has the id `loans`, and `easy/loans/` too. If there are both, their ids are `loans` and
    `easy.loans`. What is below a task's folder belongs to the task. The root itself, as the
    folder of a single task, is the empty text. Raises `BenchmarkError` for none, and for so many
    folders that the root is hardly one of tasks, such as `/`.
    """
    places: list[Path] = []
    unsearched = [root]
    folder_count = 0
    while unsearched:
        for path in unsearched.pop().iterdir():
            if path.name.startswith(".") or not path.is_dir():
                continue
            folder_count += 1
            if folder_count > bounds.MOST_TASK_FILES:
                msg = f"{root}: it has more than {bounds.MOST_TASK_FILES:,} folders; name that of the tasks"
                raise BenchmarkError(_INVALID, msg)
            if (path / TASK_FILE).is_file():
                places.append(path.relative_to(root))
            elif not path.is_symlink():
                unsearched.append(path)

    if (root / TASK_FILE).is_file():
        if any(len(place.parts) == 1 for place in places):
            msg = f"{root}: it holds a {TASK_FILE} and so do folders in it; keep one or the other"
            raise BenchmarkError(_INVALID, msg)
        return {_task_id(root, root.resolve().name or "task"): ""}
    if not places:
        raise BenchmarkError(_INVALID, f"{root}: no folder in it holds a {TASK_FILE}")

    count_by_name = Counter(place.name for place in places)
    places_by_id: dict[str, str] = {}
    for place in sorted(places):
        is_only = count_by_name[place.name] == 1
        task_id = _task_id(
            root / place, place.name if is_only else ".".join(place.parts)
        )
        if task_id in places_by_id:
            msg = f"{root / place}: {places_by_id[task_id]} has the id {task_id!r}, too"
            raise BenchmarkError(_INVALID, msg)
        places_by_id[task_id] = f"{place.as_posix()}/"
    return places_by_id


def _read_task(texts: FolderTexts, place: str, task_id: str) -> FolderTask:
    """Read one task with its files. Raises `BenchmarkError` and `OSError`.

    `place` is its folder, such as `loans/`, or empty if the task.toml is in the root.
    """
    shown_path = f"{texts.root / place / TASK_FILE}"
    _refuse_task_of_harbor(texts.root, place, shown_path)
    source = TaskText(texts.read(f"{place}{TASK_FILE}"), shown_path, place)
    file = source.parsed()
    files = _world_of(texts, source, file)
    # The task may name its rules `/AGENTS.md` and the file be `/agents.md`: use the file's path.
    rules = file.rules
    if rules not in files:
        same_paths = [path for path in files if path.casefold() == rules.casefold()]
        rules = min(same_paths, default="")
    # The folder's digest tells whether trials see other files than before. A grader does
    # not change what they see.
    grader = texts.read_without_digest(f"{place}{GRADE_FILE}") or ""
    expectation = None
    if file.expected is not None:
        expectation = _expectation_of(texts, source, file, file.expected, files)
    elif not grader and not file.rubric:
        text = f"nothing says what is right: give [expected], a rubric, or a {GRADE_FILE} beside it"
        key = "expected"
        raise source.fault(key, text)
    return FolderTask(task_id, source, file, files, rules, expectation, grader)


def _task_id(folder: Path, task_id: str) -> str:
    """Return the id of the task in a folder. Raises `BenchmarkError` if it cannot be a task's id."""
    if not task_id.isprintable() or len(task_id) > bounds.MOST_NAME_CHARS:
        msg = (
            f"{str(folder)!r}: a task's folder has a name of at most "
            f"{bounds.MOST_NAME_CHARS} printable characters"
        )
        raise BenchmarkError(_INVALID, msg)
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
        raise BenchmarkError(_INVALID, msg)
