"""The embedded benchmark `ecom`, whose tasks are requests to a generated shop.

It needs no server and no model: `controlplane run ecom` is played by fixed rules or by
recorded replies of a model. The tests cover its runs and trials (a trial is one task in a world
of its own), the audit of lazy players, the recorded model, and the screen that
`./start` shows to a newcomer.
"""

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
from controlplane.benchmarks.ecom.audit import main
from controlplane.benchmarks.ecom.blind_players import (
    BLIND_PLAYERS,
    BlindPlayer,
    say_no,
)
from controlplane.benchmarks.ecom.ecom_benchmark import (
    RECORDING,
    EcomBenchmark,
    TrialId,
    open_benchmark,
)
from controlplane.benchmarks.ecom.record import record
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import PLAYED
from controlplane.errors import UsageError
from controlplane.sandbox.interface import CallError, bounds
from tests.benchmarks.ecom.mistakes import cheap_mistakes
from tests.benchmarks.ecom.reference_solutions import reference_of
from tests.benchmarks.ecom.wrong_solutions import answer_with
from tests.support.command import run_in_process, run_python


def open_ecom(**settings: str) -> Benchmark:
    """Open the benchmark as a new process does. `policy="blind"` hides scores until a run ends."""
    return open_benchmark("", settings, BenchmarkContext()).benchmark


def start_run(
    benchmark: Benchmark, selection: TaskSelection, seed: int = 0
) -> StartedRun:
    return start_selected_run(benchmark, selection, name="a run", seed=seed)


def start_run_of_one_task(benchmark: Benchmark) -> StartedRun:
    """Start a run whose only trial is of the first task."""
    return start_run(benchmark, TaskSelection(limit=1))


def answer_rightly(trial: Trial) -> None:
    """Make the changes of the task's reference solution, and give its answer."""
    trial_id = TrialId.parse(trial.trial_id)
    assert trial_id is not None
    truth = generate_task(trial.task_id, trial_id.world_seed, PLAYED).truth
    answer_with(reference_of(truth.family), trial.environment, truth)


def test_a_trial_starts_from_its_id_in_another_process() -> None:
    """A benchmark object that knows nothing of the run stands for the other process."""
    run = start_run(open_ecom(), TaskSelection(names=("stock-count.1",)), seed=-3)
    trial_id = run.trials[0].trial_id

    other_process = open_ecom()
    trial = other_process.start_trial(trial_id)
    answer_rightly(trial)
    ended = other_process.end_trial(trial_id)

    assert ended is not None
    assert ended.score == 1.0


def test_a_blind_run_shows_its_scores_only_after_it_was_submitted() -> None:
    """Neither the end of the trial nor the submit tells the score; asking afterwards does."""
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


def test_a_forced_submit_closes_the_open_trials_of_its_own_run_only() -> None:
    """Two runs have an open trial each, in another process than the one that started them."""
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
    trial_of_second_run = playing_process.end_trial(second_run.trials[0].trial_id)
    assert trial_of_second_run is not None
    assert trial_of_second_run.details == ("no answer provided",)


def test_an_ended_trial_does_not_start_again_and_its_environment_is_closed() -> None:
    """Otherwise, an agent could go on after it has seen its score."""
    benchmark = open_ecom()
    trial_id = start_run_of_one_task(benchmark).trials[0].trial_id
    trial = benchmark.start_trial(trial_id)
    benchmark.end_trial(trial_id)

    with pytest.raises(BenchmarkError, match="ended already"):
        benchmark.start_trial(trial_id)
    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})


def test_only_the_oldest_closed_runs_are_forgotten(monkeypatch) -> None:
    """Two closed runs may be remembered, besides all open ones."""
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
    """A trial is open in the oldest of four closed runs, of which one may be remembered.

    Closing the benchmark ends that trial, so the benchmark has not forgotten it.
    """
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


LEAST_SCORE_OF_RULES = 0.4
"""What the rule-based player earns at least on the wordings for which it was written."""


@pytest.mark.parametrize(
    ("seed", "trial_count"),
    [
        pytest.param(4, 24, id="24 trials"),
        pytest.param(11, 100, id="100 trials", marks=pytest.mark.heavy),
        pytest.param(3, 100, id="100 others", marks=pytest.mark.heavy),
    ],
)
def test_the_rule_based_player_answers_every_trial_and_many_rightly(
    seed: int, trial_count: int, tmp_path: Path
) -> None:
    """A run without a model is played by fixed rules, which know many wordings of requests."""
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
    for trial in result.json["trials"]:
        assert trial["state"] == "answered"
    assert result.json["score"] >= LEAST_SCORE_OF_RULES


def test_a_cheap_mistake_costs_the_whole_score() -> None:
    """A cheap mistake is right except for a trick, such as the citation of every page."""
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

    # Not every task allows each of them.
    assert applied_mistakes == {
        "acts, restores, refuses",
        "cites every page",
        "cites every tool",
        "cites #anything",
    }


