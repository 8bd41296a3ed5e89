"""The embedded benchmark: its lifecycle, its player by rules,
its recorded model, and the screen of the first run."""

from pathlib import Path

import pytest

import controlplane
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
from controlplane.agent.model import ScriptedModel
from controlplane.benchmarks.ecom import audit
from controlplane.benchmarks.ecom.audit import BLIND_PLAYERS, BlindPlayer, main, say_no
from controlplane.benchmarks.ecom.ecom_benchmark import (
    RECORDING,
    EcomBenchmark,
    TrialId,
    open_benchmark,
)
from controlplane.benchmarks.ecom.record import record
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED
from controlplane.errors import UsageError
from controlplane.sandbox.interface import CallError, bounds
from tests.benchmarks.ecom.mistakes import answer_with, cheap_mistakes
from tests.benchmarks.ecom.reference_solutions import reference_of
from tests.support.command import inside, python


def opened(**settings: str) -> Benchmark:
    return open_benchmark("", settings, BenchmarkContext()).benchmark


def start(benchmark: Benchmark, selection: TaskSelection, seed: int = 0) -> StartedRun:
    return start_selected_run(benchmark, selection, name="a run", seed=seed)


def solve(trial: Trial) -> None:
    parsed = TrialId.parse(trial.trial_id)
    assert parsed is not None
    truth = generate_task(trial.task_id, parsed.world_seed, PLAYED).truth
    answer_with(reference_of(truth.family), trial.environment, truth)


def test_a_trial_starts_from_its_id_in_another_process() -> None:
    head = start(opened(), TaskSelection(names=("stock-count.1",)), seed=-3).trials[0]
    there = opened()
    trial = there.start_trial(head.trial_id)
    solve(trial)
    ended = there.end_trial(head.trial_id)

    assert ended is not None
    assert ended.score == 1.0


def test_a_blind_run_keeps_its_scores_until_it_is_asked_after_the_submit() -> None:
    benchmark = opened(policy="blind")
    assert benchmark.describe().policy == "blind"
    started = start(benchmark, TaskSelection(limit=1))
    solve(benchmark.start_trial(started.trials[0].trial_id))
    assert benchmark.end_trial(started.trials[0].trial_id) is None
    pending = benchmark.submit_run(started.run_id, force=False)
    assert (pending.state, pending.score, pending.trials[0].score) == (
        RunState.PENDING,
        None,
        None,
    )
    revealed = benchmark.get_run(started.run_id)
    assert (revealed.state, revealed.score) == (RunState.EVALUATED, 1.0)


def test_force_closes_the_open_trials_of_its_own_run_alone() -> None:
    here, there = opened(), opened()
    first, second = (start(here, TaskSelection(limit=1)) for _ in range(2))
    for started in (first, second):
        there.start_trial(started.trials[0].trial_id)
    with pytest.raises(BenchmarkError, match="1 trials have not ended"):
        there.submit_run(first.run_id, force=False)
    result = there.submit_run(first.run_id, force=True)

    assert [(trial.score, trial.details) for trial in result.trials] == [
        (0.0, ("forced close",))
    ]
    ended = there.end_trial(second.trials[0].trial_id)
    assert ended is not None
    assert ended.details == ("no answer provided",)


def test_an_ended_trial_does_not_start_again_and_its_environment_is_closed() -> None:
    benchmark = opened()
    head = start(benchmark, TaskSelection(limit=1)).trials[0]
    trial = benchmark.start_trial(head.trial_id)
    benchmark.end_trial(head.trial_id)
    with pytest.raises(BenchmarkError, match="ended already"):
        benchmark.start_trial(head.trial_id)
    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})


def test_the_oldest_closed_runs_are_forgotten_and_open_ones_are_not(
    monkeypatch,
) -> None:
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()
    runs = [
        start_selected_run(benchmark, TaskSelection(limit=1), name="a run", seed=0)
        for _ in range(2)
    ]
    for _ in range(6):
        runs.append(
            start_selected_run(benchmark, TaskSelection(limit=1), name="a run", seed=0)
        )
        benchmark.submit_run(runs[-1].run_id, force=True)
    states = [benchmark.get_run(run.run_id).state for run in runs]

    assert states[:2] == [RunState.RUNNING] * 2
    assert states[-2:] == [RunState.EVALUATED] * 2
    assert len(benchmark.get_run(runs[2].run_id).trials) == 0


def test_a_closed_run_with_an_open_trial_is_not_forgotten(monkeypatch) -> None:
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 1)
    benchmark = EcomBenchmark()
    run = start(benchmark, TaskSelection(limit=1))
    benchmark.submit_run(run.run_id, force=True)
    trial_id = f"{run.trials[0].trial_id}-c1"  # of none of the run's trials
    trial = benchmark.start_trial(trial_id)
    for _ in range(3):
        other = start(benchmark, TaskSelection(limit=1))
        benchmark.submit_run(other.run_id, force=True)
    benchmark.close()
    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})


LEAST = 0.4


@pytest.mark.parametrize(
    ("seed", "trials"),
    [
        (4, 24),
        *(pytest.param(number, 100, marks=pytest.mark.heavy) for number in (11, 3)),
    ],
)
def test_known_wordings_are_played_well_enough_and_every_trial_is_answered(
    seed: int, trials: int, tmp_path: Path
) -> None:
    flags = (
        "--seed",
        str(seed),
        "--limit",
        str(trials),
        "--concurrency",
        "2",
        "--set",
        "wordings=known",
        "--json",
    )
    result = inside("run", *flags, cwd=tmp_path)

    assert result.code == 0, result.err
    assert {trial["state"] for trial in result.json["trials"]} == {"answered"}
    assert result.json["score"] >= LEAST


