"""Watches a Dask cluster while its workers play the trials of a run.

Workers may join a cluster or leave it at any time, and the run may have to stop. One
thread of the run's process looks at both, about every second.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from distributed import Client

from controlplane.errors import Unreachable
from controlplane.journal.run_events import RunNotice
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.sandbox.interface import bounds
from controlplane.workers.open_runs import Opening, OpenRuns, refusal_text
from controlplane.workers.run_messages import LOST_CONNECTION


@dataclass(frozen=True, slots=True)
class ClusterWatch:
    """Passes on orders to stop, and has workers that join later open the run.

    The run has one signal to stop, which `controls.stop` and `resources.context.stop` both
    name. The latter has the type that can be listened to.

    A worker opens a run before it plays trials of it: it loads the benchmark, and starts
    the processes for scripts (`RunHere`).
    """

    client: Client
    """The connection to the cluster's scheduler."""
    runs: OpenRuns
    """The workers that have opened the run."""
    resources: RunResources
    emit: Emit
    """Writes an event to the journal."""
    controls: RunControls
    _wake: threading.Event = field(default_factory=threading.Event)
    """Set when the run must stop, so that the watching thread looks at once."""

    def watch(self, is_over: threading.Event) -> None:
        """Watch the cluster until the run is over.

        The run is paused if its scheduler is lost, or if it has had no worker for a while.
        The loop goes on after that, and may call `pause` again at each look: only the first
        call counts.
        """
        stop_signal = self.resources.context.stop
        stop_signal.listen(self._wake.set)  # The order to stop ends a wait at once.
        had_workers_at = time.monotonic()
        while not is_over.is_set():
            self._wake.wait(bounds.WORKER_POLL_S)
            self._wake.clear()
            with suppress(*LOST_CONNECTION):
                self._pass_on_orders()
                self._open_at_new_workers()

            if self.runs.addresses():
                had_workers_at = time.monotonic()
            if self.client.status != "running":
                cluster = self.resources.settings.workers
                msg = f"the scheduler of the cluster {cluster} was lost"
                self.controls.pause(Unreachable(msg))
            elif time.monotonic() - had_workers_at > bounds.WORKER_SILENCE_S:
                msg = "the cluster has no worker that takes trials; start some"
                self.controls.pause(Unreachable(msg))

    def _pass_on_orders(self) -> None:
        """Tell all workers if the run must stop, or if a limit of its spending is reached.

        The order is repeated at every look, because new workers may have joined since.
        """
        stop_signal = self.resources.context.stop
        must_stop = stop_signal.is_set()
        reached_limit = self.resources.budget.spending.end.reason
        if must_stop or reached_limit:
            self.runs.order_all(must_stop=must_stop, reached_limit=reached_limit)

    def _open_at_new_workers(self) -> None:
        """Have workers that have joined since the last look open the run, without waiting for them."""
        for address, opening in self.runs.open_at_new_workers().items():
            opening.add_done_callback(partial(self._note_refusal, address))

    def _note_refusal(self, address: str, opening: Opening) -> None:
        """Write a notice to the journal if a worker that joined later cannot open the run."""
        if opening.status == "error":
            self.emit(RunNotice(text=refusal_text(address, opening.exception())))
