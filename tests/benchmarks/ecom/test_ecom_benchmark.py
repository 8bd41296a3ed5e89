"""The embedded benchmark: its lifecycle, its player by rules,
its recorded model, and the screen of the first run."""

from dataclasses import dataclass
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
from tests.support.command import run_in_process, run_python


def open_ecom(**settings: str) -> Benchmark:
    return open_benchmark("", settings, BenchmarkContext()).benchmark


def start_run(
    benchmark: Benchmark, selection: TaskSelection, seed: int = 0
) -> StartedRun:
    return start_selected_run(benchmark, selection, name="a run", seed=seed)


def start_run_of_one_task(benchmark: Benchmark) -> StartedRun:
    return start_run(benchmark, TaskSelection(limit=1))


def answer_rightly(trial: Trial) -> None:
    """Make the changes of the task's reference solution, and give its answer."""
    trial_id = TrialId.parse(trial.trial_id)
    assert trial_id is not None
    truth = generate_task(trial.task_id, trial_id.world_seed, PLAYED).truth
    answer_with(reference_of(truth.family), trial.environment, truth)


def test_a_trial_starts_from_its_id_in_another_process() -> None:
    run = start_run(open_ecom(), TaskSelection(names=("stock-count.1",)), seed=-3)
    trial_id = run.trials[0].trial_id

    benchmark_that_knows_only_the_id = open_ecom()
    trial = benchmark_that_knows_only_the_id.start_trial(trial_id)
    answer_rightly(trial)
    ended = benchmark_that_knows_only_the_id.end_trial(trial_id)

    assert ended is not None
    assert ended.score == 1.0


def test_a_blind_run_keeps_its_scores_until_it_is_asked_after_the_submit() -> None:
    benchmark = open_ecom(policy="blind")
    assert benchmark.describe().policy == "blind"
    run = start_run_of_one_task(benchmark)
    trial_id = run.trials[0].trial_id
    answer_rightly(benchmark.start_trial(trial_id))

    assert benchmark.end_trial(trial_id) is None

    submitted = benchmark.submit_run(run.run_id, force=False)
    assert submitted.state == RunState.PENDING
    assert submitted.score is None
    assert submitted.trials[0].score is None

    revealed = benchmark.get_run(run.run_id)
    assert revealed.state == RunState.EVALUATED
    assert revealed.score == 1.0


def test_force_closes_the_open_trials_of_its_own_run_alone() -> None:
    here = open_ecom()
    there = open_ecom()
    first_run = start_run_of_one_task(here)
    second_run = start_run_of_one_task(here)
    there.start_trial(first_run.trials[0].trial_id)
    there.start_trial(second_run.trials[0].trial_id)

    with pytest.raises(BenchmarkError, match="1 trials have not ended"):
        there.submit_run(first_run.run_id, force=False)
    result = there.submit_run(first_run.run_id, force=True)

    (closed_trial,) = result.trials
    assert closed_trial.score == 0.0
    assert closed_trial.details == ("forced close",)
    trial_of_second_run = there.end_trial(second_run.trials[0].trial_id)
    assert trial_of_second_run is not None
    assert trial_of_second_run.details == ("no answer provided",)


def test_an_ended_trial_does_not_start_again_and_its_environment_is_closed() -> None:
    benchmark = open_ecom()
    trial_id = start_run_of_one_task(benchmark).trials[0].trial_id
    trial = benchmark.start_trial(trial_id)
    benchmark.end_trial(trial_id)

    with pytest.raises(BenchmarkError, match="ended already"):
        benchmark.start_trial(trial_id)
    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})


def test_the_oldest_closed_runs_are_forgotten_and_open_ones_are_not(
    monkeypatch,
) -> None:
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()
    open_runs = [start_run_of_one_task(benchmark) for _ in range(2)]
    closed_runs = []
    for _ in range(6):
        run = start_run_of_one_task(benchmark)
        benchmark.submit_run(run.run_id, force=True)
        closed_runs.append(run)

    for run in open_runs:
        assert benchmark.get_run(run.run_id).state == RunState.RUNNING
    for run in closed_runs[-2:]:
        assert benchmark.get_run(run.run_id).state == RunState.EVALUATED
    assert len(benchmark.get_run(closed_runs[0].run_id).trials) == 0


def test_a_closed_run_with_an_open_trial_is_not_forgotten(monkeypatch) -> None:
    """A trial is open in the oldest of four closed runs, of which one may be kept.

    Closing the benchmark ends that trial, so the benchmark still knew it."""
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 1)
    benchmark = EcomBenchmark()
    run = start_run_of_one_task(benchmark)
    benchmark.submit_run(run.run_id, force=True)
    # The run's own trials were closed with it. This one has an id of its own in the run.
    trial = benchmark.start_trial(f"{run.trials[0].trial_id}-c1")
    for _ in range(3):
        later_run = start_run_of_one_task(benchmark)
        benchmark.submit_run(later_run.run_id, force=True)

    benchmark.close()

    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})


