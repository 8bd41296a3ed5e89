"""The embedded benchmark `ecom`, whose tasks are requests to a generated shop.

It needs no server and no model: `controlplane run ecom` is played by fixed rules. The tests cover
its runs and trials (a trial is one task in a world of its own), and the audit, which measures how
much a player earns that answers without looking at the shop.
"""

from pathlib import Path

import pytest

from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    RunState,
    StartedRun,
    TaskSelection,
    Trial,
    start_selected_run,
)
from controlplane.benchmarks.ecom import audit
from controlplane.benchmarks.ecom.audit import main
from controlplane.benchmarks.ecom.blind_players import (
    BLIND_PLAYERS,
    BlindPlayer,
    say_no,
)
from controlplane.benchmarks.ecom.ecom_benchmark import (
    EcomBenchmark,
    TrialId,
    open_benchmark,
)
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED
from controlplane.sandbox.interface import CallError, bounds
from tests.benchmarks.ecom.mistakes.cheap_mistakes import cheap_mistakes
from tests.benchmarks.ecom.solutions.reference_solutions import reference_of
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with
from tests.support.command import run_in_process


def open_ecom(**settings: str) -> Benchmark:
    """Open the benchmark as a new process does. `policy="blind"` hides scores until a run ends."""
    return open_benchmark("", settings, BenchmarkContext()).benchmark


def answer_rightly(trial: Trial) -> None:
    """Make the changes of the task's reference solution, and give its answer."""
    trial_id = TrialId.parse(trial.trial_id)
    assert trial_id is not None
    truth = generate_task(trial.task_id, trial_id.world_seed, PLAYED).truth
    answer_with(reference_of(truth.family), trial.environment, truth)


def start_run(
    benchmark: Benchmark, selection: TaskSelection, seed: int = 0
) -> StartedRun:
    """Start a run of the selected tasks; its trials begin with `benchmark.start_trial`."""
    return start_selected_run(benchmark, selection, name="a run", seed=seed)


class TestTrials:
    """A trial is one task in a world of its own. It starts from its id, and ends once.

    The id has the seed of the run, `stock-count.1-r0-s-3-...`, so any
    process can generate the world.
    """

    def test_a_trial_starts_from_its_id_in_another_process(self) -> None:
        """A benchmark object that knows nothing of the run stands for the other process."""
        run = start_run(open_ecom(), TaskSelection(names=("stock-count.1",)), seed=-3)
        trial_id = run.trials[0].trial_id

        other_process = open_ecom()
        trial = other_process.start_trial(trial_id)
        answer_rightly(trial)
        ended = other_process.end_trial(trial_id)

        assert ended is not None
        assert ended.score == 1.0

    def test_an_ended_trial_does_not_start_again_and_its_environment_is_closed(
        self,
    ) -> None:
        """Otherwise, an agent could go on after it has seen its score."""
        benchmark = open_ecom()
        trial_id = start_run_of_one_task(benchmark).trials[0].trial_id
        trial = benchmark.start_trial(trial_id)
        benchmark.end_trial(trial_id)

        with pytest.raises(BenchmarkError, match="ended already"):
            benchmark.start_trial(trial_id)
        with pytest.raises(CallError, match="has ended"):
            trial.environment.call("list", {})


def start_run_of_one_task(benchmark: Benchmark) -> StartedRun:
    """Start a run whose only trial is of the first task."""
    return start_run(benchmark, TaskSelection(limit=1))


