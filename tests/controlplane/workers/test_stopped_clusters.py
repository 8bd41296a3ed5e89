"""A user stops a run whose trials play on a cluster, and resumes the run without the cluster."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.agent.events import CallEvent
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.verification import verify
from tests.controlplane.workers.cluster_run import cluster_run
from tests.controlplane.workers.stopped_runs import resume_on_threads, write_then_act_at
from tests.support.effect_counter import EffectCounterBenchmark

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


def test_a_stop_reaches_the_workers_and_threads_resume_the_run(
    tmp_path: Path, benchmark: EffectCounterBenchmark
) -> None:
    """The run of two trials is stopped, as by Ctrl-C, when the first call is announced."""
    journal = tmp_path / "run.jsonl"
    with cluster_run(journal, concurrency=2) as cluster:
        cluster.on_event = write_then_act_at(1, CallEvent, cluster.run.stop)
        cluster.play()
    stopped_trials = open_journal(journal).summary.trials

    resume_on_threads(journal)

    # At least one trial was stopped before its answer, and no worker went on with its trial.
    assert stopped_trials.count("answered") < 2
    assert stopped_trials.count("running") == 0
    # Afterwards both trials are complete, and each has made every change once.
    resumed = open_journal(journal)
    assert resumed.summary.trials.count("answered") == 2
    changes_of_a_trial = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [changes_of_a_trial, changes_of_a_trial]
    verify(resumed, list(resumed.trials))  # Raises an error if a replay differs.
