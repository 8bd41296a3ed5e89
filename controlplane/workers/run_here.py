"""A run in the process of a cluster's worker, which plays trials of the run.

The run's own process may be on another machine. It alone writes the journal, so the
worker sends it every event of a trial, and every notice and error.
"""

from __future__ import annotations

import os
from typing import Final
from weakref import WeakValueDictionary, finalize

from controlplane.agent.events import build_models
from controlplane.agent.limits.spending import Spending
from controlplane.agent.retry.run_budget import RetryBudget, RunBudget
from controlplane.configuration.installed_versions import playing_digest
from controlplane.errors import UsageError
from controlplane.journal.run_events import RunNotice
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.workers.run_messages import (
    OF_WHOLE_RUN,
    Message,
    portable_error,
    put_message,
)
from controlplane.workers.work_orders import WorkOrder


class RunHere:
    """A run that is open in a worker's process, with everything that its trials share.

    A Dask task creates it and returns it. Dask keeps it until the run's process
    releases the task.
    """

    def __init__(self, order: WorkOrder) -> None:
        """Open everything that the trials need.

        Raises `ControlPlaneError` or `OSError` if this worker cannot play trials of the run.
        """
        _check_program(order)
        build_models()  # Before threads of trials start: two must not build a class at once.
        _check_variables(order)

        self.run_key = order.run_key
        # The run's process adds up what all workers spend, and tells them when a limit is reached.
        retries = RetryBudget(order.spec.settings.model_retries)
        self.resources = open_resources(
            order.spec, budget=RunBudget(retries, Spending())
        )
        # Dask drops this object when the run's process releases the task, without a call of
        # a `close`. So `finalize` closes the resources when the object is gone, also if one
        # of the following lines fails.
        finalize(self, self.resources.close)

        world_version = self.resources.versions().world
        if world_version != order.world_version:
            msg = f"it has worlds {world_version!r}, and the run has worlds {order.world_version!r}"
            raise UsageError(msg)
        self.resources.script_server.launch()  # It forks the processes of scripts.
        self.resources.script_server.check_isolation()
        self.resources.notices.listener = self._send_notice
        self.controls = RunControls(
            stop=self.resources.context.stop, pause=self._send_pause
        )
        runs_here[order.run_key] = self

    def _send_notice(self, text: str) -> None:
        """Send a notice for the user to the run's process, which writes it to the journal."""
        notice = RunNotice(text=text)
        put_message(self.run_key, Message(OF_WHOLE_RUN, notice))

    def _send_pause(self, error: Exception) -> None:
        """Tell the run's process that an error here would fail every further trial, too."""
        put_message(self.run_key, Message(OF_WHOLE_RUN, portable_error(error)))

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Pickle as an empty `object()`: Dask may copy results, but open runs cannot be copied."""
        return object, ()


def _check_program(order: WorkOrder) -> None:
    """Raise `UsageError` if this worker has another version than the run's process."""
    if playing_digest(order.spec.settings.benchmark) != order.source_digest:
        msg = "it has another version of the program, or of Python; install there what runs here"
        raise UsageError(msg)


def _check_variables(order: WorkOrder) -> None:
    """Raise `UsageError` if an environment variable that the run needs is not set here."""
    missing = [name for name in order.required_variables if not os.environ.get(name)]
    if missing:
        msg = (
            f"it has no key in {', '.join(missing)}; set it in the worker's environment"
        )
        raise UsageError(msg)


runs_here: Final = WeakValueDictionary[str, RunHere]()
"""The runs that are open in this process, by their keys, for `obey_run`.
The references are weak, so that a run is closed as soon as Dask drops it."""