def test_a_cheap_fault_costs_the_whole_score_wherever_it_applies() -> None:
    names = set[str]()
    for task in (
        generate_task(task_id, f"cheap|{seed}")
        for seed in range(2)
        for task_id in task_ids()[3::4]
    ):
        for name, mistake in cheap_mistakes(task).items():
            environment = EcomEnvironment(workspace_of(task.world))
            answer_with(mistake, environment, task.truth)
            assert grade(task.truth, environment).score == 0.0, (name, task.instruction)
            names.add(name)

    assert len(names) == 4, names


def test_the_audit_prints_a_line_for_every_player_and_fails_if_one_earns_too_much(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "rule_based_score", lambda *_: 0.5)
    assert main(["--trials", "8"]) == 0
    printed = capsys.readouterr().out
    for blind in BLIND_PLAYERS:
        assert f"\n{blind.name} " in printed
    assert "\nrule-based player, known " in printed
    strict_player = BlindPlayer("no", say_no, highest_score=-1.0)
    monkeypatch.setattr(audit, "BLIND_PLAYERS", (strict_player,))
    assert main(["--trials", "8"]) == 1
    assert "TOO MUCH" in capsys.readouterr().out


ROOT = Path(__file__).parents[3]
RECORDED = ScriptedModel.from_file(RECORDING)
MENDED, CALLED = "stock-count.1", "discount-limit.1"


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    return controlplane.run(
        "ecom", model="recorded", runs_dir=str(tmp_path_factory.mktemp("runs"))
    )


def test_the_recorded_replies_get_the_recorded_scores(played):
    assert {trial.task_id: trial.score for trial in played.trials} == RECORDED.scores
    assert len({task.rpartition(".")[0] for task in RECORDED.scores}) >= 16
    assert sorted(RECORDED.scores.values())[:3] == [0, 0, 1]
    assert {trial.state for trial in played.trials} == {"answered"}


def test_gates_and_the_pre_call_check_make_a_difference(tmp_path):
    without = controlplane.run(
        "ecom", MENDED, CALLED, model="recorded", gates="none", runs_dir=str(tmp_path)
    )

    assert [RECORDED.scores[task] for task in (MENDED, CALLED)] == [1, 1]
    assert {trial.task_id: trial.score for trial in without.trials} == {
        MENDED: 0,
        CALLED: 0,
    }


def test_the_walk_shows_the_held_call_and_what_became_of_it(played, tmp_path):
    shown = inside(
        "replay", str(played.journal), "--trial", CALLED, "--step", "1", cwd=tmp_path
    ).out

    assert (
        "\nheld by the pre-call check, then not done: `/bin/discount basket-0829 8"
        in shown
    )


@pytest.mark.parametrize(
    ("tasks", "settings", "says"),
    [
        (("crosslist",), {}, "the recorded model played no 'crosslist'"),
        ((), {"worlds": 2}, "leave out --worlds"),
    ],
)
def test_what_was_not_recorded_is_refused_before_the_run(
    tmp_path, tasks, settings, says
):
    with pytest.raises(UsageError, match=says):
        controlplane.run(
            "ecom", *tasks, model="recorded", runs_dir=str(tmp_path), **settings
        )

    assert not list(tmp_path.iterdir())


def test_a_recording_made_from_its_own_run_is_the_same(played, tmp_path, capsys):
    again = tmp_path / "recorded.toml"
    again.write_bytes(RECORDING.read_bytes())
    record([str(played.journal), str(again)], standalone_mode=False)

    assert again.read_bytes() == RECORDING.read_bytes()
    assert capsys.readouterr().out == "18 tasks, 34 replies, mean score 0.889\n"
    text = RECORDING.read_text()
    again.write_text(
        text.replace('"open-branches.1" = 0.0', '"open-branches.1" = 1.0').replace(
            "tomorrow", "then"
        )
    )
    record([str(played.journal), str(again)], standalone_mode=False)
    assert capsys.readouterr().out.splitlines()[:2] == [
        "calendar-date.1: other replies, score 1.0",
        "open-branches.1: 1.0 -> 0.0",
    ]


def test_the_first_run_ends_with_one_screen(tmp_path):
    settings = {
        "CONTROLPLANE_RUNS_DIR": str(tmp_path),
        "CONTROLPLANE_CALLED_AS": "./start",
        "COLUMNS": "80",
    }
    lines = python("-m", "controlplane.first_run", **settings).out.splitlines()

    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
    assert (
        "mean score 0.889 with gates that check each answer and call; without them 0.778"
        in lines
    )
    assert sum(line.count(".00 ") for line in lines[1:7]) == len(RECORDED.scores)
    mended = lines.index(f"{MENDED} answered <COUNT:5>, which was sent back:")
    assert lines[mended + 1].startswith("  gate 4 (citations were read): ")
    assert (
        lines[mended + 4]
        == "  score 1.00; without gates the first answer goes out: 0.00"
    )
    held = next(
        at
        for at, line in enumerate(lines)
        if line.startswith(f"{CALLED}: a call was held: /bin/discount ")
    )
    assert (
        lines[held + 2]
        == "  then: not done; score 1.00; without gates the call is sent: 0.00"
    )
    assert sum(" failed (0.00): expected outcome" in line for line in lines) == 2
    assert [line.partition("# ")[2] for line in lines[-3:]] == [
        "why",
        "your own model: docs/models.md",
        "your own task: docs/benchmarks.md",
    ]
    assert len(list(tmp_path.glob("*.jsonl"))) == 1
    readme = (ROOT / "README.md").read_text("utf-8").splitlines()
    # it names the run
    assert [line for line in lines if line not in readme] == [lines[-3]]
