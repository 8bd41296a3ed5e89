"""Starts sandboxes for the trials of samples that need one, and removes them.

A sandbox is a container in which the tools of a sample run commands. Most samples need none:
for them, each method here does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from controlplane.benchmark import MachineFinding
from controlplane.benchmarks.inspect.playable_samples import PlayableSample
from controlplane.benchmarks.inspect.sample_containers import SampleContainers

if TYPE_CHECKING:
    from controlplane.benchmarks.inspect.trial_sandbox import TrialSandbox


class SampleSandboxes:
    """The sandboxes of a run. `start` one for each trial, and `remove` it at the trial's end."""

    def __init__(self, containers: SampleContainers | None) -> None:
        """Take what starts containers; None if no sample needs one."""
        self._containers = containers

    @property
    def machine_check(self) -> Callable[[], MachineFinding] | None:
        """What finds out for `doctor` whether containers start; None if no sample needs one."""
        return None if self._containers is None else self._containers.finding

    def start(self, playable: PlayableSample) -> TrialSandbox | None:
        """Start a trial's sandbox; return None if it needs none. Raises `BenchmarkError`."""
        if playable.service is None:
            return None
        # This module imports Inspect.
        from controlplane.benchmarks.inspect.trial_sandbox import start_sandbox

        assert self._containers is not None, "found when the samples were loaded"
        return start_sandbox(self._containers, playable.service, playable)

    def remove(self, sandbox: TrialSandbox | None) -> None:
        """Remove the sandbox of a trial that has ended."""
        if self._containers is not None and sandbox is not None:
            self._containers.remove(sandbox.container)

    def remove_abandoned(self) -> None:
        """Remove what killed processes left. Raises `ContainerError`."""
        if self._containers is not None:
            self._containers.remove_abandoned()

    def close(self) -> None:
        """Remove the sandboxes of unfinished trials."""
        if self._containers is not None:
            self._containers.close()
