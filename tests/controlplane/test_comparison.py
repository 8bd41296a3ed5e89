"""What runs are worth beside each other, and what their scores and figures may claim.

Trials of the same task and world are compared in pairs, and a difference is shown if chance would
rarely give it. A rerun replaces the trials that it plays again, and a fork goes the same way as its
trial with the same replies. `replay --verify` compares all fields that do not vary. Odd scores
claim no more than they show, texts of journals do not steer the terminal, and printed commands can
be typed.
"""

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkOption,
    RunResult,
    RunState,
    ScoreScale,
    TrialScore,
    open_journal,
)
from controlplane.agent.events import (
    VARIES_BY_RUN,
    AnswerSent,
    CallRecord,
    event_classes,
    fields_marked,
    type_of,
)
from controlplane.errors import UsageError
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.totals.trial_summary import scores_by_task
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.program_invocation import invocation
from controlplane.replay.verification import compared_fields
from controlplane.run_comparison.comparing import (
    ComparedRun,
    compare_runs,
    compared_run,
)
from controlplane.run_comparison.results import Comparison
from controlplane.sandbox.interface import Operation, Parameter, Plain, ResultField
from controlplane.score_scale import ANY_NUMBER, UNIT_SCALE, exact
from tests.controlplane.scored_runs import scores, write_run
from tests.support.command import (
    CommandResult,
    CommandRunner,
    check_error_line,
    run_in_process,
)
from tests.support.journals import Scores, chained_lines, scored_journal
from tests.support.many_trials import OneToolEnvironment, SmallBenchmark
from tests.support.product_files import ROOT

# Two compared runs of given scores.
#
#     compared(folder, {"t0": [0.0]}, {"t0": [1.0]}).better    ->    the task t0
#
# The scores of a task are those of its trials in the worlds 0, 1 and so on.


def compared(
    folder: Path,
    first: Scores,
    second: Scores,
    *,
    numbers_of_second_run: Mapping[str, Sequence[int]] | None = None,
    **second_run: str,
) -> Comparison:
    """Compare two runs with these scores.

    With `numbers_of_second_run={"t0": [1]}`, the second run plays the task t0 in world 1. What else
    is special about the second run is in `second_run`, such as `world_version="w2"`.
    """
    first_journal = scored_journal(folder / "one.jsonl", first)
    second_journal = scored_journal(
        folder / "two.jsonl", second, numbers=numbers_of_second_run, **second_run
    )
    return compare_runs(compared_run([first_journal]), compared_run([second_journal]))


# The scores of a run of ten tasks, t0 to t9, of which the first ones succeed and the others fail.
#
# For example:
#
#     scores_of_ten(better=1, tries=[1.0])         ->    {"t0": [1.0], "t1": [0.0], ...}
#     scores_of_ten(better=1, tries=[1.0, 0.0])    ->    {"t0": [1.0, 0.0], "t1": [0.0, 0.0], ...}


def scores_of_ten(*, better: int, tries: list[float]) -> Scores:
    """Return the scores of a run whose first `better` tasks have the scores `tries`.

    Each of the other tasks fails in as many tries.
    """
    failed_tries = [0.0] * len(tries)
    scores_by_id: dict[str, list[float]] = {}
    for number in range(10):
        is_better = number < better
        scores_by_id[f"t{number}"] = tries if is_better else failed_tries
    return scores_by_id


# What a fork of a recorded trial has to repeat, as lines of JSON, without its ids, times and costs.
#
# For example:
#
#     repeatable_lines(trial)    ->    ['{"system": ...}', '{"step": 1, ...}', ..., 'score 1.0, ()']

REPEATED_FIELDS_OF_PROMPT = {"system", "first_message", "rules"}


REPEATED_FIELDS_OF_STEP = {
    "step",
    "reply",
    "code",
    "output",
    "error",
    "ending",
    "scratchpad",
    "verdicts",
    "citations",
    "feedback",
    "refunded",
}
"""The fields that a fork has to repeat; the others are ids, times and costs. `refunded` is True if
a step does not count towards the limit of steps."""


def repeatable_lines(trial: RecordedTrial) -> list[str]:
    """Return what a trial did and said as lines of JSON, without its ids, times and costs.

    They are its prompt, each step with its calls below, its answer and its score:
    `['{"system": ...}', '{"step": 1, ...}', '{"operation": "read", ...}', ..., 'score 1.0, ()']`.
    """
    prompt = trial.record.initial_prompt
    answer = trial.record.answer
    assert prompt is not None
    assert answer is not None
    times_of_call = set(fields_marked(CallRecord, VARIES_BY_RUN))
    times_of_answer = set(fields_marked(AnswerSent, VARIES_BY_RUN))

    lines = [prompt.model_dump_json(include=REPEATED_FIELDS_OF_PROMPT)]
    for step in trial.record.step_summaries:
        lines.append(step.model_dump_json(include=REPEATED_FIELDS_OF_STEP))
        for call in step.calls:
            lines.append(call.model_dump_json(exclude=times_of_call))
    lines.append(answer.model_dump_json(exclude=times_of_answer | {"trial_id"}))
    lines.append(f"score {trial.score!r}, {trial.summary.details!r}")
    return lines