# The audit ------------------------------------------------------------------------------------


@pytest.fixture
def audit_without_rule_based_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the audit a fixed score for the rule-based player, whose runs take long."""
    monkeypatch.setattr(audit, "rule_based_score", lambda *_: 0.5)


@pytest.mark.usefixtures("audit_without_rule_based_player")
def test_the_audit_prints_a_line_for_every_player(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The audit lets blind players play many trials: one of them always answers "no", say.

    If one earns too much, the tasks are too easy to guess.
    """
    assert main(["--trials", "8"]) == 0

    printed = capsys.readouterr().out
    for player in BLIND_PLAYERS:
        assert f"\n{player.name} " in printed
    assert "\nrule-based player, known " in printed


@pytest.mark.usefixtures("audit_without_rule_based_player")
def test_the_audit_fails_if_a_blind_player_earns_too_much(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A score of 0 is already more than this player may have.
    strict_player = BlindPlayer("no", say_no, highest_score=-1.0)
    monkeypatch.setattr(audit, "BLIND_PLAYERS", (strict_player,))

    assert main(["--trials", "8"]) == 1

    assert "TOO MUCH" in capsys.readouterr().out


# The recorded model --------------------------------------------------------------------------

RECORDED = ScriptedModel.from_file(RECORDING)
"""The replies that a model once gave to some tasks, and the scores that it got.

`--model recorded` plays them again.
"""
TASK_WITH_REJECTED_ANSWER = "stock-count.1"
"""Here a gate, which checks answers, sends the first one back, and the model corrects it."""
TASK_WITH_HELD_CALL = "discount-limit.1"
"""Here the pre-call check holds a discount back, and the model does without it."""


@pytest.fixture(scope="module")
def recorded_run(tmp_path_factory):
    """A run of all recorded tasks with the recorded replies."""
    return controlplane.run(
        "ecom", model="recorded", runs_dir=str(tmp_path_factory.mktemp("runs"))
    )


def test_the_recorded_replies_get_the_recorded_scores(recorded_run):
    """`--model recorded` repeats what a model once replied, so it must score the same."""
    scores = {trial.task_id: trial.score for trial in recorded_run.trials}

    assert scores == RECORDED.scores
    for trial in recorded_run.trials:
        assert trial.state == "answered"


def test_the_recording_solves_tasks_of_many_families_and_fails_two():
    """It shows a newcomer right answers of many kinds, and what a failure looks like."""
    families = {task_id.rpartition(".")[0] for task_id in RECORDED.scores}
    failed_tasks = [task_id for task_id, score in RECORDED.scores.items() if score == 0]
    other_scores = [score for score in RECORDED.scores.values() if score != 0]

    assert len(families) >= 16
    assert len(failed_tasks) == 2
    assert min(other_scores) == 1


def test_without_gates_and_pre_call_check_two_tasks_fail(tmp_path):
    """Gates check answers, and the pre-call check looks at calls before they change anything.

    So the recording shows a newcomer what both are good for.
    """
    tasks = (TASK_WITH_REJECTED_ANSWER, TASK_WITH_HELD_CALL)

    run_without_gates = controlplane.run(
        "ecom", *tasks, model="recorded", gates="none", runs_dir=str(tmp_path)
    )

    scores = {trial.task_id: trial.score for trial in run_without_gates.trials}
    for task in tasks:
        assert RECORDED.scores[task] == 1
        assert scores[task] == 0


def test_replay_of_a_step_shows_the_held_call_and_its_end(recorded_run, tmp_path):
    """`replay` shows what a step of a recorded run did, and what became of a call that was held."""
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


def test_a_task_that_was_not_recorded_is_refused_before_the_run(tmp_path):
    """No journal is written for a run that cannot begin."""
    with pytest.raises(UsageError, match="the recorded model played no 'crosslist'"):
        controlplane.run("ecom", "crosslist", model="recorded", runs_dir=str(tmp_path))

    assert list(tmp_path.iterdir()) == []


def test_worlds_that_were_not_recorded_are_refused_before_the_run(tmp_path):
    """`--worlds 2` plays each task in two worlds; the recording has only one of each."""
    with pytest.raises(UsageError, match="leave out --worlds"):
        controlplane.run("ecom", model="recorded", worlds=2, runs_dir=str(tmp_path))

    assert list(tmp_path.iterdir()) == []


def test_a_recording_made_from_a_run_of_itself_is_the_same(
    recorded_run, tmp_path, capsys
):
    """`record` writes a recording, which is a file of replies and scores, from a journal."""
    recording = tmp_path / "recorded.toml"
    recording.write_bytes(RECORDING.read_bytes())

    record([str(recorded_run.journal), str(recording)], standalone_mode=False)

    assert recording.read_bytes() == RECORDING.read_bytes()
    assert capsys.readouterr().out == "18 tasks, 34 replies, mean score 0.889\n"


def test_recording_again_prints_what_has_changed(recorded_run, tmp_path, capsys):
    """The older recording has another score of one task, and another reply to a second."""
    older_text = RECORDING.read_text()
    older_text = older_text.replace(
        '"open-branches.1" = 0.0', '"open-branches.1" = 1.0'
    )
    word_in_reply_for_calendar_date = "tomorrow"
    older_text = older_text.replace(word_in_reply_for_calendar_date, "then")
    recording = tmp_path / "recorded.toml"
    recording.write_text(older_text)

    record([str(recorded_run.journal), str(recording)], standalone_mode=False)

    assert capsys.readouterr().out.splitlines()[:2] == [
        "calendar-date.1: other replies, score 1.0",
        "open-branches.1: 1.0 -> 0.0",
    ]


# The first run --------------------------------------------------------------------------------


def line_index(lines: list[str], beginning: str) -> int:
    """Return the index of the first line that begins like this."""
    for index, line in enumerate(lines):
        if line.startswith(beginning):
            return index
    msg = f"no line begins with {beginning!r}"
    raise AssertionError(msg)


SCREEN_LINES = 23
"""The usual terminal has 24 lines, and the last is for the next prompt."""
SCREEN_COLUMNS = 80


@dataclass(frozen=True)
class FirstRun:
    """What the first run of a newcomer printed and left behind."""

    screen: list[str]
    """The printed lines."""
    runs_folder: Path
    """Where the journal of the run is."""


@pytest.fixture(scope="module")
def first_run(tmp_path_factory) -> FirstRun:
    """The first run of somebody who has just fetched the repository, by `./start`.

    It plays the recorded model, once with and once without the gates, which check answers.
    """
    runs_folder = tmp_path_factory.mktemp("first_run")
    settings = {
        "CONTROLPLANE_RUNS_DIR": str(runs_folder),
        "CONTROLPLANE_CALLED_AS": "./start",
        "COLUMNS": str(SCREEN_COLUMNS),
    }
    command = run_python("-m", "controlplane.first_run", **settings)
    return FirstRun(command.out.splitlines(), runs_folder)


def test_the_first_run_fits_one_screen_and_leaves_a_journal(first_run):
    """A newcomer should see all of it at once, and can then replay it."""
    assert len(first_run.screen) <= SCREEN_LINES
    for line in first_run.screen:
        assert len(line) <= SCREEN_COLUMNS
    assert len(list(first_run.runs_folder.glob("*.jsonl"))) == 1


def test_the_first_run_shows_the_score_of_each_task_and_the_mean(first_run):
    """It plays a recorded model with and without gates, which check answers and calls."""
    lines = first_run.screen

    # The table begins after the heading: "  0.00 open-branches        1.00 discount-grant"
    table_of_scores = lines[1:7]
    shown_scores = sum(line.count(".00 ") for line in table_of_scores)
    assert shown_scores == len(RECORDED.scores)
    assert (
        "mean score 0.889 with gates that check each answer and call; without them 0.778"
        in lines
    )
    failures = [line for line in lines if " failed (0.00): expected outcome" in line]
    assert len(failures) == 2


def test_the_first_run_shows_the_answer_that_a_gate_sent_back(first_run):
    """Below the answer is the gate's objection, and what both answers score."""
    lines = first_run.screen

    index = lines.index(
        f"{TASK_WITH_REJECTED_ANSWER} answered <COUNT:5>, which was sent back:"
    )
    assert lines[index + 1].startswith("  gate 4 (citations were read): ")
    assert lines[index + 4] == (
        "  score 1.00; without gates the first answer goes out: 0.00"
    )


def test_the_first_run_shows_the_call_that_the_pre_call_check_held(first_run):
    """Below the call is why it was held, and what became of it."""
    lines = first_run.screen

    index = line_index(lines, f"{TASK_WITH_HELD_CALL}: a call was held: /bin/discount ")
    assert lines[index + 2] == (
        "  then: not done; score 1.00; without gates the call is sent: 0.00"
    )


def test_the_first_run_ends_with_commands_to_go_on_with(first_run):
    """Each line is a command with its purpose: `./start replay ... # why`."""
    purposes = [line.partition("# ")[2] for line in first_run.screen[-3:]]
    assert purposes == [
        "why",
        "your own model: docs/models.md",
        "your own task: docs/benchmarks.md",
    ]


def test_the_readme_shows_the_screen_of_the_first_run(first_run):
    """The line with the name of the run differs each time."""
    lines = first_run.screen
    repository = Path(__file__).parents[3]

    readme = (repository / "README.md").read_text("utf-8").splitlines()
    lines_not_in_readme = [line for line in lines if line not in readme]
    line_that_names_the_run = lines[-3]
    assert lines_not_in_readme == [line_that_names_the_run]
