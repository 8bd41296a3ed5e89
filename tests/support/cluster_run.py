"""A run whose trials play on a Dask cluster, which a test disturbs at an exact point.

    with cluster_run(journal, processes=True, workers=2) as run:
        run.act_after(4, CallEvent, run.kill_workers)
        run.play()

Dask spreads work over *workers*: processes, often on other machines. A worker announces each call
and each answer before it makes it, and waits until the run has written the announcement to the
journal. Here all workers are killed once the fourth call is announced, and before it is made.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.lifecycle.run_start import begin_run
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_workers import Workers
from tests.support.command import ROOT
from tests.support.event_triggers import EventHook, Trigger, ignore

EFFECTS_RUN = RunSettings(
    benchmark="bitgn:tally",
    model=f"scripted:{ROOT / 'tests/support/effect_counter.toml'}",
    rule_sets="none",
    gates="none",
    poll_time=5,
)
"""A run of the benchmark that `effect_counter.py` serves."""


class ClusterRun:
    """A run on a cluster, which a test may look at or disturb when an event is written.

    1. Set `before_write`, which gets each event before it is written, or call `act_after`.
    2. Call `play`. It lets every worker open the run, begins the run, and plays its trials.
    3. `cluster_run` closes the run.
    """

    def __init__(
        self, client: Any, resources: RunResources, journal: JournalWriter
    ) -> None:
        """Make a run on the cluster of `client`, which is a `distributed.Client`."""
        self._client = client
        self._run = Run(
            resources,
            journal,
            workers_opener=self._workers_of_cluster,
            plan=RunPlan(resources.spec),
        )
        self.before_write: EventHook = ignore
        """Called with every event before it is written to the journal."""
        self._after_write: EventHook = ignore
        """Called with every event once it is written; `act_after` sets it."""

    def act_after(
        self, number: int, event_type: type[JournalEvent], act: Callable[[], object]
    ) -> None:
        """Call `act` once the event of this type and number is announced in the journal.

        `act_after(4, CallEvent, run.kill_workers)`: at the fourth call, before it is made.
        """
        self._after_write = Trigger(number, event_type, act).see

    def open_workers(self) -> None:
        """Let every worker open the run. Raises `Unreachable` if one cannot."""
        self._run.work.open_workers()

    def play(self) -> None:
        """Play all trials of the run on the cluster."""
        self.open_workers()
        begin_run(self._run)
        self._run.work.play_trials(self._run.summary.trials, self._run.trial_records)

    def stop(self) -> None:
        """Stop the run, as Ctrl-C does."""
        self._run.stop()

    def kill_workers(self) -> None:
        """Kill the processes of all workers of the cluster."""
        for process_id in self._client.run(os.getpid).values():
            os.kill(process_id, signal.SIGKILL)

    def close(self) -> None:
        self._run.work.close_workers()

    def _workers_of_cluster(
        self, resources: RunResources, emit: Emit, controls: RunControls
    ) -> Workers:
        """Return the workers of the cluster; the run calls this when it needs them.

        The run writes each event of a worker to its journal by `emit`.
        """
        from controlplane.workers.dask_workers import DaskWorkers

        def write_event(event: JournalEvent) -> None:
            self.before_write(event)
            emit(event)
            self._after_write(event)

        return DaskWorkers(self._client, resources, write_event, controls)


@contextmanager
def cluster_run(
    journal: Path,
    *,
    concurrency: int = 4,
    workers: int = 1,
    processes: bool = False,
) -> Iterator[ClusterRun]:
    """Start a cluster and make a run on it; close both at the end of the block.

    The workers are threads of this process or, with `processes`, processes of their own.
    """
    from distributed import Client, LocalCluster

    settings = EFFECTS_RUN.model_copy(update={"concurrency": concurrency})
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=4,
            processes=processes,
            dashboard_address="127.0.0.1:0",
            silence_logs=False,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
        open_resources(RunSpec(settings)) as resources,
        JournalWriter(journal, create=True) as writer,
    ):
        run = ClusterRun(client, resources, writer)
        try:
            yield run
        finally:
            run.close()
