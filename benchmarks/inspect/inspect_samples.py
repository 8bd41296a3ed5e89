"""Loads tasks of Inspect, and finds out which of their samples can be played on this machine."""

from __future__ import annotations

import os
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from subprocess import SubprocessError
from typing import TYPE_CHECKING, Final

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.containers.compose_file import ComposeError, ComposeService
from controlplane.benchmarks.containers.container_runtime import (
    ContainerError,
    find_runtime,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.inspect.grading_model import activate_grading_model
from controlplane.sandbox.interface import error_codes

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.util._sandbox.environment import SandboxEnvironmentSpec

    from controlplane.benchmarks.inspect.sample_container import SampleContainers

MAX_NAMES_SHOWN: Final = 8


def refusal(text: str) -> BenchmarkError:
    """Return the error for a task that cannot be played."""
    return BenchmarkError(error_codes.INVALID_ARGUMENT, text)


class _NotPlayable(Exception):
    """A sample cannot be played on this machine. The message is the reason."""


@dataclass(frozen=True, slots=True)
class PlayableSample:
    """A sample and its task."""

    task: Task
    sample: Sample
    service: ComposeService | None
    """The container that it needs; None if it needs none."""

    @property
    def wants_network(self) -> bool:
        """True if its container should have a network."""
        return self.service is not None and self.service.has_network


class SampleLoader:
    """The samples that can be played on this machine. Created once, to open a benchmark."""

    def __init__(
        self, container_settings: ContainerSettings, context: BenchmarkContext
    ) -> None:
        self.samples: dict[str, PlayableSample] = {}
        """The samples by their task ids, `TASK.SAMPLE`."""
        self.containers: SampleContainers | None = None
        """Starts the containers of samples. None until a sample needs one.

        Stays None if this machine can start none.
        """
        self._container_settings = container_settings
        self._context = context

    def add_samples(self, task: Task) -> dict[str, list[str]]:
        """Add the samples of a task. Return the ids of those that cannot be played, by reason."""
        task_name = short_name(task)
        left_out: dict[str, list[str]] = {}
        for number, sample in enumerate(task.dataset, start=1):
            sample_name = number if sample.id is None else sample.id
            task_id = f"{task_name}.{sample_name}"
            try:
                service = self._service_for(task, sample)
            except _NotPlayable as error:
                left_out.setdefault(str(error), []).append(task_id)
            else:
                self.samples[task_id] = PlayableSample(task, sample, service)
        return left_out

    def _service_for(self, task: Task, sample: Sample) -> ComposeService | None:
        """Return the description of the container that a sample needs; None if it needs none.

        The first sample with one also looks up this machine's container runtime, such as
        Docker. Raises `_NotPlayable`.
        """
        spec = sandbox_of(task, sample)
        if spec is None:
            if sample.setup is None:
                return None
            msg = "it has a setup script and no sandbox to run it in"
            raise _NotPlayable(msg)
        from controlplane.benchmarks.inspect.sample_container import (
            SampleContainers,
            service_of_sample,
        )

        try:
            service = service_of_sample(spec, folder_of(task))
            if self.containers is None:
                runtime = find_runtime(
                    self._container_settings.runtime, os.environ, self._context.stop
                )
                self.containers = SampleContainers(runtime, self._container_settings)
        except (ComposeError, ContainerError) as error:
            raise _NotPlayable(str(error)) from error
        return service


def load_tasks_of(
    argument: str, task_arguments: str, context: BenchmarkContext
) -> list[Task]:
    """Return the tasks that `FILE.py@TASK` or `PACKAGE/TASK` names.

    `task_arguments` has the form `NAME=VALUE,NAME=VALUE`. Raises `BenchmarkError` if
    there is no such task.
    """
    from inspect_ai._eval.loader import load_tasks
    from inspect_ai._util.config import parse_cli_args
    from inspect_ai._util.error import PrerequisiteError

    file_or_package, at_sign, task_name = argument.partition("@")
    if file_or_package.endswith(".py"):
        # Inspect's loader accepts only relative paths.
        file_or_package = os.path.relpath(Path(file_or_package).expanduser())
    task_file = f"{file_or_package}{at_sign}{task_name}"
    parsed_arguments = parse_cli_args(task_arguments.split(","))

    # A task may use its grading model while it is loaded. Inspect keeps the active
    # model in context variables. They are set in a copy of the context, which is
    # used only for loading.
    loading_context = copy_context()
    loading_context.run(activate_grading_model, context)
    try:
        tasks: list[Task] = loading_context.run(
            load_tasks, [task_file], parsed_arguments
        )
    except (SubprocessError, PrerequisiteError) as error:
        msg = f"{argument}: {type(error).__name__}: {error}"
        raise refusal(msg) from error
    if not tasks:
        msg = f"{argument}: no task of Inspect is there"
        raise refusal(msg)
    return tasks


def short_name(task: Task) -> str:
    """Return a task's name without its package: `agentdojo` for `inspect_evals/agentdojo`."""
    return str(task.name.rpartition("/")[2])


def names_of(task_ids: list[str]) -> str:
    """Return ids as a text, of which the first ones are named: `a.1, a.2 and 30 more`."""
    names = ", ".join(task_ids[:MAX_NAMES_SHOWN])
    if len(task_ids) > MAX_NAMES_SHOWN:
        names += f" and {len(task_ids) - MAX_NAMES_SHOWN} more"
    return names


def sandbox_of(task: Task, sample: Sample) -> SandboxEnvironmentSpec | None:
    """Return a sample's sandbox; None if it needs none.

    If both the task and the sample have one, the sample's is used only if it has the
    task's type and a configuration of its own. This is Inspect's rule.
    """
    if task.sandbox is None:
        return sample.sandbox
    if sample.sandbox is None:
        return task.sandbox
    is_of_same_type = sample.sandbox.type == task.sandbox.type
    if is_of_same_type and sample.sandbox.config is not None:
        return sample.sandbox
    return task.sandbox


def folder_of(task: Task) -> Path:
    """Return the folder in which Inspect would run a task: that of the task's file."""
    from inspect_ai._eval.task.util import task_run_dir

    return Path(task_run_dir(task)).resolve()