LEAST_SCORE_OF_KNOWN_WORDINGS = 0.4
"""What the player by rules earns at least on the wordings that its author knew."""


@pytest.mark.parametrize(
    ("seed", "trial_count"),
    [
        (4, 24),
        pytest.param(11, 100, marks=pytest.mark.heavy),
        pytest.param(3, 100, marks=pytest.mark.heavy),
    ],
)
def test_known_wordings_are_played_well_enough_and_every_trial_is_answered(
    seed: int, trial_count: int, tmp_path: Path
) -> None:
    result = run_in_process(
        "run",
        *("--seed", str(seed)),
        *("--limit", str(trial_count)),
        *("--concurrency", "2"),
        *("--set", "wordings=known"),
        "--json",
        cwd=tmp_path,
    )

    assert result.code == 0, result.err
    assert {trial["state"] for trial in result.json["trials"]} == {"answered"}
    assert result.json["score"] >= LEAST_SCORE_OF_KNOWN_WORDINGS


def test_a_cheap_fault_costs_the_whole_score_wherever_it_applies() -> None:
    applied_mistakes = set[str]()
    every_fourth_task = task_ids()[3::4]
    for seed in range(2):
        for task_id in every_fourth_task:
            task = generate_task(task_id, f"cheap|{seed}")
            for name, mistake in cheap_mistakes(task).items():
                environment = EcomEnvironment(workspace_of(task.world))
                answer_with(mistake, environment, task.truth)
                score = grade(task.truth, environment).score
                assert score == 0.0, (name, task.instruction)
                applied_mistakes.add(name)

    # `cheap_mistakes` has four in all; not every task allows each of them.
    assert len(applied_mistakes) == 4, applied_mistakes