# Forks a recorded trial with the replies that it had, and checks that it goes the same way.
#
# For example:
#
#     check_fork_equals(trial, step=3, run_command_here=run_command_here)


def trials_of(result: CommandResult) -> list[RecordedTrial]:
    """Return the trials in the journal that a command with `--json` names."""
    return list(open_journal(Path(result.json["journal"])).trials.values())


def write_replies_of(trial: RecordedTrial, path: Path) -> None:
    """Write the replies of a trial's steps to a file, for the model "scripted:PATH"."""
    replies = []
    for step in trial.steps:
        text = json.dumps(step.reply, ensure_ascii=False)
        replies.append(f"[[reply]]\ntext = {text}\n")
    path.write_text("".join(replies), encoding="utf-8")


def check_fork_equals(
    trial: RecordedTrial, *, step: int, run_command_here: CommandRunner
) -> None:
    """Fork a trial at a step with the replies it had, and assert that it goes the same way.

    The fork also names the trial as its parent, and can be replayed.
    """
    write_replies_of(trial, Path("replies.toml"))
    forked = run_command_here(
        "fork",
        str(trial.journal.path),
        f"--trial={trial.trial_id}",
        f"--step={step}",
        "--model=scripted:replies.toml",
        "--json",
    )

    assert forked.code == 0, forked.err
    (fork,) = trials_of(forked)
    assert repeatable_lines(fork) == repeatable_lines(trial), (trial.trial_id, step)
    parent = fork.journal.opened.parent
    assert parent is not None
    assert parent.how == "fork"
    assert parent.run == trial.journal.run
    assert parent.trial_id == trial.trial_id
    assert parent.step == step
    assert run_command_here("replay", "last", "--verify").code == 0


# A benchmark of three words, whose grader gives each answer the same score, which may be odd.
#
# The task `otter` asks "What does 'otter' mean?", and the operation `define(word="otter")` tells it.
# `--set score=0.5` gives every trial this score, and `--set broken_task=newt` lets its trials fail to
# start.

MEANINGS = {"heron": "a grey bird", "otter": "a river animal", "newt": "a small animal"}
"""The words, each of which is the name of a task."""

DEFINE = Operation(
    "define",
    (Parameter("word", "str"),),
    (ResultField("meaning"),),
    "what a word means",
)
"""The declaration of the one operation. It does not say that calls only read."""

OPTIONS = (
    BenchmarkOption("score", "the score of every trial, or none"),
    BenchmarkOption("broken_task", "a task whose trials cannot start"),
)
"""What `--set` can change: `--set score=0.5`."""


