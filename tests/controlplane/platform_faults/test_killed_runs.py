"""Runs against a platform whose process is killed or interrupted while trials are played.

A run records in its journal what it does. `resume` continues it from there, and must not make a
change again that the platform has seen. `submit --force` gives up the trials that are still open.
"""

import random
import signal
import time
from pathlib import Path
from statistics import fmean

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.verification import verify
from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.platform_commands import (
    OK,
    Platform,
    scores_by_trial,
)
from tests.support.command import run_in_process, wait_for_exit, wait_until
from tests.support.effect_counter import RUN_EFFECT_COUNTER

pytestmark = pytest.mark.usefixtures("short_backoff")


def kill_run(platform: Platform, *, after_s: float) -> None:
    """Start a run in the platform's folder, and kill it this long after it has created its
    journal."""
    process = platform.start_command(*RUN_EFFECT_COUNTER, "--concurrency", "4")
    wait_until(lambda: any(platform.folder.glob("runs/*.jsonl")))
    time.sleep(after_s)
    process.kill()
    process.communicate()


def has_recorded_start(journal: Path) -> bool:
    """Return whether a killed run had the time to record that the platform started it."""
    return journal.stat().st_size > 0 and open_journal(journal).summary.run_id != ""


def check_killed_journal(path: Path) -> None:
    """Assert that at most the end of the last line is missing, and that the scripts in all other
    lines give the recorded outputs again."""
    with open_journal(path) as journal:
        unread_rest = path.read_bytes()[journal.length :]
        assert b"\n" not in unread_rest

        begun_trials: list[str] = []
        for trial in journal.trials.values():
            if trial.has_begun:
                begun_trials.append(trial.trial_id)
        assert verify(journal, begun_trials).differences == ()


def check_kill_and_resume(folder: Path, *, trials: int, kill_after_s: float) -> None:
    """Kill a run, check its journal, resume it, and assert that each effect has happened once.

    A run that is killed before it could record its start cannot be resumed, which is asserted then.
    """
    with faulty_platform(folder, trials=trials) as platform:
        kill_run(platform, after_s=kill_after_s)
        if not has_recorded_start(platform.journal):
            refused = platform.command("resume", "last")
            assert refused.code == UsageError.exit_code, refused.err
            return

        check_killed_journal(platform.journal)
        resumed = platform.command("resume", "last")

        assert resumed.code == OK, resumed.err + resumed.out
        platform.benchmark.check_each_effect_happened_once()
        assert run_in_process("replay", "last", "--verify", cwd=folder).code == OK


class TestKilledRuns:
    """A run is killed at a moment that a random choice selects, and is resumed.

    `check_kill_and_resume(folder, trials=5, kill_after_s=0.4)` kills a run 0.4 s after it has
    created its journal, and asserts that each change has happened once in the end.
    """

    @pytest.mark.second_tier
    @pytest.mark.parametrize(
        "seed",
        [
            pytest.param(11),
            pytest.param(12, marks=pytest.mark.heavy),
            pytest.param(13, marks=pytest.mark.heavy),
            pytest.param(14, marks=pytest.mark.heavy),
        ],
    )
    def test_every_effect_of_a_killed_and_resumed_run_happens_once(
        self, seed: int, tmp_path: Path, heavy: bool
    ) -> None:
        """The seed chooses the moments of the kills: one, or 25 in the heavy form."""
        random_numbers = random.Random(seed)

        for round_number in range(25 if heavy else 1):
            folder = tmp_path / str(round_number)
            folder.mkdir()
            check_kill_and_resume(
                folder,
                trials=30 if heavy else 5,
                kill_after_s=random_numbers.uniform(0.1, 1.2),
            )


def interrupt_after_first_score(
    platform: Platform, *run_command: str, **variables: str
) -> None:
    """Start a run that plays its trials in turn, and interrupt it once a trial has its score.

    `interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)`
    """
    process = platform.start_command(*run_command, "--concurrency", "1", **variables)
    wait_until(lambda: bool(platform.benchmark.scores))
    process.send_signal(signal.SIGINT)
    wait_for_exit(process)


class TestInterruptedRuns:
    """A run plays six trials in turn, and is interrupted once the first has its score.

    Some trials are answered then, at most one is cut off in the middle, and the others have
    not begun. `submit --force` ends the run without them. `RUN_EFFECT_COUNTER` is the command
    of such a run.
    """

    def test_a_run_with_open_trials_is_submitted_only_when_forced(
        self, tmp_path: Path
    ) -> None:
        """The interrupted run has answered trials, and open ones that were cut off or not begun."""
        with faulty_platform(tmp_path, trials=6) as platform:
            interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)

            refused = platform.command("submit", "last")
            assert refused.code == UsageError.exit_code
            assert "--force" in refused.err
            assert platform.benchmark.submits == 0

            forced = platform.command("submit", "last", "--force", "--json")
            assert platform.benchmark.submits == 1
            assert forced.json["submitted"]

    def test_the_mean_score_of_a_forced_run_is_that_of_its_answered_trials(
        self, tmp_path: Path
    ) -> None:
        """The platform scores the trials that were cut off with 0, but they do not count: it is not
        known how they would have ended. How many there are depends on the moment of the
        interrupt."""
        trials = 6
        with faulty_platform(tmp_path, trials=trials) as platform:
            interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)
            forced = platform.command("submit", "last", "--force", "--json")

        assert set(scores_by_trial(forced).values()) <= {0.0, 1.0}
        scores_of_answered = [
            trial["score"]
            for trial in forced.json["trials"]
            if trial["state"] == "answered"
        ]
        answered = len(scores_of_answered)
        assert 0 < answered < trials
        assert forced.json["trials_scored"] == answered
        assert forced.json["mean_score"] == fmean(scores_of_answered)

        cut_off = trials - answered
        shown = run_in_process("show", "last", cwd=tmp_path)
        assert f"over {answered} of {trials} trials · {cut_off} cut off" in shown.out

        compared = run_in_process("compare", "last", "last", "--json", cwd=tmp_path)
        assert len(compared.json["tasks"]) == answered
        assert len(compared.json["without_score"]) == cut_off


class TestRecordedHosts:
    """The journal of an interrupted run says at which host its platform is.

    The environment names a host, too, in BITGN_HOST, which may be another one by now.
    """

    def test_a_run_is_resumed_on_the_host_where_it_was_started(
        self, tmp_path: Path
    ) -> None:
        """The command `run --benchmark bitgn` takes the host and the benchmark's name from the
        environment, and the journal records both. When the run is resumed, the environment names
        another host."""
        # "--benchmark bitgn" instead of "--benchmark bitgn:tally"
        run_command = [word.removesuffix(":tally") for word in RUN_EFFECT_COUNTER]

        with faulty_platform(tmp_path, trials=6) as platform:
            interrupt_after_first_score(platform, *run_command, BENCH_ID="tally")

            resumed = run_in_process(
                "resume",
                "last",
                cwd=tmp_path,
                BITGN_HOST="http://127.0.0.1:9",
                BITGN_API_KEY="k",
            )

            assert resumed.code == OK
            assert platform.benchmark.submits == 1
