"""Loads tasks of Inspect by the name that the user gave.

`evals/words.py@words` is the task `words` of a file, `evals/words.py` all tasks of the
file, and `inspect_evals/agentdojo` a task of an installed package.
"""

from __future__ import annotations

import os
from contextvars import copy_context
from pathlib import Path
from subprocess import SubprocessError
from typing import TYPE_CHECKING, Any

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.agent.model import Message
from controlplane.sandbox.interface import error_codes

if TYPE_CHECKING:
    from inspect_ai import Task

# Lets the scorers and tools of Inspect ask the run's model for the role `grade`.
#
# Inspect has a model of its own for that. It is replaced by one that passes each request
# on to ours, so that the run's settings, limits and journal hold for it.


def activate_grading_model(context: BenchmarkContext) -> None:
    """Make the run's model for the role `grade` the active model of Inspect.

    Inspect also uses it for its own role `grader`. It keeps its active model in context
    variables (`contextvars`), so this is for the current context only.
    """
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.model._generate_config import GenerateConfig
    from inspect_ai.model._model import init_active_model, init_model_roles

    grader = context.model("grade")

    def reply_to(inspect_messages: Any, *_: Any) -> ModelOutput:
        """Return the reply of the run's model in the form of Inspect."""
        messages = []
        for message in inspect_messages:
            messages.append(Message(role=message.role, content=message.text))
        reply = grader.complete(messages)
        output = ModelOutput.from_content(grader.name, reply.text)
        # The run's journal records the tokens that were used, so Inspect counts none.
        output.usage = ModelUsage()
        return output

    inspect_model = get_model(
        "mockllm/controlplane", custom_outputs=reply_to, memoize=False
    )
    init_active_model(inspect_model, GenerateConfig())
    init_model_roles({"grader": inspect_model})


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