class WordBenchmark(SmallBenchmark):
    """Asks what a word means, and gives every answer the same score."""

    name = "words"

    def __init__(self, score: float | None, broken_task: str | None) -> None:
        super().__init__(tuple(MEANINGS))
        self.score = score
        self.broken_task = broken_task

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        if task_id == self.broken_task:
            raise OSError("the container did not start")

        def define(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
            return {"meaning": MEANINGS[str(arguments["word"])]}

        instruction = f"What does {task_id!r} mean? Answer with the meaning only."
        return instruction, OneToolEnvironment(DEFINE, define)

    def end_trial(self, trial_id: str) -> TrialScore:
        return TrialScore(trial_id, self.score)

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Return the scores of all trials that have started, and no score of the run itself."""
        trial_ids = self.worlds
        scores = tuple(self.end_trial(trial_id) for trial_id in trial_ids)
        return RunResult(run_id, RunState.EVALUATED, None, scores)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    score = None if settings["score"] == "none" else float(settings["score"])
    return WordBenchmark(score, settings.get("broken_task"))


# `compare` tells of hints that were edited between two runs.
#
# Hints are a text of the user for the model, `--hints hint.md`. Both runs name the same file. Its text is
# part of the prompts, whose hash both journals have recorded:
#
#     settings prompt texts '3f2a...' → '91bc...'


def test_hints_that_were_edited_between_two_runs_are_a_difference(
    tmp_path: Path,
) -> None:
    run = ("run", "calendar-date.1", "--hints", "hint.md")
    (tmp_path / "hint.md").write_text("Answer in English.")
    assert run_in_process(*run, "--name", "before", cwd=tmp_path).code == 0
    (tmp_path / "hint.md").write_text("Answer in Dutch.")
    assert run_in_process(*run, "--name", "after", cwd=tmp_path).code == 0

    comparison = run_in_process("compare", "before", "after", cwd=tmp_path)

    assert re.search(
        r"^settings prompt texts '[0-9a-f]+' → '[0-9a-f]+'$",
        comparison.out,
        re.MULTILINE,
    ), comparison.out


# `compare` refuses a wrong name, a run that is no rerun of another, and a file that cannot be written.
#
# For example:
#
#     compare before none    ->    controlplane: ... no run 'none' ...


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["before", "none"], "no run 'none'", id="no such run"),
        pytest.param(
            ["before", "after+before"],
            "before is not a rerun of after",
            id="not a rerun",
        ),
        pytest.param(
            ["before", "after+"],
            "no run 'after+'",
            id="a + without a rerun behind it",
        ),
        pytest.param(
            ["before", "after", "--junit", "runs"],
            "cannot write runs",
            id="a folder as the file of results",
        ),
    ],
)
def test_runs_that_cannot_be_compared_give_an_error_of_one_line(
    words: list[str],
    message: str,
    tmp_path: Path,
    run_command_here: CommandRunner,
) -> None:
    write_run(tmp_path, "before", scores(1))
    write_run(tmp_path, "after", scores(1))

    result = run_command_here("compare", *words)

    check_error_line(result, UsageError.exit_code, message)


# `compare` joins a run with its rerun, which has played some of the run's trials again.
#
#     compare before after+rerun
#
# The runs have the eight tasks t0 to t7. A task scores 1 if it is right, and 0 if it is wrong.


def test_a_rerun_replaces_the_trials_that_it_has_played_again(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """After the change, the task t0 was wrong. Played again, t0 was right."""
    write_run(tmp_path, "before", scores(1))  # t0 to t7 score 1.
    write_run(tmp_path, "after", scores(1, t0=0))  # All score 1 but t0.
    write_run(tmp_path, "rerun", {"t0": [1.0]}, parent="after")

    plain = run_command_here("compare", "before", "after+rerun")
    strict = run_command_here("compare", "before", "after+rerun", "--fail-if-worse")

    assert plain.code == 0
    assert strict.code == 0
    assert "0 better, 0 worse, 8 equal" in strict.out


# `compare` names the tasks that a run has tried several times with different scores.
#
# The run "twice" tries each of its two tasks twice. Of the tries of the task t0, one is right (score 1) and
# one is wrong (score 0). Both tries of t1 are right.


def test_compare_names_tasks_whose_tries_differ_and_their_pass_rates(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """The run is compared with itself: its tries differ from each other."""
    (tmp_path / "runs").mkdir()
    scores_of_tries = {"t0": [1.0, 0.0], "t1": [1.0, 1.0]}
    # In one world, all trials of a task find the same files: they are tries of the same thing.
    scored_journal(tmp_path / "runs/twice.jsonl", scores_of_tries, one_world=True)

    plain = run_command_here("compare", "twice", "twice")
    strict = run_command_here("compare", "twice", "twice", "--fail-if-worse")

    assert plain.code == 0
    assert strict.code == 0
    assert "tries differ: t0" in plain.out
    # pass@2: both tasks have a right try. pass^2: one of two has only right tries.
    assert re.search(r"pass@2 1.000 .* pass\^2 0.500", plain.out), plain.out


# `compare before after` says whether the second run is better, the same or worse.
#
#     controlplane compare before after --fail-if-worse    ->    the second run is worse, exit code 1
#
# Each run has eight tasks. One changed task may be chance: the second run counts as worse only if
# chance does not explain the change. With `--fail-if-worse`, the exit code is 1 if the second run is
# worse, or if no score can be compared. Without the option, the exit code is 0.


@pytest.mark.parametrize(
    ("before", "after", "verdict", "strict_code"),
    [
        pytest.param(
            scores(0), scores(1), "the second run is better", 0, id="all are right"
        ),
        pytest.param(scores(1), scores(1), "no difference shown$", 0, id="equal"),
        pytest.param(
            scores(1),
            scores(1, t0=0),
            # Enough to show that such a difference is not chance.
            "no difference shown; fewer than 6 tasks changed; about 48 tasks would be enough$",
            0,
            id="one of eight is wrong",
        ),
        pytest.param(
            scores(1),
            scores(0),
            "the second run is worse",
            1,
            id="all are wrong",
        ),
        pytest.param(
            scores(1),
            scores(None),
            "scores are sealed: 8 of 8 pairs have the same outcome, 8 also the same answer",
            1,
            id="no score to compare, since the benchmark hides them",
        ),
        pytest.param(
            scores(1),
            scores("no reward"),
            "the second run is worse",
            1,
            id="all are without a score for good, which counts as 0",
        ),
        pytest.param(
            scores("no reward"),
            scores("no reward"),
            "no difference shown$",
            0,
            id="without a score in both runs",
        ),
    ],
)
def test_compare_tells_its_verdict_and_fails_if_asked_to(
    before: Scores,
    after: Scores,
    verdict: str,
    strict_code: int,
    tmp_path: Path,
    run_command_here: CommandRunner,
) -> None:
    write_run(tmp_path, "before", before)
    write_run(tmp_path, "after", after)

    plain = run_command_here("compare", "before", "after")
    strict = run_command_here("compare", "before", "after", "--fail-if-worse")

    assert plain.code == 0
    assert strict.code == strict_code
    assert re.search(verdict, strict.out, re.MULTILINE), strict.out


# Two runs are compared, and a difference is "shown" if chance would rarely give it.
#
# Both runs play the tasks t0 to t9. All fail in the first run, and some are better in the second:
#
#     first run   t0: 0.0  t1: 0.0  t2: 0.0 ...
#     second run  t0: 1.0  t1: 0.0  t2: 0.0 ...     one task is better, which is not shown
#
# If chance decides, five tasks change in the same direction in 2 of 32 cases, which is too often. Six
# do so in 2 of 64 cases, which is less than 5 %.


@pytest.mark.parametrize(
    ("better", "is_shown"),
    [
        pytest.param(0, False, id="no task is better"),
        pytest.param(5, False, id="five tasks are better"),
        pytest.param(6, True, id="six tasks are better"),
        pytest.param(10, True, id="all tasks are better"),
    ],
)
def test_a_difference_is_shown_if_chance_rarely_gives_it(
    better: int, is_shown: bool, tmp_path: Path
) -> None:
    comparison = compared(
        tmp_path,
        scores_of_ten(better=0, tries=[1.0]),
        scores_of_ten(better=better, tries=[1.0]),
    )

    assert comparison.is_shown == is_shown
    assert not comparison.is_worse
    assert len(comparison.better) == better
    assert comparison.difference is not None
    assert comparison.difference.mean == pytest.approx(better / 10)


@pytest.mark.parametrize(
    ("better", "tries", "needed_tasks"),
    [
        pytest.param(3, [1.0, 1.0, 1.0, 1.0], 20, id="3 of 10 tasks are better"),
        pytest.param(3, [1.0, 0.0], 20, id="3 of 10 are better in half of their tries"),
        pytest.param(10, [1.0] * 10, None, id="the difference is shown already"),
    ],
)
def test_a_comparison_says_how_many_tasks_would_show_the_difference(
    better: int, tries: list[float], needed_tasks: int | None, tmp_path: Path
) -> None:
    """3 of 10 better tasks are too few. Among 20 tasks, as many of ten would make six.

    How much better a task is does not matter. `tries` are the scores of a better task.
    """
    comparison = compared(
        tmp_path,
        scores_of_ten(better=0, tries=tries),
        scores_of_ten(better=better, tries=tries),
    )

    assert comparison.needed_tasks == needed_tasks


# A fork plays one trial of a run several times more, each time from a step in the middle on.
#
#     run    task a, world 0: 1.0    task a, world 1: 0.0                   task b, world 0: 1.0
#     fork                           task a, world 1: 1.0, 1.0 and 0.0
#
# A world is the data that a trial finds. Each try of the fork is compared with the trial that it
# continues, which is in the same world.


@pytest.fixture
def run(tmp_path: Path) -> ComparedRun:
    """Return the run above. The scores of a task are those in its worlds 0 and 1."""
    journal = scored_journal(tmp_path / "run.jsonl", {"a": [1.0, 0.0], "b": [1.0]})
    return compared_run([journal])


@pytest.fixture
def fork(tmp_path: Path) -> ComparedRun:
    """Return the fork above, whose three tries are all in world 1.

    A fork counts its tries from the number of the world on: 1, 2 and 3.
    """
    journal = scored_journal(
        tmp_path / "fork.jsonl",
        {"a": [1.0, 1.0, 0.0]},
        numbers={"a": [1, 2, 3]},
        parent="run",
        how="fork",
    )
    return compared_run([journal])


def test_each_try_of_a_fork_makes_a_pair_with_the_trial_that_it_continues(
    run: ComparedRun, fork: ComparedRun
) -> None:
    comparison = compare_runs(run, fork)

    (task_a,) = comparison.tasks
    assert comparison.pairing == "task and world"
    # The trial in world 1 makes a pair with each of the three tries.
    assert comparison.agreement.pairs == 3
    assert task_a.first.mean == 0.0
    assert task_a.second.mean == pytest.approx(2 / 3)


def test_trials_that_a_fork_does_not_continue_are_named_as_unpaired(
    run: ComparedRun, fork: ComparedRun
) -> None:
    """The run's trials of a and b in world 0 are not continued. "a try 2" would be world 1."""
    assert compare_runs(run, fork).unpaired == ("a", "b")


def test_a_fork_can_be_the_first_of_two_compared_runs(
    run: ComparedRun, fork: ComparedRun
) -> None:
    comparison = compare_runs(fork, run)

    (task_a,) = comparison.tasks
    assert comparison.pairing == "task and world"
    assert task_a.difference == pytest.approx(-2 / 3)


# Two runs are compared trial by trial: those of the same task in the same world are a pair.
#
#     first run     task a, world 0    task a, world 1    task b, world 0
#     second run                       task a, world 1                       task c, world 0
#
# Here only task a in world 1 has a pair. A world is the data that a trial finds, such as a shop.


def test_trials_are_paired_by_their_world_and_those_without_a_pair_are_named(
    tmp_path: Path,
) -> None:
    """In world 0, task a is played by the first run only, so "a" is named although the trials in
    world 1 have a pair."""
    comparison = compared(
        tmp_path,
        {"a": [1.0, 0.0], "b": [1.0]},
        {"a": [0.0], "c": [1.0]},
        numbers_of_second_run={"a": [1]},
    )

    assert comparison.pairing == "task and world"
    assert [task.change for task in comparison.tasks] == ["same"]  # 0.0 in both runs
    assert comparison.unpaired == ("a", "b", "c")  # the trials in world 0


@pytest.mark.parametrize(
    ("second_run", "message"),
    [
        pytest.param(
            {"world_version": "w2"},
            "other versions of its worlds",
            id="another version of the benchmark",
        ),
        pytest.param(
            {"benchmark": "bitgn:x"},
            "runs of one benchmark",
            id="another benchmark",
        ),
    ],
)
def test_runs_whose_scores_mean_different_things_are_refused(
    second_run: dict[str, str], message: str, tmp_path: Path
) -> None:
    """Another version of the worlds, or another benchmark, has other tasks under the same
    names."""
    with pytest.raises(UsageError, match=message):
        compared(tmp_path, {"t0": [0.0]}, {"t0": [0.0]}, **second_run)


# A rerun plays trials of a run again: its scores replace those of the trials that it plays again.
#
#     run      task a, world 0: 0.0    task a, world 1: 0.0    task b, world 0: 1.0
#     rerun                            task a, world 1: 1.0
#
# A world is the data that a trial finds.


def test_a_rerun_replaces_the_trials_that_it_played_again(tmp_path: Path) -> None:
    run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0, 0.0], "b": [1.0]})
    rerun = scored_journal(
        tmp_path / "again.jsonl",
        {"a": [1.0]},
        numbers={"a": [1]},  # The one trial of task a is in world 1.
        parent="run",
    )

    combined_run = compared_run([run, rerun])

    score_by_world = {trial.world: trial.score for trial in combined_run.trials}
    assert score_by_world == {("a", 0): 0.0, ("a", 1): 1.0, ("b", 0): 1.0}
    assert scores_by_task(combined_run.trials) == {"a": [0.0, 1.0], "b": [1.0]}


