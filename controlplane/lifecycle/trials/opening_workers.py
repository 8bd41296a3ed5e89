"""Opens the workers of a run: threads of this process, or those of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from controlplane.agent.events import build_models
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.configuration.worker_place import THREADS
from controlplane.errors import extra_module
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.trial_lifecycle import run_trial
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_workers import Workers

OpenWorkers: TypeAlias = Callable[[RunResources, Emit, RunControls], Workers]
"""Makes the workers of a run. Raises `ControlPlaneError` if there are none."""


def open_workers(resources: RunResources, emit: Emit, controls: RunControls) -> Workers:
    """Return workers that play trials where the settings say: in this process or at a cluster.

    `emit` writes the events of the trials to the journal. Raises `ControlPlaneError` if the cluster has no workers.
    """
    place = resources.spec.settings.workers
    if place != THREADS:
        cluster = extra_module(
            "controlplane.workers.dask_workers", f"--workers {place}", "cluster"
        )
        cluster_workers: Workers = cluster.open_cluster(resources, emit, controls)
        return cluster_workers
    build_models()
    # Begin to start the server of sandbox processes. The first script will not wait for it.
    resources.script_server.launch()

    def play(planned_trial: PlannedTrial, record: TrialRecord) -> None:
        run_trial(resources, planned_trial, emit, controls, record)

    return Workers(play, resources.spec.settings.concurrency)
