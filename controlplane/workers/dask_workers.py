"""`--workers dask:…`: the workers of a Dask cluster play the trials of a run.

The run's process submits each trial as a Dask task. The worker that plays it sends
every event back through one Dask queue, because only the run's process writes the
journal. Before a trial changes something outside of the worker, it announces that by an
event, and waits until the event is written. So a resumed run never makes a change
twice. A trial whose worker is lost is left open.

Dask's TLS protects every connection. Whoever reaches a cluster's scheduler can run code
on its workers, so all parts of a cluster have to trust each other.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Final

from distributed import Client, Queue

from controlplane.errors import UsageError
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_workers import Workers
from controlplane.workers.cluster_client import connected_client
from controlplane.workers.cluster_watch import ClusterWatch
from controlplane.workers.open_runs import OpenRuns
from controlplane.workers.remote_playing import RemotePlaying
from controlplane.workers.remote_trials import RemoteTrials
from controlplane.workers.run_inbox import RunInbox
from controlplane.workers.run_messages import LOST_CONNECTION
from controlplane.workers.work_orders import work_order

CLOSING_TIMEOUT_S: Final = 10


def open_cluster(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Connect to the cluster that the settings name, or start one, and return its workers.

    Raises `UsageError` and `Unreachable`.
    """
    settings = resources.settings
    reason = resources.opened.stays_here
    if reason:
        msg = f"trials of {settings.benchmark} cannot run on a cluster: {reason}"
        raise UsageError(msg)
    client = connected_client(settings)
    try:
        return DaskWorkers(client, resources, emit, controls)
    except BaseException:
        with suppress(*LOST_CONNECTION):
            client.close(timeout=5)
        raise


class DaskWorkers(Workers):
    """The workers of a Dask cluster, as the run's process uses them.

    `Workers` has a thread for each trial that may run at the same time. Such a thread
    gives a trial to the cluster, waits for its end, and takes the next. Two more threads
    serve all trials: one watches the cluster, the other writes the events that workers
    send to the journal.
    """

    def __init__(
        self, client: Client, resources: RunResources, emit: Emit, controls: RunControls
    ) -> None:
        """Have every worker of the cluster open the run. Raises `Unreachable` if one cannot."""
        # Each worker has to open the run before it can play trials. Wait for the present
        # workers. Those that join later are asked by the thread that watches the cluster.
        order = work_order(resources)
        runs = OpenRuns(client, order)
        runs.open_first()

        trials = RemoteTrials()
        playing = RemotePlaying(
            client,
            order.run_key,
            runs,
            trials,
            emit,
            stop=controls.stop,
            spending=resources.budget.spending,
        )
        super().__init__(playing.play, resources.settings.concurrency)

        self._client = client
        self._is_over = threading.Event()
        watch = ClusterWatch(client, runs, resources, emit, controls)
        inbox = RunInbox(
            client,
            Queue(order.run_key, client=client),
            trials,
            emit,
            controls,
            tell_score=resources.opened.ended_elsewhere,
        )
        self._service_threads: list[threading.Thread] = []
        for serve in (watch.watch, inbox.take_messages):
            thread = threading.Thread(target=serve, args=[self._is_over], daemon=True)
            self._service_threads.append(thread)
            thread.start()

    def close(self) -> None:
        """Wait for the threads to end, and disconnect from the cluster."""
        super().close()
        self._is_over.set()
        for thread in self._service_threads:
            thread.join()
        with suppress(*LOST_CONNECTION):
            self._client.close(timeout=CLOSING_TIMEOUT_S)
