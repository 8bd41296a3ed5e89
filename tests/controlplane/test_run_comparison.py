"""Two runs compared: `controlplane compare before after` says whether the second one is better.

Both runs play the same tasks. Their trials are paired by task and world (a task may be played in
several worlds). A difference is "shown" if chance would rarely give it: enough tasks changed, and
the 95 % interval of the mean difference leaves out 0.
"""

import math
import random
import re
from pathlib import Path

import pytest

from controlplane.compared_run import compared_run
from controlplane.errors import UsageError
from controlplane.run_comparison.comparing import compare_runs
from controlplane.run_comparison.results import Comparison
from controlplane.score_groups import scores_by_task
from controlplane.score_statistics import bootstrap_interval, mean_interval
from tests.support.command import ROOT, CommandRunner, check_error_line, run_in_process
from tests.support.scored_journal import Scores, scored_journal

OK = 0
IS_WORSE = 1
"""The exit code of `compare --fail-if-worse` if the second run is worse."""

# --- Differences ---

TEN_TASKS = [f"t{number}" for number in range(10)]
"""The ids of ten tasks: `t0` to `t9`."""
ALL_FAILED: Scores = {task: [0.0] for task in TEN_TASKS}
"""The scores of a run by task, with those of each try: `{"t0": [0.0], ...}`."""


def compared(
    folder: Path, first: Scores, second: Scores, **second_run: object
) -> Comparison:
    """Compare two runs with these scores.

    `second_run` says what else is special about the second one, such as `world_version="w2"`.
    """
    first_journal = scored_journal(folder / "one.jsonl", first)
    second_journal = scored_journal(folder / "two.jsonl", second, **second_run)
    return compare_runs(compared_run([first_journal]), compared_run([second_journal]))


@pytest.mark.parametrize(
    ("better_tasks", "is_shown"),
    [
        pytest.param(0, False, id="no task is better"),
        # By chance, five tasks all change in the same direction in 2 of 32 cases, ...
        pytest.param(5, False, id="five tasks are better"),
        # ... and six in 2 of 64 cases, which is less than 5 %.
        pytest.param(6, True, id="six tasks are better"),
        pytest.param(10, True, id="all tasks are better"),
    ],
)
def test_a_difference_is_shown_if_chance_rarely_gives_it(
    better_tasks: int, is_shown: bool, tmp_path: Path
) -> None:
    """Of ten tasks, the first ones pass in the second run, and all others fail in both."""
    better_scores = dict(ALL_FAILED)
    for task in TEN_TASKS[:better_tasks]:
        better_scores[task] = [1.0]

    comparison = compared(tmp_path, ALL_FAILED, better_scores)

    assert comparison.is_shown == is_shown
    assert not comparison.is_worse
    assert len(comparison.better) == better_tasks
    assert comparison.difference is not None
    assert comparison.difference.mean == pytest.approx(better_tasks / 10)


@pytest.mark.parametrize(
    ("better_tasks", "scores_of_tries", "needed_tasks"),
    [
        pytest.param(3, [1.0, 1.0, 1.0, 1.0], 20, id="3 of 10 tasks are better"),
        pytest.param(3, [1.0, 0.0], 20, id="3 of 10 are better in half of their tries"),
        pytest.param(10, [1.0] * 10, None, id="the difference is shown already"),
    ],
)
def test_a_comparison_says_how_many_tasks_would_show_the_difference(
    better_tasks: int,
    scores_of_tries: list[float],
    needed_tasks: int | None,
    tmp_path: Path,
) -> None:
    """A difference is shown if six tasks or more are better. If 3 of 10 are, 6 of 20 would be."""
    failed_tries = [0.0] * len(scores_of_tries)
    failed_scores = {task: failed_tries for task in TEN_TASKS}
    better_scores = dict(failed_scores)
    for task in TEN_TASKS[:better_tasks]:
        better_scores[task] = scores_of_tries

    comparison = compared(tmp_path, failed_scores, better_scores)

    assert comparison.needed_tasks == needed_tasks


# --- Which trials are compared ---


def test_trials_are_paired_by_their_world_and_those_without_a_pair_are_named(
    tmp_path: Path,
) -> None:
    """A world is the data that a trial finds, such as a shop. The first run plays task a in the
    worlds 0 and 1, with the scores 1 and 0. The second run plays it in world 1 only, with the same
    score 0. Tasks b and c are each in one run only."""
    comparison = compared(
        tmp_path,
        {"a": [1.0, 0.0], "b": [1.0]},
        {"a": [0.0], "c": [1.0]},
        numbers={"a": [1]},
    )

    assert comparison.pairing == "task and world"
    assert [task.change for task in comparison.tasks] == ["same"]
    assert comparison.unpaired == ("a", "b", "c")


