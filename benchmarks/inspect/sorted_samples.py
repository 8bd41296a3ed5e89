"""Sorts the samples of an Inspect task: those that can be played on this machine, and the others.

A sample cannot be played if it needs a container and this machine has no podman or docker,
or if its container has parts that are not supported here. The user is told each reason,
with the samples that are left out for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from controlplane.benchmarks.containers.compose_service import (
    ComposeError,
    ComposeService,
)
from controlplane.benchmarks.containers.runtime_program import ContainerError
from controlplane.benchmarks.containers.set_files import SetFileError
from controlplane.benchmarks.inspect.inspect_tasks import folder_of, short_name
from controlplane.benchmarks.inspect.playable_samples import (
    ContainersOnDemand,
    PlayableSample,
)
from controlplane.benchmarks.inspect.sample_files import SampleFiles
from controlplane.benchmarks.inspect.sample_service import sandbox_of, service_of_sample

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample


MAX_NAMES_SHOWN: Final = 8
"""The most samples that a reason names. Of the others, only their number is told."""


@dataclass(frozen=True, slots=True)
class SortedSamples:
    """The samples of one task."""

    playable: Mapping[str, PlayableSample]
    """The samples that can be played, by task id: `words.1`."""
    left_out: Sequence[str]
    """A line for each reason why others cannot be played: `words.4, words.12: it needs GPUs`."""


def sort_samples(task: Task, on_demand: ContainersOnDemand) -> SortedSamples:
    """Sort a task's samples into those that can be played and those that cannot."""
    task_name = short_name(task)
    playable: dict[str, PlayableSample] = {}
    ids_by_reason: dict[str, list[str]] = {}
    files = on_demand.files_of(folder_of(task))
    for number, sample in enumerate(task.dataset, start=1):
        sample_name = number if sample.id is None else sample.id
        task_id = f"{task_name}.{sample_name}"
        try:
            service = _service_for(task, sample, on_demand, files)
        except _NotPlayable as error:
            ids_by_reason.setdefault(str(error), []).append(task_id)
        else:
            playable[task_id] = PlayableSample(task_id, task, sample, service, files)
    left_out = [_line_on(reason, ids) for reason, ids in ids_by_reason.items()]
    return SortedSamples(playable, left_out)


def _line_on(reason: str, task_ids: Sequence[str]) -> str:
    """Return the line on a reason: `words.1, words.2 and 30 more: it needs GPUs`."""
    names = ", ".join(task_ids[:MAX_NAMES_SHOWN])
    if len(task_ids) > MAX_NAMES_SHOWN:
        names += f" and {len(task_ids) - MAX_NAMES_SHOWN} more"
    return f"{names}: {reason}"


def _service_for(
    task: Task, sample: Sample, on_demand: ContainersOnDemand, files: SampleFiles
) -> ComposeService | None:
    """Return the container that a sample needs; None if it needs none. Raises `_NotPlayable`."""
    spec = sandbox_of(task, sample)
    if spec is None:
        if sample.setup is None:
            return None
        msg = "it has a setup script and no sandbox to run it in"
        raise _NotPlayable(msg)
    try:
        service = service_of_sample(spec, files)
        files.check({**(sample.files or {}), "setup": sample.setup or ""})
        on_demand.require(
            service, files
        )  # Without podman or docker, it cannot be played.
    except (ComposeError, ContainerError, SetFileError) as error:
        raise _NotPlayable(str(error)) from error
    return service


class _NotPlayable(Exception):
    """A sample cannot be played on this machine. The message is the reason."""