# A fork goes the same way as the recorded trial if the model gives the same replies.
#
# `fork last --trial t1 --step 3` repeats steps 1 and 2 from the journal, and rebuilds the world from the
# recorded calls. Then the model goes on. With the recorded replies, each step must have the same output,
# verdicts and calls again. The trial has seven steps, with changes of files, an error, and three answers.

LONG_SCRIPT = ROOT / "tests/support/long_trial.toml"
"""A trial of seven steps: chance, writes, deletions, an error and three submissions."""


@pytest.fixture
def long_trial(run_command_here: CommandRunner) -> RecordedTrial:
    """The trial of a run of one task, in which the model replies with `LONG_SCRIPT`."""
    model = f"scripted:{LONG_SCRIPT}"
    run = run_command_here("run", "calendar-date.1", "--model", model, "--json")
    (trial,) = trials_of(run)
    return trial


def test_the_long_trial_has_accepted_and_rejected_answers(
    long_trial: RecordedTrial,
) -> None:
    """It submits answers in steps 3, 6 and 7, which gates (checks of answers) judge. The last
    one is sent although gate 6 objects to it, so that a fork has all of that to repeat."""
    verdict_counts = {step.step: len(step.verdicts) for step in long_trial.steps}

    assert verdict_counts == {1: 0, 2: 0, 3: 1, 4: 0, 5: 0, 6: 1, 7: 1}
    assert long_trial.summary.state == "answered"
    assert set(long_trial.summary.overridden) == {"6/wording"}


