"""A run on a Dask cluster whose scheduler is killed stops, and can be resumed on threads.

Dask spreads work over many machines: a *scheduler* hands the trials of the run to *workers*. The
run gets its address: `controlplane run --workers dask:ADDRESS`.
"""

import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.support.clusters.dask_processes import dask_processes
from tests.support.command import (
    check_error_line,
    run_controlplane,
    start_controlplane,
    wait_for_exit,
    wait_until,
)

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


def count_ended_trials(folder: Path) -> int:
    """Return how many trials have ended by the journal of the run in a folder."""
    ended_trials = 0
    for journal in (folder / "runs").glob("*.jsonl"):
        ended_trials += journal.read_bytes().count(b'"type":"trial_ended"')
    return ended_trials


@pytest.mark.heavy
def test_a_run_whose_scheduler_is_killed_can_be_resumed(tmp_path: Path) -> None:
    """The scheduler is killed when two of 30 trials have ended. The run is resumed on
    threads."""
    trials = 30
    with dask_processes(tmp_path, workers=2) as cluster:
        run = start_controlplane(
            "run",
            "--limit",
            str(trials),
            "--workers",
            f"dask:{cluster.address}",
            "--quiet",
            cwd=tmp_path,
        )
        # Three processes import all that a run needs, perhaps on a busy machine.
        wait_until(lambda: count_ended_trials(tmp_path) >= 2, within_s=120)
        os.killpg(cluster.scheduler.pid, signal.SIGKILL)
        stopped = wait_for_exit(run)
    resumed = run_controlplane(
        "resume", "last", "--workers", "threads", "--json", cwd=tmp_path
    )

    check_error_line(
        stopped,
        Unreachable.exit_code,
        "the scheduler of the cluster",
        "was lost",
        "resume",
    )
    assert resumed.json["submitted"] is True, resumed.err
    assert resumed.json["trials_scored"] == trials
