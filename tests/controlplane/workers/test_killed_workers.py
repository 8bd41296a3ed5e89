"""A run whose workers are killed is resumed, and no change is lost or made twice.

The workers of a cluster play the trials of a run. A worker announces each call that changes
something, and makes the call when the announcement is in the journal. So a resumed run knows which
calls may have been made.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import JournalEvent
from controlplane.replay.verification import verify
from tests.controlplane.workers.cluster_run import cluster_run
from tests.controlplane.workers.local_clusters import TWO_PROCESSES
from tests.controlplane.workers.stopped_runs import resume_on_threads, write_then_act_at
from tests.support.effect_counter import EffectCounterBenchmark

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("number", "announcement"),
    [
        pytest.param(4, CallEvent, id="at the fourth call"),
        pytest.param(2, AnswerSent, id="at the second answer"),
    ],
)
def test_a_trial_whose_worker_is_killed_is_resumed_with_every_change_made_once(
    number: int,
    announcement: type[JournalEvent],
    tmp_path: Path,
    benchmark: EffectCounterBenchmark,
) -> None:
    """All workers are killed when this call, or this answer, is announced."""
    journal = tmp_path / "run.jsonl"
    with cluster_run(journal, workers=TWO_PROCESSES) as cluster:
        cluster.on_event = write_then_act_at(number, announcement, cluster.kill_workers)
        cluster.play()
    stopped_trials = open_journal(journal).summary.trials

    resume_on_threads(journal)

    reasons = [trial.reason for trial in stopped_trials.values()]
    assert "its worker was lost" in reasons
    resumed = open_journal(journal)
    assert resumed.summary.trials.mean_score == 1.0
    changes_of_a_trial = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [changes_of_a_trial, changes_of_a_trial]
    verify(resumed, list(resumed.trials))  # Raises an error if a replay differs.
