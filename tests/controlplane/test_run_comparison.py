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

TEN_FAILED_TASKS = {f"t{number}": [0.0] for number in range(10)}
"""The scores of a run by task: `{"t0": [0.0], ...}`, with one try of each."""


def with_scores(scores: Scores, first_tasks: int, new_scores: list[float]) -> Scores:
    """Return the scores with those of the first tasks, t0, t1 and so on, replaced."""
    changed = {f"t{number}": new_scores for number in range(first_tasks)}
    return {**scores, **changed}


def compared(
    folder: Path, first: Scores, second: Scores, **differing: object
) -> Comparison:
    """Compare two runs with these scores; `differing` is about the second run's journal."""
    first_run = compared_run([scored_journal(folder / "one.jsonl", first)])
    second_run = compared_run(
        [scored_journal(folder / "two.jsonl", second, **differing)]
    )
    return compare_runs(first_run, second_run)


@pytest.mark.parametrize(
    ("better_tasks", "is_shown"),
    # Five tasks all change in one direction by chance in 2 of 32 cases, six in 2 of 64.
    [(0, False), (5, False), (6, True), (10, True)],
)
def test_a_difference_is_shown_if_chance_rarely_gives_it(
    better_tasks: int, is_shown: bool, tmp_path: Path
) -> None:
    better_run = with_scores(TEN_FAILED_TASKS, better_tasks, [1.0])
    comparison = compared(tmp_path, TEN_FAILED_TASKS, better_run)

    assert comparison.is_shown == is_shown
    assert not comparison.is_worse
    assert len(comparison.better) == better_tasks
    assert comparison.difference is not None
    assert comparison.difference.mean == pytest.approx(better_tasks / 10)


@pytest.mark.parametrize(
    ("better_tasks", "tries", "needed_tasks"),
    [
        (3, [1.0, 1.0, 1.0, 1.0], 20),
        (3, [1.0, 0.0], 20),  # better in half of their tries
        (10, [1.0] * 10, None),  # The ten tasks are enough.
    ],
)
def test_it_says_how_many_tasks_would_do(
    better_tasks: int, tries: list[float], needed_tasks: int | None, tmp_path: Path
) -> None:
    failed_run = {task: [0.0] * len(tries) for task in TEN_FAILED_TASKS}
    better_run = with_scores(failed_run, better_tasks, tries)

    comparison = compared(tmp_path, failed_run, better_run)

    assert comparison.needed_tasks == needed_tasks


def test_tries_are_paired_by_their_world_and_what_has_no_pair_is_named(
    tmp_path: Path,
) -> None:
    """The second run plays the task a once, in the world of the first run's second try."""
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
    ("differing", "says"),
    [
        ({"world": "w2"}, "other versions of its worlds"),
        ({"benchmark": "bitgn:x"}, "runs of one benchmark"),
    ],
)
def test_runs_whose_scores_mean_different_things_are_refused(
    differing: dict[str, str], says: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=says):
        compared(tmp_path, TEN_FAILED_TASKS, TEN_FAILED_TASKS, **differing)


def test_a_rerun_takes_the_place_of_the_tries_that_it_played(tmp_path: Path) -> None:
    run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0, 0.0], "b": [1.0]})
    again = scored_journal(
        tmp_path / "again.jsonl", {"a": [1.0]}, parent="run", numbers={"a": [1]}
    )
    found = compared_run([run, again])

    assert [(*trial.world, trial.score) for trial in found.trials] == [
        ("a", 0, 0.0),
        ("a", 1, 1.0),
        ("b", 0, 1.0),
    ]
    assert scores_by_task(found.trials) == {"a": [0.0, 1.0], "b": [1.0]}


def test_the_tries_of_a_fork_stand_in_the_world_of_the_trial_that_they_left(
    tmp_path: Path,
) -> None:
    run = compared_run(
        [scored_journal(tmp_path / "run.jsonl", {"a": [1.0, 0.0], "b": [1.0]})]
    )
    fork = scored_journal(
        tmp_path / "fork.jsonl",
        {"a": [1.0, 1.0, 0.0]},
        parent="run",
        how="fork",
        numbers={"a": [1, 2, 3]},
    )

    forward = compare_runs(run, compared_run([fork]))
    (task,) = forward.tasks
    assert forward.pairing == "task and world"
    assert (
        forward.agreement.pairs == 3
    )  # the fork's tries with the trial that they left
    assert task.first.mean == 0.0
    assert task.second.mean == pytest.approx(2 / 3)
    assert forward.unpaired == ("a", "b")

    backward = compare_runs(compared_run([fork]), run)
    assert backward.pairing == "task and world"
    assert backward.tasks[0].difference == pytest.approx(-2 / 3)


