"""Trials on a Dask cluster whose workers are killed or stopped, and which are resumed on threads.

A resumed run must not make a change twice. So a worker announces each call before it makes it:

    worker:  "I call write"                      journal: call "write" is under way
    worker:  calls write, "write has returned"   journal: call "write", with its result
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.replay.verification import verify
from tests.controlplane.workers.cluster_run import (
    WriteEvent,
    announced_change,
    cluster_run,
)
from tests.support.counting_environment import EACH_EFFECT_ONCE
from tests.support.effect_counter import EffectCounterBenchmark

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


def resume_on_threads(journal: Path) -> None:
    """Resume a stopped run without the cluster, play it to its end, and submit it."""
    with reopen_run(journal, plays_trials=True, is_trusted=True) as run:
        run.work.play_trials(run.summary.trials, run.trial_records)
        submit_run(run)


def acting_at(
    number: int, event_type: type[JournalEvent], act: Callable[[], object]
) -> Callable[[JournalEvent, WriteEvent], None]:
    """Return a function that writes all events, and acts after the announcement of this number.

    `acting_at(4, CallEvent, kill)` kills when the fourth call is announced and not yet made.
    """
    count = 0

    def write_and_act(event: JournalEvent, write: WriteEvent) -> None:
        nonlocal count
        write(event)
        if isinstance(event, event_type) and announced_change(event):
            count += 1
            if count == number:
                act()

    return write_and_act


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
    """All workers are killed once the call, or the answer, is announced. Their trials stay open."""
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
    verify(resumed, list(resumed.trials))  # raises an error if a replay differs


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
