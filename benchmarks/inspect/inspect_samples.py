"""Loads the samples that an Inspect benchmark plays, those of one task or of several.

A sample of Inspect is one question with its right answer. Samples that cannot be played on
this machine are left out, and the user is told why.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from controlplane import BenchmarkContext
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.inspect.inspect_tasks import (
    load_tasks_of,
    refusal,
    short_name,
)
from controlplane.benchmarks.inspect.playable_samples import (
    ContainersOnDemand,
    PlayableSample,
)
from controlplane.benchmarks.inspect.sample_containers import SampleContainers
from controlplane.benchmarks.inspect.sorted_samples import sort_samples


@dataclass(frozen=True, slots=True)
class LoadedSamples:
    """The samples of a benchmark."""

    playable: Mapping[str, PlayableSample]
    """The samples that can be played here, by task id."""
    notices: Sequence[str]
    """Tell the user which samples are left out, and whether some will miss a network."""
    containers: SampleContainers | None
    """Starts the containers of samples; None if no playable sample needs one."""


def load_samples(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> LoadedSamples:
    """Load the samples of the tasks that `argument` names: `evals/words.py@words`.

    `settings` are the user's `--set` options. Raises `BenchmarkError` if there is no such
    task, if a task has no scorer, or if no sample can be played; with the option
    `strict=yes`, even if only one sample cannot be played.
    """
    container_settings = ContainerSettings.parse(settings, os.environ)
    further_folder = None
    if settings.get("files"):
        further_folder = Path(settings["files"]).expanduser()
    on_demand = ContainersOnDemand(container_settings, context, further_folder)
    playable: dict[str, PlayableSample] = {}
    notices: list[str] = []
    for task in load_tasks_of(argument, settings.get("args", ""), context):
        if not task.scorer:
            msg = f"{argument}: {short_name(task)} has no scorer"
            raise refusal(msg)
        samples = sort_samples(task, on_demand)
        playable |= samples.playable
        for names_and_reason in samples.left_out:
            if settings.get("strict") == "yes":
                raise refusal(names_and_reason)
            notices.append(
                f"left out: {names_and_reason} (--set strict=yes refuses the task instead)"
            )
    if not playable:
        task_name = argument.partition("@")[2]
        reasons = "; ".join(notices)
        msg = f"{argument}: no sample of {task_name} can be played: {reasons}"
        raise refusal(msg)

    network_count = sum(sample.wants_network for sample in playable.values())
    if network_count and not container_settings.agent_network:
        notices.append(
            f"the network is off, and {network_count} samples want one: "
            "--set network=task allows it"
        )
    return LoadedSamples(playable, notices, on_demand.containers)