@pytest.mark.parametrize(
    ("passed", "count", "low", "high"),
    # Wilson's interval for 8 of 10, 10 of 10 and 0 of 10, as tables give it.
    [(8, 10, 0.4902, 0.9433), (10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775)],
)
def test_a_share_has_wilsons_interval(
    passed: int, count: int, low: float, high: float
) -> None:
    found = mean_interval([1.0] * passed + [0.0] * (count - passed))
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_a_bootstrap_is_as_wide_as_theory_says_and_the_same_every_time() -> None:
    chance = random.Random(1)
    values = [chance.gauss(0.5, 0.1) for _ in range(400)]
    found = bootstrap_interval(values)

    assert found is not None
    error = 0.1 / math.sqrt(400)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.15)
    assert found.low < found.mean < found.high
    assert found == bootstrap_interval(values)
    assert bootstrap_interval([]) is None


GOOD: Scores = {f"t{at}": [1.0] for at in range(8)}
BAD: Scores = {f"t{at}": [0.0] for at in range(8)}


@pytest.fixture(autouse=True)
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    scored_journal(folder / "good.jsonl", GOOD)
    scored_journal(folder / "bad.jsonl", BAD)
    scored_journal(folder / "near.jsonl", {**GOOD, "t0": [0.0]})
    scored_journal(folder / "lost.jsonl", {**GOOD, "t0": []})
    scored_journal(folder / "sealed.jsonl", {task: [None] for task in GOOD})
    scored_journal(folder / "mended.jsonl", {"t0": [1.0]}, parent="near")
    scored_journal(
        folder / "often.jsonl", {"t0": [1.0, 0.0], "t1": [1.0, 1.0]}, one_world=True
    )
    return folder


@pytest.mark.parametrize(
    ("first", "second", "code", "says"),
    [
        ("good", "bad", 1, "the second run is worse"),
        ("bad", "good", 0, "the second run is better"),
        (
            "good",
            "near",
            0,
            "no difference shown; fewer than 6 tasks changed; about 48 tasks would be enough$",
        ),
        ("good", "good", 0, "no difference shown$"),
        ("good", "near+mended", 0, "0 better, 0 worse, 8 equal"),
        (
            "good",
            "sealed",
            1,
            "scores are sealed: 8 of 8 pairs have the same outcome, 8 also the same answer",
        ),
        ("often", "often", 0, "tries differ: t0"),
        ("often", "often", 0, r"pass@2 1.000 .* pass\^2 0.500"),
    ],
)
def test_it_says_what_it_shows_and_ends_accordingly(
    first: str, second: str, code: int, says: str, run_command_here: CommandRunner
) -> None:
    found = run_command_here("compare", first, second, "--fail-if-worse")
    assert re.search(says, found.out, re.MULTILINE), found.out
    assert found.code == code
    assert run_command_here("compare", first, second).code == 0


def test_the_json_object_has_the_documented_fields(
    run_command_here: CommandRunner,
) -> None:
    found = run_command_here("compare", "good", "near", "--json").json
    page = (
        (ROOT / "docs/reference.md")
        .read_text(encoding="utf-8")
        .partition("### Comparisons")[2]
        .partition("\n### ")[0]
    )
    documented = {
        name
        for row in re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }

    assert documented == set(found)
    assert found["families"][0] == {
        "name": "t0",
        "tasks": 1,
        "first": 1.0,
        "second": 0.0,
    }


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("good", "none"), "no run 'none'"),
        (("good", "near+bad"), "bad is not a rerun of near"),
        (("good", "near+"), "no run 'near+'"),
        (("good", "bad", "--junit", "runs"), "cannot write runs"),
    ],
)
def test_runs_that_cannot_be_compared_are_one_line(
    words: tuple[str, ...], says: str, run_command_here: CommandRunner
) -> None:
    check_error_line(run_command_here("compare", *words), 2, says)


def test_a_hint_that_was_edited_between_two_runs_is_a_difference(
    tmp_path: Path,
) -> None:
    for name in ("before", "after"):
        (tmp_path / "hint.md").write_text(f"This is {name}.")
        words = ("run", "calendar-date.1", "--hints", "hint.md", "--name", name)
        assert run_in_process(*words, cwd=tmp_path).code == 0
    found = run_in_process("compare", "before", "after", cwd=tmp_path)

    assert re.search(
        r"^settings prompt texts '[0-9a-f]+' → '[0-9a-f]+'$", found.out, re.MULTILINE
    ), found.out
