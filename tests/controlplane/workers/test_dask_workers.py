"""Trials on a Dask cluster whose workers are killed, stopped, or unfit for the run.

A resumed run must not make a change twice. So a worker announces each call before it makes it:

    worker:  "I call write"                      journal: call "write" is under way
    worker:  calls write, "write has returned"   journal: call "write", with its result

The benchmark counts what each trial changes: one `write`, one `delete`, one `checkout` (a program)
and one `answer`.
"""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.errors import Unreachable
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_submission import submit_run
from controlplane.replay.verification import verify
from tests.support.cluster_run import EFFECTS_RUN, cluster_run
from tests.support.counting_environment import EACH_EFFECT_ONCE
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.event_triggers import is_announcement
from tests.support.running_server import running_server

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier

TRIALS = 2


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[EffectCounterBenchmark]:
    """The benchmark, behind a server whose address is in the environment variables."""
    counting_benchmark = EffectCounterBenchmark(TRIALS)
    with running_server(counting_benchmark, ServerOptions()) as server:
        monkeypatch.setenv("BITGN_HOST", server.url)
        monkeypatch.setenv("BITGN_API_KEY", "k")
        yield counting_benchmark


def resume_on_threads(journal: Path) -> None:
    """Resume a stopped run without the cluster, play it to its end, and submit it."""
    with reopen_run(journal, plays_trials=True, is_trusted=True) as run:
        run.work.play_trials(run.summary.trials, run.trial_records)
        submit_run(run)


def check_is_whole(journal: Path, benchmark: EffectCounterBenchmark) -> None:
    """Assert that each trial has made each change once, and that the journal can be replayed."""
    effects_of_trials = list(benchmark.effects.values())
    assert effects_of_trials == [EACH_EFFECT_ONCE] * TRIALS

    recorded_run = open_journal(journal)
    verify(recorded_run, list(recorded_run.trials))  # raises an error if it differs


class TestStoppedWorkers:
    """Workers are killed or stopped in the middle of a run, which is resumed on threads.

    The run plays two trials. `run.act_after(4, CallEvent, run.kill_workers)` kills all workers
    when the fourth call is announced.
    """

    @pytest.mark.parametrize(
        ("number", "event_type"),
        [
            pytest.param(4, CallEvent, id="at the fourth call"),
            pytest.param(2, AnswerSent, id="at the second answer"),
        ],
    )
    def test_a_trial_whose_worker_is_killed_is_resumed_with_every_effect_made_once(
        self,
        tmp_path: Path,
        benchmark: EffectCounterBenchmark,
        number: int,
        event_type: type[JournalEvent],
    ) -> None:
        """All workers are killed once the call, or the answer, is announced. Their trials stay
        open."""
        journal = tmp_path / "run.jsonl"
        with cluster_run(journal, processes=True, workers=2) as run:
            run.act_after(number, event_type, run.kill_workers)
            run.play()
        stopped = open_journal(journal).summary

        resume_on_threads(journal)

        reasons = [trial.reason for trial in stopped.trials.values()]
        assert "its worker was lost" in reasons
        assert open_journal(journal).summary.trials.mean_score == 1.0
        check_is_whole(journal, benchmark)

    def test_a_stop_reaches_the_workers_and_threads_resume_the_run(
        self, tmp_path: Path, benchmark: EffectCounterBenchmark
    ) -> None:
        """The run is stopped, as by Ctrl-C, at the first call of a trial."""
        journal = tmp_path / "run.jsonl"
        with cluster_run(journal, concurrency=2) as run:
            run.act_after(1, CallEvent, run.stop)
            run.play()
        stopped = open_journal(journal).summary

        resume_on_threads(journal)

        assert stopped.trials.count("answered") < TRIALS
        assert stopped.trials.count("running") == 0
        resumed = open_journal(journal).summary
        assert resumed.trials.count("answered") == TRIALS
        check_is_whole(journal, benchmark)


class EarlyChanges:
    """Looks for changes that are made before their announcement is in the journal."""

    def __init__(self, benchmark: EffectCounterBenchmark) -> None:
        self.benchmark = benchmark
        self.announced: Counter[str] = Counter()
        """How often each change was announced: `{"write": 1, "answer": 1}`."""
        self.found: list[str] = []
        """The changes that were too early."""

    def look(self, event: JournalEvent) -> None:
        """Look whether the change that an event announces has been made already."""
        change = announced_change(event)
        if not change:
            return
        time.sleep(0.2)  # A worker that does not wait makes its change meanwhile.
        if self.times_made(change) > self.announced[change]:
            self.found.append(change)
        self.announced[change] += 1

    def times_made(self, change: str) -> int:
        return sum(effects[change] for effects in self.benchmark.effects.values())


def announced_change(event: JournalEvent) -> str:
    """Return the change that an event announces, such as "write"; empty if it announces none."""
    if isinstance(event, AnswerSent):
        return "answer"
    if is_announcement(event) and event.operation in EACH_EFFECT_ONCE:
        return event.operation
    return ""


class TestAnnouncements:
    """A change must be announced in the journal before a worker makes it.

    A worker sends an event, such as `CallEvent(operation="write", state="under_way")`, and waits
    until it is written. Before it is, the test looks whether the change has been made already.
    """

    def test_a_worker_makes_no_change_before_it_is_announced_in_the_journal(
        self, tmp_path: Path, benchmark: EffectCounterBenchmark
    ) -> None:
        """Otherwise a change could be made that a resumed run does not know of."""
        early_changes = EarlyChanges(benchmark)
        with cluster_run(tmp_path / "run.jsonl", concurrency=1) as run:
            run.before_write = early_changes.look
            run.play()

        assert early_changes.announced["answer"] == TRIALS
        assert early_changes.announced["write"] == TRIALS
        assert early_changes.found == []


SPEC_WITH_MISSING_FILE = RunSpec(
    EFFECTS_RUN.model_copy(update={"model": "scripted:gone.toml"})
)
"""A run whose model is a file that does not exist."""


class TestUnfitWorkers:
    """A run sends each worker an order, which says what the worker needs to have.

    The order names the version of the program and of the benchmark, the files of the run, and the
    variables with its keys.
    """

    @pytest.mark.parametrize(
        ("needs", "error"),
        [
            pytest.param(
                {"source_digest": "another"},
                "another version of the program",
                id="another version of the program",
            ),
            pytest.param(
                {"spec": SPEC_WITH_MISSING_FILE},
                "gone.toml",
                id="a file that the worker does not have",
            ),
            pytest.param(
                {"required_variables": ("BITGN_API_KEY", "ABSENT_KEY")},
                "has no key in ABSENT_KEY; set it in the worker's environment",
                id="a key that the worker does not have",
            ),
            pytest.param(
                {"world_version": "0"},
                "and the run has worlds '0'",
                id="another version of the benchmark",
            ),
        ],
    )
    @pytest.mark.usefixtures("benchmark")
    def test_a_worker_that_does_not_have_what_the_run_needs_is_refused(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        needs: dict[str, Any],
        error: str,
    ) -> None:
        """One field of the order asks for something that no worker has. The run does not begin."""
        from controlplane.workers import dask_workers

        real_work_order = dask_workers.work_order
        monkeypatch.setattr(
            dask_workers,
            "work_order",
            lambda resources: replace(real_work_order(resources), **needs),
        )

        with (
            cluster_run(tmp_path / "run.jsonl") as run,
            pytest.raises(Unreachable, match=error),
        ):
            run.open_workers()

        assert not (tmp_path / "run.jsonl").exists()