class TestSubmittedRuns:
    """A run is submitted when its trials have ended. Then it has a score.

    Two objects of the benchmark stand for two processes: a run that was started in one
    can be played in the other.
    """

    def test_a_blind_run_shows_its_scores_only_after_it_was_submitted(self) -> None:
        """Neither the end of the trial nor the submit tells the score; asking afterwards does.

        Without scores, an agent cannot try answers until one is right.
        """
        benchmark = open_ecom(policy="blind")
        assert benchmark.describe().policy == "blind"
        run = start_run_of_one_task(benchmark)
        trial_id = run.trials[0].trial_id
        answer_rightly(benchmark.start_trial(trial_id))

        result_of_trial = benchmark.end_trial(trial_id)
        assert result_of_trial is None

        submitted = benchmark.submit_run(run.run_id, force=False)
        assert submitted.state == RunState.PENDING
        assert submitted.score is None
        assert submitted.trials[0].score is None

        revealed = benchmark.get_run(run.run_id)
        assert revealed.state == RunState.EVALUATED
        assert revealed.score == 1.0

    def test_a_forced_submit_closes_the_open_trials_of_its_own_run_only(self) -> None:
        """Two runs have an open trial each, in another process than the one that started them.

        1. A submit of the first run is refused, because its trial is open.
        2. A forced submit closes this trial, without an answer and with the score 0.
        3. The trial of the second run is still open, and can be ended as usual.
        """
        starting_process = open_ecom()
        playing_process = open_ecom()
        first_run = start_run_of_one_task(starting_process)
        second_run = start_run_of_one_task(starting_process)
        playing_process.start_trial(first_run.trials[0].trial_id)
        playing_process.start_trial(second_run.trials[0].trial_id)

        with pytest.raises(BenchmarkError, match="1 trials have not ended"):
            playing_process.submit_run(first_run.run_id, force=False)
        result = playing_process.submit_run(first_run.run_id, force=True)

        (closed_trial,) = result.trials
        assert closed_trial.score == 0.0
        assert closed_trial.details == ("forced close",)
        ended_trial = playing_process.end_trial(second_run.trials[0].trial_id)
        assert ended_trial is not None
        assert ended_trial.details == ("no answer provided",)  # Not "forced close".


def closed_run(benchmark: EcomBenchmark) -> StartedRun:
    """Start a run of one task and submit it at once, which closes it."""
    run = start_run_of_one_task(benchmark)
    benchmark.submit_run(run.run_id, force=True)
    return run


def is_forgotten(benchmark: EcomBenchmark, run: StartedRun) -> bool:
    """Return whether the benchmark knows no trial of the run any more, though the run has one."""
    return benchmark.get_run(run.run_id).trials == ()


class TestForgottenRuns:
    """A benchmark in a server forgets the oldest closed runs, or it would grow without end.

    A forgotten run has no trials any more. `bounds.MOST_CLOSED_RUNS` says how many closed runs are
    remembered when another run begins.
    """

    def test_only_the_oldest_closed_runs_are_forgotten(self, monkeypatch) -> None:
        """Two closed runs are remembered when a run begins, and six runs begin.

        1. When the sixth begins, the fourth and the fifth are remembered.
        2. Then the sixth is closed, and is remembered until a seventh would begin.
        """
        monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
        benchmark = EcomBenchmark()

        runs = [closed_run(benchmark) for _ in range(6)]

        forgotten = [is_forgotten(benchmark, run) for run in runs]
        assert forgotten == [True, True, True, False, False, False]

    def test_open_runs_are_not_forgotten(self, monkeypatch) -> None:
        """Six later runs are closed, and only two closed ones may be remembered."""
        monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
        benchmark = EcomBenchmark()
        open_run = start_run_of_one_task(benchmark)

        for _ in range(6):
            closed_run(benchmark)

        assert benchmark.get_run(open_run.run_id).state == RunState.RUNNING

    def test_a_closed_run_with_an_open_trial_is_not_forgotten(
        self, monkeypatch
    ) -> None:
        """Only one closed run may be remembered besides.

        1. A run is closed, and its trial with it.
        2. A second trial of the same task in the same world begins. Its id ends with `-c1`.
        3. Three other runs begin and are closed.
        """
        monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 1)
        benchmark = EcomBenchmark()

        oldest_run = closed_run(benchmark)
        benchmark.start_trial(f"{oldest_run.trials[0].trial_id}-c1")
        for _ in range(3):
            closed_run(benchmark)

        assert not is_forgotten(benchmark, oldest_run)

    def test_closing_the_benchmark_ends_a_trial_that_began_in_a_closed_run(
        self,
    ) -> None:
        """The trial is a second one (`-c1`) in the world of one that was closed with its run."""
        benchmark = EcomBenchmark()
        run = closed_run(benchmark)
        later_trial = benchmark.start_trial(f"{run.trials[0].trial_id}-c1")

        benchmark.close()

        with pytest.raises(CallError, match="has ended"):
            later_trial.environment.call("list", {})


