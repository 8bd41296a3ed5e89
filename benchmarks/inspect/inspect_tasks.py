"""Loads tasks of Inspect by the name that the user gave.

`evals/words.py@words` is the task `words` of a file, `evals/words.py` all tasks of the
file, and `inspect_evals/agentdojo` a task of an installed package.
"""

from __future__ import annotations

import os
from contextvars import copy_context
from pathlib import Path
from subprocess import SubprocessError
from typing import TYPE_CHECKING

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.inspect.grading_model import activate_grading_model
from controlplane.sandbox.interface import error_codes

if TYPE_CHECKING:
    from inspect_ai import Task


def refusal(text: str) -> BenchmarkError:
    """Return the error for a task that cannot be played, for `raise refusal("...")`."""
    return BenchmarkError(error_codes.INVALID_ARGUMENT, text)


def load_tasks_of(
    argument: str, task_arguments: str, context: BenchmarkContext
) -> list[Task]:
    """Return the tasks that `argument` names: `evals/words.py@words`.

    `task_arguments` has the form `NAME=VALUE,NAME=VALUE`, and may be empty. Raises
    `BenchmarkError` if there is no such task.
    """
    from inspect_ai._eval.loader import load_tasks
    from inspect_ai._util.config import parse_cli_args
    from inspect_ai._util.error import PrerequisiteError

    # A task may use its grading model while it is loaded. Inspect keeps the active
    # model in context variables. They are set in a copy of the context, which is
    # used only for loading.
    loading_context = copy_context()
    loading_context.run(activate_grading_model, context)
    try:
        tasks: list[Task] = loading_context.run(
            load_tasks,
            [_with_relative_path(argument)],
            parse_cli_args(task_arguments.split(",")),
        )
    except (SubprocessError, PrerequisiteError) as error:
        msg = f"{argument}: {type(error).__name__}: {error}"
        raise refusal(msg) from error
    if not tasks:
        msg = f"{argument}: no task of Inspect is there"
        raise refusal(msg)
    return tasks


def _with_relative_path(argument: str) -> str:
    """Return a task's name with a relative path, as Inspect's loader wants it.

    From the folder `/home/ann`, `/home/ann/words.py@words` is `words.py@words`.
    """
    file_or_package, at_sign, task_name = argument.partition("@")
    if file_or_package.endswith(".py"):
        file_or_package = os.path.relpath(Path(file_or_package).expanduser())
    return f"{file_or_package}{at_sign}{task_name}"


def short_name(task: Task) -> str:
    """Return a task's name without its package: `agentdojo` for `inspect_evals/agentdojo`."""
    return str(task.name.rpartition("/")[2])


def folder_of(task: Task) -> Path:
    """Return the folder in which Inspect would run a task: that of the task's file."""
    from inspect_ai._eval.task.util import task_run_dir

    return Path(task_run_dir(task)).resolve()
