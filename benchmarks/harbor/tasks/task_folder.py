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
from controlplane.benchmarks.containers.container_images import folder_digest
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
    """A hash over the files of all tasks."""


def read_tasks(root: Path) -> TaskFolder:
    """Return the tasks in a folder; only one if the folder itself is a task's.

    Raises `TaskFileError` if there is none. A task that cannot be read is among the refusals.
    """
    tasks = {}
    refusals = {}
    digest = hashlib.sha256()
    for folder in _task_folders(root):
        task_id = folder.resolve().name
        # Anybody may have written a task. A faulty one is told by name, and the others are played.
        try:
            if not TASK_NAME.fullmatch(encodable(task_id)):
                msg = "its folder is not named with letters, digits, '.', '_' and '-'"
                raise TaskFileError(msg)
            task = read_task(folder, task_id)
            reason = unsupported_feature(task)
            digest.update(folder_digest(folder).encode())
        except (TaskFileError, OSError) as error:
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


def read_task(folder: Path, task_id: str) -> HarborTask:
    """Read the task in a folder. Raises `TaskFileError` that names the file and key.

    A compose file with unsupported parts raises nothing: the task notes it as its
    `compose_fault`, so that it can be listed with the reason why it cannot be played.
    """
    path = folder / TASK_FILE
    try:
        text = path.read_text(encoding="utf-8")
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
    except (OSError, ValueError) as error:
        msg = f"{path}: {error}"
        raise TaskFileError(msg) from error

    # An older task may describe its container in a compose file, too.
    service = NO_SERVICE
    compose_fault = ""
    compose_path = compose_file_in(folder.resolve() / "environment")
    if compose_path is not None:
        try:
            service = read_compose_file(compose_path)
        except ComposeError as error:
            compose_fault = str(error)

    return HarborTask(
        task_id=task_id,
        folder=folder.resolve(),
        instruction=_instruction_in(folder),
        file=file,
        memory_mb=memory_mb,
        storage_mb=storage_mb,
        service=service,
        compose_fault=compose_fault,
    )


def _instruction_in(folder: Path) -> str:
    """Return the text of instruction.md; empty if there is no such file."""
    path = folder / "instruction.md"
    if not path.is_file():
        return ""
    return path.read_text(encoding="utf-8", errors="replace").strip()