class TestScoresOfPlayers:
    """Fixed rules earn something in every run, and cheap tricks earn nothing.

    A *player* answers all tasks of a run, and gets the mean of their scores.
    """

    @pytest.mark.parametrize(
        ("seed", "trial_count"),
        [
            pytest.param(4, 24, id="24 trials"),
            pytest.param(11, 100, id="100 trials", marks=pytest.mark.heavy),
            pytest.param(3, 100, id="100 others", marks=pytest.mark.heavy),
        ],
    )
    def test_the_rule_based_player_answers_every_trial_and_many_rightly(
        self, seed: int, trial_count: int, tmp_path: Path
    ) -> None:
        """A run without a model is played by fixed rules.

        `wordings=known` means that requests are worded as they were when the rules were written.
        """
        result = run_in_process(
            "run",
            f"--seed={seed}",
            f"--limit={trial_count}",
            "--concurrency=2",
            "--set=wordings=known",
            "--json",
            cwd=tmp_path,
        )

        assert result.code == 0, result.err
        for trial in result.json["trials"]:
            assert trial["state"] == "answered"
        least_score = 0.4  # What the rules earn at least with each of these seeds.
        assert result.json["score"] >= least_score

    def test_a_cheap_mistake_costs_the_whole_score(self) -> None:
        """A cheap mistake is a right answer, except for a trick that a lazy agent may try.

        It cites every page in case one is demanded, say, or makes a forbidden change and takes it
        back. Not every task allows each of the four tricks.
        """
        applied_mistakes = set[str]()
        every_fourth_task = task_ids()[3::4]  # All 100 tasks would take too long.
        for seed in range(2):
            for task_id in every_fourth_task:
                task = generate_task(task_id, f"cheap|{seed}")
                for name, mistake in cheap_mistakes(task).items():
                    environment = EcomEnvironment(workspace_of(task.world))
                    answer_with(mistake, environment, task.truth)
                    score = grade(task.truth, environment).score
                    assert score == 0.0, (name, task.instruction)
                    applied_mistakes.add(name)

        assert applied_mistakes == {
            "acts, restores, refuses",
            "cites every page",
            "cites every tool",
            "cites #anything",
        }


@pytest.fixture
def audit_without_rule_based_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the audit a fixed score for the rule-based player, whose runs take long."""
    monkeypatch.setattr(audit, "rule_based_score", lambda *_: 0.5)


class TestAudit:
    """The audit lets blind players play many trials, such as one that always answers "no".

    They do not look at the shop. If one earns too much, the tasks are too easy to guess.
    """

    @pytest.mark.usefixtures("audit_without_rule_based_player")
    def test_the_audit_prints_a_line_for_every_player(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A rule-based player, which reads the shop, is printed for comparison."""
        assert main(["--trials", "8"]) == 0

        printed = capsys.readouterr().out
        for player in BLIND_PLAYERS:
            assert f"\n{player.name} " in printed
        assert "\nrule-based player, known " in printed

    @pytest.mark.usefixtures("audit_without_rule_based_player")
    def test_the_audit_fails_if_a_blind_player_earns_too_much(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """The limit of -1 is too low for any player: even a score of 0 is more."""
        player_with_low_limit = BlindPlayer("no", say_no, highest_score=-1.0)
        monkeypatch.setattr(audit, "BLIND_PLAYERS", (player_with_low_limit,))

        assert main(["--trials", "8"]) == 1

        assert "TOO MUCH" in capsys.readouterr().out
