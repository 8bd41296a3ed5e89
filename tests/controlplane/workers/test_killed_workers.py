"""Trials on a Dask cluster whose workers are killed or stopped are resumed, with every change made once.

A worker announces each call before it makes it, and the journal then has the call as under way.
When the call has returned, the journal gets its result.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import JournalEvent
from controlplane.replay.verification import verify
from tests.controlplane.workers.cluster_run import cluster_run
from tests.controlplane.workers.stopped_runs import acting_at, resume_on_threads
from tests.support.counting_environment import EACH_EFFECT_ONCE
from tests.support.effect_counter import EffectCounterBenchmark

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("number", "event_type"),
    [
        pytest.param(4, CallEvent, id="at the fourth call"),
        pytest.param(2, AnswerSent, id="at the second answer"),
    ],
)
def test_a_trial_whose_worker_is_killed_is_resumed_with_every_effect_made_once(
    number: int,
    event_type: type[JournalEvent],
    tmp_path: Path,
    benchmark: EffectCounterBenchmark,
) -> None:
    """All workers are killed once the call, or the answer, is announced."""
    journal = tmp_path / "run.jsonl"
    with cluster_run(journal, worker_processes=2) as cluster:
        cluster.on_event = acting_at(number, event_type, cluster.kill_workers)
        cluster.play()
    stopped_trials = open_journal(journal).summary.trials

    resume_on_threads(journal)

    reasons = [trial.reason for trial in stopped_trials.values()]
    assert "its worker was lost" in reasons
    resumed = open_journal(journal)
    assert resumed.summary.trials.mean_score == 1.0
    assert list(benchmark.effects.values()) == [EACH_EFFECT_ONCE, EACH_EFFECT_ONCE]
    verify(resumed, list(resumed.trials))  # Raises an error if a replay differs.


def test_a_stop_reaches_the_workers_and_threads_resume_the_run(
    tmp_path: Path, benchmark: EffectCounterBenchmark
) -> None:
    """The run is stopped, as by Ctrl-C, at the first call of a trial."""
    journal = tmp_path / "run.jsonl"
    with cluster_run(journal, concurrency=2) as cluster:
        cluster.on_event = acting_at(1, CallEvent, cluster.run.stop)
        cluster.play()
    stopped_trials = open_journal(journal).summary.trials

    resume_on_threads(journal)

    assert stopped_trials.count("answered") < 2
    assert stopped_trials.count("running") == 0
    resumed = open_journal(journal)
    assert resumed.summary.trials.count("answered") == 2
    assert list(benchmark.effects.values()) == [EACH_EFFECT_ONCE, EACH_EFFECT_ONCE]
    verify(resumed, list(resumed.trials))
