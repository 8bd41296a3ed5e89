"""What is done once for a run of a Harbor benchmark, when its first trial begins.

A benchmark is also opened only to list its tasks. Then nothing of this is done.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from controlplane.benchmark import BenchmarkContext
from controlplane.benchmarks.containers.container_runtime import ContainerRuntime
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.runtime_limits import unenforced_limits
from controlplane.benchmarks.harbor.tasks.playable_tasks import PlayableTasks
from controlplane.benchmarks.harbor.tasks.task_notices import (
    disk_notices,
    network_notices,
)
from controlplane.benchmarks.harbor.trial_containers import TrialContainers


class RunBeginning:
    """Tells the user what tasks lack on this machine, and finds containers left earlier."""

    def __init__(self, notices: Iterator[str], containers: TrialContainers) -> None:
        """`notices` is read when the first trial begins, and each notice is told once."""
        self._notices = notices
        self._containers = containers
        self._has_begun = False
        self._lock = threading.Lock()

    def begin_once(self, context: BenchmarkContext) -> None:
        """Begin the run if this is its first trial. Other trials wait for it.

        Raises `ContainerError` if containers cannot be listed. The next trial then tries
        again: without the list, a resumed trial's container would be replaced by a new one.
        """
        with self._lock:
            if self._has_begun:
                return
            for notice in self._notices:
                context.notify(notice)
            self._containers.find_earlier()
            self._has_begun = True


def run_notices(
    playable: PlayableTasks, settings: ContainerSettings, runtime: ContainerRuntime
) -> Iterator[str]:
    """Yield what the user is told when a run begins: `not played, NAME: it needs GPUs`, ...

    The notices are about tasks, the network, and limits of containers. To find them out takes
    calls of podman or docker, so each notice is made only when it is asked for.
    """
    for line in playable.refusal_lines:
        yield f"not played, {line}"
    tasks = playable.tasks.values()
    yield from network_notices(tasks, settings)
    unenforced = ", ".join(unenforced_limits(runtime.program))
    if unenforced:
        yield f"{runtime.name} cannot limit {unenforced} of containers here"
    yield from disk_notices(tasks, settings)
