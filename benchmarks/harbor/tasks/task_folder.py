"""Reads the tasks of a folder in Harbor's format.

Each task is a folder with `task.toml`, `instruction.md` and other parts. If a task needs an
unsupported feature, the reason is reported, and the other tasks can still be played.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import re2
from pydantic import ValidationError

from controlplane.benchmarks.containers.compose_file import (
    compose_file_in,
    read_compose_file,
)
from controlplane.benchmarks.containers.compose_service import ComposeError
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.harbor.tasks.harbor_task import NO_SERVICE, HarborTask
from controlplane.benchmarks.harbor.tasks.size_text import megabytes
from controlplane.benchmarks.harbor.tasks.task_tables import TaskFile
from controlplane.benchmarks.harbor.tasks.unsupported_features import (
    unsupported_feature,
)
from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import parse_toml
from controlplane.terminal_text import sanitize

TASK_FILE: Final = "task.toml"
TASK_NAME: Final = re2.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class TaskFileError(ValueError):
    """A task's files do not follow the format. The message names the file and key."""


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """The tasks of a folder."""

    tasks: Mapping[str, HarborTask]
    """The tasks that can be played, by id."""
    refusals: Mapping[str, str]
    """Why the other tasks cannot be played, by id."""
    digest: str
    """A hash over the files of all tasks that can be played."""


def read_tasks(root: Path) -> TaskFolder:
    """Return the tasks in a folder; only one if the folder itself is a task's.

    Raises `TaskFileError` if there is none. A task that cannot be read is among the refusals.
    """
    tasks = {}
    refusals = {}
    digest = hashlib.sha256()
    files = SetFiles.of(root)
    for folder in _task_folders(root):
        # The root may be named as `.`, but a folder in it has its own name, also if it is a link.
        task_id = files.root.name if folder == root else folder.name
        # Anybody may have written a task. A faulty one is told by name, and the others are played.
        try:
            if not TASK_NAME.fullmatch(encodable(task_id)):
                msg = "its folder is not named with letters, digits, '.', '_' and '-'"
                raise TaskFileError(msg)
            task = read_task(folder, task_id, files)
            reason = unsupported_feature(task)
            if not reason:
                digest.update(files.digest(task.folder).encode())
        except (TaskFileError, SetFileError, OSError) as error:
            reason = str(error)
        if reason:
            name = sanitize(task_id)[: bounds.MOST_NAME_CHARS]
            refusals[name] = " ".join(sanitize(reason).split())[
                : bounds.SHOWN_FAULT_CHARS
            ]
        else:
            tasks[task_id] = task
    return TaskFolder(tasks, refusals, digest.hexdigest())


def _task_folders(root: Path) -> list[Path]:
    """Return the folders with a task.toml: `root` itself, or else those directly in it.

    Raises `TaskFileError` if there is none.
    """
    if (root / TASK_FILE).is_file():
        return [root]
    if not root.is_dir():
        msg = f"{root} is not a folder"
        raise TaskFileError(msg)
    folders = sorted(path.parent for path in root.glob(f"*/{TASK_FILE}"))
    if not folders:
        msg = f"no folder in {root} has a {TASK_FILE}"
        raise TaskFileError(msg)
    return folders


def read_task(folder: Path, task_id: str, files: SetFiles | None = None) -> HarborTask:
    """Read the task in a folder. Raises `TaskFileError` that names the file and key.

    `files` is the set of tasks to which it belongs; without one, the folder is all of it.
    Raises `SetFileError` for a file that is too large, or that is a link out of the set.

    A compose file with unsupported parts raises nothing: the task notes it as its
    `compose_fault`, so that it can be listed with the reason why it cannot be played.
    """
    path = folder / TASK_FILE
    files = files or SetFiles.of(folder)
    content = files.read(path, bounds.MOST_TEXT_BYTES) or b""
    try:
        text = content.decode("utf-8")
        file = TaskFile.model_validate(parse_toml(text, refuses_nul=True))
        # New files have a number, `memory_mb = 4096`, and older ones a text, `memory = "4G"`.
        # For a text that is no size, such as `much`, `megabytes` raises `ValueError`.
        container = file.environment
        memory_mb = container.memory_mb or megabytes(container.memory)
        storage_mb = container.storage_mb or megabytes(container.storage)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in fault["loc"])
        msg = f"{path}: {key}: {fault['msg']}"
        raise TaskFileError(msg) from None
    except ValueError as error:
        msg = f"{path}: {error}"
        raise TaskFileError(msg) from error

    # An older task may describe its container in a compose file, too.
    service = NO_SERVICE
    compose_fault = ""
    real_folder = files.resolve(folder)
    compose_path = compose_file_in(real_folder / "environment", files)
    if compose_path is not None:
        try:
            service = read_compose_file(compose_path, files)
        except ComposeError as error:
            compose_fault = str(error)

    return HarborTask(
        task_id=task_id,
        folder=real_folder,
        files=files,
        instruction=_instruction_in(folder, files),
        file=file,
        memory_mb=memory_mb,
        storage_mb=storage_mb,
        service=service,
        compose_fault=compose_fault,
    )


def _instruction_in(folder: Path, files: SetFiles) -> str:
    """Return the text of instruction.md; empty if there is no such file."""
    content = files.read(folder / "instruction.md", bounds.MOST_TEXT_BYTES) or b""
    return content.decode("utf-8", "replace").strip()