def test_forks_of_a_long_trial_with_the_same_replies_equal_it(
    long_trial: RecordedTrial, run_command_here: CommandRunner, heavy: bool
) -> None:
    """With `--heavy`, the trial is forked at each step."""
    steps_of_long_trial = range(1, 8)
    forked_steps = steps_of_long_trial if heavy else (3, 4)

    for step in forked_steps:
        check_fork_equals(long_trial, step=step, run_command_here=run_command_here)


# Forks of short trials at each of their steps go the same way if the model gives the same replies.
#
# Trials of three tasks are played for six seeds, which decide names and numbers in the tasks. The
# baseline, a program of the benchmark that solves them by rules, plays in the model's place.


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(6))
def test_forks_of_short_trials_with_the_same_replies_equal_them(
    seed: int, run_command_here: CommandRunner
) -> None:
    """Each trial is forked at each of its steps. The seed decides names and numbers in the
    tasks."""
    tasks = ("basket-checkout.1", "basket-checkout.2", "calendar-date.1")
    run = run_command_here("run", *tasks, "--seed", str(seed), "--json")

    for trial in trials_of(run):
        for step in range(1, len(trial.steps) + 1):
            check_fork_equals(trial, step=step, run_command_here=run_command_here)


# Which fields of a journal `replay --verify` compares, and which it cannot.
#
# A replay runs the recorded scripts again, so it can compare the output of a step. It cannot ask the
# model again: a forged reply would show only in the *mark* of its line, a signature by the user's
# key. Every field of every event is one or the other.