@pytest.mark.parametrize(
    ("second_run", "message"),
    [
        pytest.param(
            {"world_version": "w2"},
            "other versions of its worlds",
            id="another version of the benchmark",
        ),
        pytest.param(
            {"benchmark": "bitgn:x"}, "runs of one benchmark", id="another benchmark"
        ),
    ],
)
def test_runs_whose_scores_mean_different_things_are_refused(
    second_run: dict[str, str], message: str, tmp_path: Path
) -> None:
    """Another version of the worlds, or another benchmark, has other tasks under the same names."""
    with pytest.raises(UsageError, match=message):
        compared(tmp_path, ALL_FAILED, ALL_FAILED, **second_run)


def test_a_rerun_replaces_the_trials_that_it_played_again(tmp_path: Path) -> None:
    """The rerun plays task a again in world 1."""
    run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0, 0.0], "b": [1.0]})
    rerun = scored_journal(
        tmp_path / "again.jsonl", {"a": [1.0]}, parent="run", numbers={"a": [1]}
    )

    combined_run = compared_run([run, rerun])

    # A world is given as the task and its number.
    worlds_and_scores = [(trial.world, trial.score) for trial in combined_run.trials]
    assert worlds_and_scores == [
        (("a", 0), 0.0),
        (("a", 1), 1.0),
        (("b", 0), 1.0),
    ]
    assert scores_by_task(combined_run.trials) == {"a": [0.0, 1.0], "b": [1.0]}


@pytest.fixture
def run_and_fork(tmp_path: Path) -> tuple[Path, Path]:
    """The journals of a run, and of its fork: three new tries of one of its trials, from a step in
    the middle on. All three are in the world of that trial, task a in world 1."""
    run = scored_journal(tmp_path / "run.jsonl", {"a": [1.0, 0.0], "b": [1.0]})
    fork = scored_journal(
        tmp_path / "fork.jsonl",
        {"a": [1.0, 1.0, 0.0]},
        parent="run",
        how="fork",
        numbers={"a": [1, 2, 3]},
    )
    return run, fork


def test_the_tries_of_a_fork_are_compared_with_the_trial_that_they_continue(
    run_and_fork: tuple[Path, Path],
) -> None:
    """That trial has the score 0, and the three new tries have 1, 1 and 0."""
    run, fork = run_and_fork

    comparison = compare_runs(compared_run([run]), compared_run([fork]))

    (task,) = comparison.tasks
    assert comparison.pairing == "task and world"
    assert comparison.agreement.pairs == 3
    assert task.first.mean == 0.0
    assert task.second.mean == pytest.approx(2 / 3)
    assert comparison.unpaired == ("a", "b")


def test_a_run_can_also_be_compared_with_its_fork_the_other_way_round(
    run_and_fork: tuple[Path, Path],
) -> None:
    """Then the difference is negative."""
    run, fork = run_and_fork

    comparison = compare_runs(compared_run([fork]), compared_run([run]))

    assert comparison.pairing == "task and world"
    assert comparison.tasks[0].difference == pytest.approx(-2 / 3)


# --- Intervals ---


@pytest.mark.parametrize(
    ("passed", "count", "low", "high"),
    # Values from a table of Wilson's intervals.
    [(8, 10, 0.4902, 0.9433), (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775)],
)
def test_a_share_of_passed_trials_has_wilsons_interval(
    passed: int, count: int, low: float, high: float
) -> None:
    """Wilson's interval of a share is right for few trials, and has a width even if all passed."""
    scores = [1.0] * passed + [0.0] * (count - passed)

    interval = mean_interval(scores)

    assert interval is not None
    assert interval.low == pytest.approx(low, abs=0.00005)
    assert interval.high == pytest.approx(high, abs=0.00005)


def test_a_bootstrap_interval_is_as_wide_as_theory_says() -> None:
    """The mean of 400 normal values has the standard error deviation / sqrt(400), and its 95 %
    interval is 1.96 standard errors wide on each side."""
    deviation = 0.1
    random_numbers = random.Random(1)
    values = [random_numbers.gauss(0.5, deviation) for _ in range(400)]

    interval = bootstrap_interval(values)

    assert interval is not None
    standard_error = deviation / math.sqrt(len(values))
    width = interval.high - interval.low
    assert width == pytest.approx(2 * 1.96 * standard_error, rel=0.15)
    assert interval.low < interval.mean < interval.high


def test_a_bootstrap_interval_is_the_same_every_time() -> None:
    """It draws samples at random, always with the same seed."""
    values = [0.1, 0.4, 0.7, 2.0]

    assert bootstrap_interval(values) == bootstrap_interval(values)


def test_no_values_have_no_interval() -> None:
    """A run may have no scores yet."""
    assert bootstrap_interval([]) is None


# --- The command ---

ALL_RIGHT: Scores = {f"t{number}": [1.0] for number in range(8)}
ALL_WRONG: Scores = {f"t{number}": [0.0] for number in range(8)}


