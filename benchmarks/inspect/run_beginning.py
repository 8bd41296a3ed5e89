"""What is done once for a run of an Inspect benchmark, when its first trial begins.

A benchmark is also opened only to list its tasks. Then nothing of this is done.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from controlplane import BenchmarkContext
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
)
from controlplane.benchmarks.inspect.sample_sandboxes import SampleSandboxes


class RunBeginning:
    """Tells the user what was left out, and removes containers of killed processes.

    Both wait for the first trial. Before, there is no journal for the notices, and the
    benchmark may have been opened only to list its tasks.
    """

    def __init__(
        self,
        notices: Sequence[str],
        sandboxes: SampleSandboxes,
        context: BenchmarkContext,
    ) -> None:
        self._notices = notices
        self._sandboxes = sandboxes
        self._context = context
        self._has_begun = False
        self._lock = threading.Lock()

    def begin_once(self) -> None:
        """Begin the run if this is its first trial. Other trials do not wait for it.

        Trials may call this at the same time. If containers cannot be removed, the user is told.
        """
        with self._lock:
            if self._has_begun:
                return
            self._has_begun = True

        for notice in self._notices:
            self._context.notify(notice)
        try:
            self._sandboxes.remove_abandoned()
        except ContainerError as error:
            self._context.notify(f"containers of killed processes may be left: {error}")
        except CommandInterrupted:
            # No trial begins any more. The next run removes them.
            return