class PrintedFields(NamedTuple):
    """The names of fields that `replay --verify --json` prints, by the type of their event."""

    compared: dict[str, list[str]]
    """What the replay has computed again: `{"step": ["output", "error", ...], ...}`."""
    only_marked: dict[str, list[str]]
    """What only marks protect: `{"conversation_opened": ["first_message", ...], ...}`."""


@pytest.fixture(scope="module")
def printed_fields(tmp_path_factory: pytest.TempPathFactory) -> PrintedFields:
    """The fields that a verification of the sample journal prints."""
    folder = tmp_path_factory.mktemp("verified")
    command = ("replay", ROOT / "runs/sample.jsonl", "--verify", "--json")
    result = run_in_process(*command, cwd=folder).json
    return PrintedFields(result["compared"], result["only_marked"])


def test_a_verification_prints_the_fields_that_a_replay_compares(
    printed_fields: PrintedFields,
) -> None:
    """The user can see what a verification proves."""
    expected = {}
    for event_type, names in compared_fields().items():
        expected[event_type] = list(names)

    assert printed_fields.compared == expected


def test_the_first_message_to_the_model_is_only_marked(
    printed_fields: PrintedFields,
) -> None:
    """It is made before the first script runs, and a replay runs only the scripts."""
    assert "first_message" in printed_fields.only_marked["conversation_opened"]


@pytest.mark.parametrize("event_class", event_classes(), ids=type_of)
def test_every_other_field_of_an_event_is_compared_or_only_marked(
    event_class: type[JournalEvent], printed_fields: PrintedFields
) -> None:
    """The fields that say which event it is are neither."""
    event_type = type_of(event_class)
    compared = printed_fields.compared.get(event_type, [])
    only_marked = printed_fields.only_marked.get(event_type, [])

    fields_that_say_which_event_it_is = {"type", "at_ms", "trial_id", "step", "number"}
    fields = event_class.model_fields.keys() - fields_that_say_which_event_it_is
    assert sorted([*compared, *only_marked]) == sorted(fields)


def test_no_field_that_varies_from_run_to_run_is_compared() -> None:
    """Times differ in every run."""
    compared = compared_fields()

    for event_class in event_classes():
        varying = set(fields_marked(event_class, VARIES_BY_RUN))
        assert not varying & set(compared.get(type_of(event_class), ()))


# The JSON object that `controlplane compare --json` prints, and its table in the reference.


def documented_fields() -> set[str]:
    """Return the fields of a comparison that the reference lists in the first column of a table.

    | `first`, `second` | the names of the runs |
    """
    reference = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    _, _, after_heading = reference.partition("### Comparisons")
    section, _, _ = after_heading.partition("\n### ")
    fields: set[str] = set()
    for line in section.splitlines():
        if line.startswith("| `"):
            first_column = line.split("|")[1]
            fields.update(re.findall(r"`(\w+)`", first_column))
    return fields