@pytest.fixture
def runs(tmp_path: Path) -> None:
    """Write the runs that the commands below compare; each has the name of its file."""
    folder = tmp_path / "runs"
    folder.mkdir()
    scored_journal(folder / "good.jsonl", ALL_RIGHT)
    scored_journal(folder / "bad.jsonl", ALL_WRONG)
    scored_journal(folder / "one_wrong.jsonl", {**ALL_RIGHT, "t0": [0.0]})
    # The benchmark still hides its scores.
    scored_journal(folder / "hidden.jsonl", {task: [None] for task in ALL_RIGHT})
    # A rerun of "one_wrong", which plays t0 again, now rightly.
    scored_journal(folder / "rerun.jsonl", {"t0": [1.0]}, parent="one_wrong")
    # Two tries of each task in the same world.
    scored_journal(
        folder / "twice.jsonl", {"t0": [1.0, 0.0], "t1": [1.0, 1.0]}, one_world=True
    )


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("first", "second", "expected_code", "expected_pattern"),
    [
        pytest.param("good", "bad", IS_WORSE, "the second run is worse", id="worse"),
        pytest.param("bad", "good", OK, "the second run is better", id="better"),
        pytest.param(
            "good",
            "one_wrong",
            OK,
            "no difference shown; fewer than 6 tasks changed; about 48 tasks would be enough$",
            id="one of eight tasks is worse",
        ),
        pytest.param("good", "good", OK, "no difference shown$", id="equal"),
        pytest.param(
            "good",
            "one_wrong+rerun",
            OK,
            "0 better, 0 worse, 8 equal",
            id="equal with a rerun",
        ),
        pytest.param(
            "good",
            "hidden",
            IS_WORSE,
            "scores are sealed: 8 of 8 pairs have the same outcome, 8 also the same answer",
            id="hidden scores",
        ),
        pytest.param(
            "twice", "twice", OK, "tries differ: t0", id="tries of one task differ"
        ),
        pytest.param(
            "twice",
            "twice",
            OK,
            r"pass@2 1.000 .* pass\^2 0.500",
            id="share of tasks with one right try, and with all tries right",
        ),
    ],
)
def test_compare_prints_its_verdict_and_ends_accordingly(
    first: str,
    second: str,
    expected_code: int,
    expected_pattern: str,
    run_command_here: CommandRunner,
) -> None:
    """With hidden scores, nothing shows that the second run is not worse."""
    result = run_command_here("compare", first, second, "--fail-if-worse")

    assert re.search(expected_pattern, result.out, re.MULTILINE), result.out
    assert result.code == expected_code


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("good", "bad"),
        ("bad", "good"),
        ("good", "one_wrong"),
        ("good", "good"),
        ("good", "one_wrong+rerun"),
        ("good", "hidden"),
        ("twice", "twice"),
    ],
)
def test_compare_does_not_fail_unless_it_is_told_to(
    first: str, second: str, run_command_here: CommandRunner
) -> None:
    """Without `--fail-if-worse`, the exit code is 0 whatever the comparison says."""
    assert run_command_here("compare", first, second).code == OK


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


@pytest.mark.usefixtures("runs")
def test_the_json_object_of_a_comparison_has_the_documented_fields(
    run_command_here: CommandRunner,
) -> None:
    """The reference documents every field of `compare --json`, and no other."""
    comparison = run_command_here("compare", "good", "one_wrong", "--json").json

    assert set(comparison) == documented_fields()
    assert comparison["families"][0] == {
        "name": "t0",
        "tasks": 1,
        "first": 1.0,
        "second": 0.0,
    }


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["good", "none"], "no run 'none'", id="no such run"),
        pytest.param(
            ["good", "one_wrong+bad"],
            "bad is not a rerun of one_wrong",
            id="not a rerun",
        ),
        pytest.param(
            ["good", "one_wrong+"], "no run 'one_wrong+'", id="no rerun behind the +"
        ),
        pytest.param(
            ["good", "bad", "--junit", "runs"],
            "cannot write runs",
            id="a folder as the file of results",
        ),
    ],
)
def test_runs_that_cannot_be_compared_give_an_error_of_one_line(
    words: list[str], message: str, run_command_here: CommandRunner
) -> None:
    """`one_wrong+rerun` means a run with the trials that a rerun of it has played again."""
    result = run_command_here("compare", *words)

    check_error_line(result, UsageError.exit_code, message)


def test_hints_that_were_edited_between_two_runs_are_a_difference(
    tmp_path: Path,
) -> None:
    """Both runs name the same file of hints. Its text is part of the prompts, whose hash both
    journals have recorded."""
    for name in ("before", "after"):
        (tmp_path / "hint.md").write_text(f"This is {name}.")
        run = run_in_process(
            "run",
            "calendar-date.1",
            "--hints",
            "hint.md",
            "--name",
            name,
            cwd=tmp_path,
        )
        assert run.code == OK

    comparison = run_in_process("compare", "before", "after", cwd=tmp_path)

    assert re.search(
        r"^settings prompt texts '[0-9a-f]+' → '[0-9a-f]+'$",
        comparison.out,
        re.MULTILINE,
    ), comparison.out