@pytest.fixture
def audit_without_rule_based_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit takes a fixed score for the player by rules, whose runs take long."""
    monkeypatch.setattr(audit, "rule_based_score", lambda *_: 0.5)


@pytest.mark.usefixtures("audit_without_rule_based_player")
def test_the_audit_prints_a_line_for_every_player(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--trials", "8"]) == 0

    printed = capsys.readouterr().out
    for player in BLIND_PLAYERS:
        assert f"\n{player.name} " in printed
    assert "\nrule-based player, known " in printed


@pytest.mark.usefixtures("audit_without_rule_based_player")
def test_the_audit_fails_if_a_blind_player_earns_too_much(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Even a score of 0 is more than this player may have.
    strict_player = BlindPlayer("no", say_no, highest_score=-1.0)
    monkeypatch.setattr(audit, "BLIND_PLAYERS", (strict_player,))

    assert main(["--trials", "8"]) == 1

    assert "TOO MUCH" in capsys.readouterr().out


ROOT = Path(__file__).parents[3]
RECORDED = ScriptedModel.from_file(RECORDING)
TASK_WITH_REJECTED_ANSWER = "stock-count.1"
"""A gate sends the first answer back, and the recorded model corrects it."""

TASK_WITH_HELD_CALL = "discount-limit.1"
"""The pre-call check holds a discount, and the recorded model does without."""


@pytest.fixture(scope="module")
def recorded_run(tmp_path_factory):
    """The result of a run of all recorded tasks with the recorded replies."""
    return controlplane.run(
        "ecom", model="recorded", runs_dir=str(tmp_path_factory.mktemp("runs"))
    )


def test_the_recorded_replies_get_the_recorded_scores(recorded_run):
    assert {
        trial.task_id: trial.score for trial in recorded_run.trials
    } == RECORDED.scores
    assert {trial.state for trial in recorded_run.trials} == {"answered"}


def test_the_recording_has_many_families_and_fails_two_tasks():
    families = {task_id.rpartition(".")[0] for task_id in RECORDED.scores}
    failed_tasks = [task_id for task_id, score in RECORDED.scores.items() if score == 0]
    other_scores = [score for score in RECORDED.scores.values() if score != 0]

    assert len(families) >= 16
    assert len(failed_tasks) == 2
    assert min(other_scores) == 1


def test_gates_and_the_pre_call_check_make_a_difference(tmp_path):
    tasks = (TASK_WITH_REJECTED_ANSWER, TASK_WITH_HELD_CALL)

    run_without_gates = controlplane.run(
        "ecom", *tasks, model="recorded", gates="none", runs_dir=str(tmp_path)
    )

    scores = {trial.task_id: trial.score for trial in run_without_gates.trials}
    for task in tasks:
        assert RECORDED.scores[task] == 1
        assert scores[task] == 0


def test_the_walk_shows_the_held_call_and_what_became_of_it(recorded_run, tmp_path):
    replay = run_in_process(
        "replay",
        str(recorded_run.journal),
        *("--trial", TASK_WITH_HELD_CALL),
        *("--step", "1"),
        cwd=tmp_path,
    )

    held_call = (
        "held by the pre-call check, then not done: `/bin/discount basket-0829 8"
    )
    assert f"\n{held_call}" in replay.out


@pytest.mark.parametrize(
    ("tasks", "settings", "refusal"),
    [
        (("crosslist",), {}, "the recorded model played no 'crosslist'"),
        ((), {"worlds": 2}, "leave out --worlds"),
    ],
)
def test_what_was_not_recorded_is_refused_before_the_run(
    tmp_path, tasks, settings, refusal
):
    with pytest.raises(UsageError, match=refusal):
        controlplane.run(
            "ecom", *tasks, model="recorded", runs_dir=str(tmp_path), **settings
        )

    assert not list(tmp_path.iterdir())


def test_a_recording_made_from_its_own_run_is_the_same(recorded_run, tmp_path, capsys):
    recording = tmp_path / "recorded.toml"
    recording.write_bytes(RECORDING.read_bytes())

    record([str(recorded_run.journal), str(recording)], standalone_mode=False)

    assert recording.read_bytes() == RECORDING.read_bytes()
    assert capsys.readouterr().out == "18 tasks, 34 replies, mean score 0.889\n"


def test_recording_anew_tells_what_has_changed(recorded_run, tmp_path, capsys):
    older_text = (
        RECORDING.read_text()
        .replace('"open-branches.1" = 0.0', '"open-branches.1" = 1.0')
        .replace("tomorrow", "then")  # in a reply for `calendar-date.1`
    )
    recording = tmp_path / "recorded.toml"
    recording.write_text(older_text)

    record([str(recorded_run.journal), str(recording)], standalone_mode=False)

    assert capsys.readouterr().out.splitlines()[:2] == [
        "calendar-date.1: other replies, score 1.0",
        "open-branches.1: 1.0 -> 0.0",
    ]


def line_number(lines: list[str], beginning: str) -> int:
    """Return the number, from 0, of the first line that begins so."""
    for number, line in enumerate(lines):
        if line.startswith(beginning):
            return number
    msg = f"no line begins with {beginning!r}"
    raise AssertionError(msg)


SCREEN_LINES = 23
"""The lines of a terminal of the usual 24, without that of the next prompt."""
SCREEN_COLUMNS = 80


@dataclass(frozen=True)
class FirstRun:
    screen: list[str]
    """The printed lines."""
    runs_folder: Path


@pytest.fixture(scope="module")
def first_run(tmp_path_factory) -> FirstRun:
    """What `./start` shows who has just fetched the repository."""
    runs_folder = tmp_path_factory.mktemp("first_run")
    settings = {
        "CONTROLPLANE_RUNS_DIR": str(runs_folder),
        "CONTROLPLANE_CALLED_AS": "./start",
        "COLUMNS": str(SCREEN_COLUMNS),
    }
    command = run_python("-m", "controlplane.first_run", **settings)
    return FirstRun(command.out.splitlines(), runs_folder)


def test_the_first_run_ends_with_one_screen(first_run):
    lines = first_run.screen

    assert len(lines) <= SCREEN_LINES
    for line in lines:
        assert len(line) <= SCREEN_COLUMNS

    # The scores, of all tasks and in sum
    assert (
        "mean score 0.889 with gates that check each answer and call; without them 0.778"
        in lines
    )
    table_of_scores = lines[1:7]
    shown_scores = sum(line.count(".00 ") for line in table_of_scores)
    assert shown_scores == len(RECORDED.scores)
    failures = [line for line in lines if " failed (0.00): expected outcome" in line]
    assert len(failures) == 2

    # The answer that a gate sent back
    rejected = lines.index(
        f"{TASK_WITH_REJECTED_ANSWER} answered <COUNT:5>, which was sent back:"
    )
    assert lines[rejected + 1].startswith("  gate 4 (citations were read): ")
    assert lines[rejected + 4] == (
        "  score 1.00; without gates the first answer goes out: 0.00"
    )

    # The call that the pre-call check held
    held = line_number(lines, f"{TASK_WITH_HELD_CALL}: a call was held: /bin/discount ")
    assert lines[held + 2] == (
        "  then: not done; score 1.00; without gates the call is sent: 0.00"
    )

    # What to do next: `./start replay ... # why`
    next_commands = lines[-3:]
    assert [line.partition("# ")[2] for line in next_commands] == [
        "why",
        "your own model: docs/models.md",
        "your own task: docs/benchmarks.md",
    ]
    assert len(list(first_run.runs_folder.glob("*.jsonl"))) == 1


def test_the_readme_shows_the_screen_of_the_first_run(first_run):
    lines = first_run.screen

    readme = (ROOT / "README.md").read_text("utf-8").splitlines()
    lines_not_in_readme = [line for line in lines if line not in readme]
    line_that_names_the_run = lines[-3]
    assert lines_not_in_readme == [line_that_names_the_run]