def test_the_json_object_of_a_comparison_has_the_documented_fields(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """The reference documents every field, and no other."""
    (tmp_path / "runs").mkdir()
    scored_journal(tmp_path / "runs/before.jsonl", {"t0": [1.0], "t1": [1.0]})
    scored_journal(tmp_path / "runs/after.jsonl", {"t0": [0.0], "t1": [1.0]})

    comparison = run_command_here("compare", "before", "after", "--json").json

    assert set(comparison) == documented_fields()
    assert comparison["families"] == [
        {"name": "t0", "tasks": 1, "first": 1.0, "second": 0.0},
        {"name": "t1", "tasks": 1, "first": 1.0, "second": 1.0},
    ]


# Texts of strangers in a journal do not steer the user's terminal.
#
# A text may contain escape sequences that clear the screen, and characters that turn the direction of a
# line. Commands print such characters in a visible form.

OK = 0

CLEAR_SCREEN = "\x1b[2J"

RIGHT_TO_LEFT = "\u202e"


def with_steering_texts(value: Any, field: str) -> Any:
    """Return a value of an event with steering characters behind every text of this field."""
    if isinstance(value, list):
        return [with_steering_texts(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    changed: dict[str, Any] = {}
    for name, item in value.items():
        changed[name] = with_steering_texts(item, field)
    if isinstance(changed.get(field), str):
        changed[field] += CLEAR_SCREEN + RIGHT_TO_LEFT
    return changed


@pytest.mark.parametrize(
    "command", [("show",), ("replay", "--trial", "calendar")], ids=" ".join
)
@pytest.mark.parametrize("field", ["task_id", "outcome", "name", "operation"])
def test_no_text_of_a_journal_steers_the_terminal(
    field: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    """In each event but the first, the texts of one field get steering characters at their ends."""
    # The journal of a small run, which is part of the repository.
    sample = ROOT / "runs/sample.jsonl"
    opened, *events = [json.loads(line) for line in sample.read_bytes().splitlines()]
    changed_events = [with_steering_texts(event, field) for event in events]
    path = tmp_path / "r.jsonl"
    path.write_bytes(chained_lines([opened, *changed_events]))
    verb, *options = command

    result = run_in_process(verb, path, *options, cwd=tmp_path)

    assert result.code == OK, result.err
    assert "\x1b" not in result.out
    assert RIGHT_TO_LEFT not in result.out


# What a run prints if its benchmark gives odd scores: none at all, 0.5, or a bit less than 1.
#
#     pass@1 1.000 [0.439, 1.000]      all trials passed; the 95 % interval is 0.439 to 1
#
# A trial passes with the score 1. The interval is computed from the number of tasks, three, although
# each is played twice. Trials without a score are not counted, but told.


def reply_for(word: str) -> str:
    """Return the reply of a model to the task about this word, in the form of `replies.toml`."""
    return f"""
[[reply]]
when = "{word}"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.define("{word}").meaning, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: True)
'''
"""


@pytest.mark.parametrize(
    ("settings", "expected_text"),
    [
        pytest.param(
            ["score=0.9999999999999999"],
            "pass@1 1.000 [0.439, 1.000]",
            id="0.6 + 0.3 + 0.1, a bit less than 1, is a pass",
        ),
        pytest.param(
            ["score=0.5"], "pass@1 0.000 [0.000, 0.561]", id="0.5 is not a pass"
        ),
        pytest.param(
            ["score=1", "broken_task=newt"],
            "without newt, which had no score",
            id="the trials of newt cannot start, and are named",
        ),
        pytest.param(
            ["score=1", "broken_task=newt"],
            "mean score 1.000 over 4 of 6 trials · 2 without a score (could not start: ",
            id="the trials of newt cannot start, and are counted",
        ),
        pytest.param(
            ["score=none"],
            "6 of 6 trials over, no scores yet",
            id="no trial has a score",
        ),
        pytest.param(
            ["score=nan"],
            "6 of 6 trials over, no score · 6 without a score (the score nan is no number up to 10^15 ×6)",
            id="scores that are not numbers are none",
        ),
    ],
)
def test_figures_claim_no_more_than_odd_scores_show(
    settings: list[str], expected_text: str, tmp_path: Path
) -> None:
    """There are six trials, from heron-0 to newt-5. The trials of a broken task cannot start."""
    replies = "".join(reply_for(word) for word in MEANINGS)
    (tmp_path / "replies.toml").write_text(replies)

    run = run_in_process(
        "run",
        "--benchmark=tests.controlplane.test_comparison",
        *[f"--set={setting}" for setting in settings],
        "--model=scripted:replies.toml",
        "--repeats=2",
        cwd=tmp_path,
    )

    printed_text = " ".join(f"{run.out} {run.err}".split())
    assert expected_text in printed_text


# The name by which printed commands call the program: as briefly as the user's shell finds it.
#
# `controlplane` is installed beside its interpreter, or only importable from it:
#
#     controlplane show last                  # installed, in a folder of PATH
#     python3 -P -m controlplane show last    # importable only


def install_programs(folder: Path, *names: str) -> None:
    """Write programs, such as "python3", that a shell can start, into a folder."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("programs", "path", "expected"),
    [
        pytest.param(
            ["python3", "controlplane"],
            "bin",
            "controlplane",
            id="installed, on the path",
        ),
        pytest.param(
            ["python3", "controlplane"],
            "elsewhere",
            "bin/controlplane",
            id="installed, not on the path",
        ),
        pytest.param(
            ["python3"],
            "bin",
            "python3 -P -m controlplane",
            id="importable, on the path",
        ),
        pytest.param(
            ["python3"],
            "elsewhere",
            "bin/python3 -P -m controlplane",
            id="importable, not on the path",
        ),
    ],
)
def test_printed_commands_name_the_program_as_briefly_as_a_shell_finds_it(
    programs: list[str],
    path: str,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The user is in the folder above `bin`, whose python3 runs the program."""
    install_programs(tmp_path / "bin", *programs)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python3"))
    monkeypatch.setenv("PATH", str(tmp_path / path))

    assert invocation() == expected


# What counts as a score: a finite number of the benchmark's scale, from 0 to 1 unless it declares another.


@pytest.mark.parametrize(
    ("value", "score"),
    [
        pytest.param(0.5, 0.5, id="a number"),
        pytest.param(True, 1.0, id="True"),
        pytest.param(Fraction(1, 4), 0.25, id="another kind of number"),
        pytest.param(1.0000000001, 1.0, id="1 within rounding"),
        pytest.param(-1e-12, 0.0, id="0 within rounding"),
        pytest.param(0.9999999999, 1.0, id="1 within rounding from below"),
        pytest.param(1.000001, None, id="more than 1"),
        pytest.param(math.nan, None, id="NaN"),
        pytest.param(math.inf, None, id="infinity"),
        pytest.param(10**400, None, id="400 digits"),
        pytest.param("1", None, id="a text"),
        pytest.param(None, None, id="nothing"),
        pytest.param([1], None, id="a list"),
    ],
)
def test_a_score_is_a_finite_number_from_0_to_1(
    value: Any, score: float | None
) -> None:
    assert UNIT_SCALE.score_of(value) == score


@pytest.mark.parametrize(
    ("scale", "text", "without_score"),
    [
        (ScoreScale(0, 100), "from 0 to 100", 0.0),
        (ScoreScale(-1, 1), "from -1 to 1", -1.0),
        (ScoreScale(1, 5), "from 1 to 5", 0.0),
        (ScoreScale(0, math.inf), "from 0", 0.0),
        (ANY_NUMBER, "any number", 0.0),
    ],
)
def test_a_scale_survives_its_journal_and_says_what_a_missing_score_counts(
    scale: ScoreScale, text: str, without_score: float
) -> None:
    """A missing score counts no more than the worst one, so that breaking a grader gains nothing."""
    assert ScoreScale.from_recorded(scale.recorded) == scale
    assert None in scale.recorded or all(map(math.isfinite, scale.recorded))
    assert str(scale) == text
    assert scale.without_score == without_score


def test_a_number_in_a_reason_is_cut() -> None:
    assert len(UNIT_SCALE.fault_of(10**400)) < 100
    assert len(UNIT_SCALE.fault_of(10**6000)) < 100  # Python refuses to write it.


def test_the_mean_of_refused_scores_is_no_score_of_the_run() -> None:
    """2 and 0 have the mean 1, which would be on the scale."""
    trials = (TrialScore("a", 2), TrialScore("b", 0))
    result = RunResult("r", RunState.EVALUATED, 1.0, trials).within(UNIT_SCALE)

    assert [trial.score for trial in result.trials] == [None, 0.0]
    assert result.trials[0].unscored == "the score 2 is not from 0 to 1"
    assert result.score is None


# A run says by which option the user can declare that an operation only reads.
#
# The benchmark of words does not declare whether its operation `define` changes something.


def test_numbers_are_taken_as_they_are_written() -> None:
    assert exact(0.7) == Fraction(7, 10)
    assert exact(1e-05) == Fraction(1, 100_000)


def test_a_run_names_the_operations_of_which_nothing_says_that_they_only_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "replies.toml").write_text("[[reply]]\ncode = 'print(1)'\n")

    run = run_in_process(
        "run",
        "otter",
        "--benchmark=tests.controlplane.test_comparison",
        "--set=score=1",
        "--model=scripted:replies.toml",
        cwd=tmp_path,
    )

    printed_text = " ".join(f"{run.out} {run.err}".split())
    assert "--reads define" in printed_text
