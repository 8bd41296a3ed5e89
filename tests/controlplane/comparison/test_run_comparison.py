from pathlib import Path

import pytest

from controlplane.comparison.resampling import scores_by_task
from controlplane.comparison.run_comparison import Comparison, compare_runs, compared_run
from controlplane.errors import UsageError
from tests.support.scored_journal import Scores, scored_journal

TEN = {f"t{at}": [0.0] for at in range(10)}


def compared(folder: Path, first: Scores, second: Scores, **differing: object) -> Comparison:
    one = compared_run([scored_journal(folder / "one.jsonl", first)])
    two = compared_run([scored_journal(folder / "two.jsonl", second, **differing)])
    return compare_runs(one, two)


@pytest.mark.parametrize(
    ("better", "shown"),
    # Five tasks all change in one direction by chance in 2 of 32 cases, six in 2 of 64.
    [(0, False), (5, False), (6, True), (10, True)],
)
def test_a_difference_is_shown_if_chance_rarely_gives_it(better: int, shown: bool, tmp_path: Path) -> None:
    found = compared(tmp_path, TEN, {**TEN, **{f"t{at}": [1.0] for at in range(better)}})
    assert (found.is_shown, found.is_worse, len(found.better)) == (shown, False, better)
    assert found.difference is not None
    assert found.difference.mean == pytest.approx(better / 10)
    assert (found.needed_tasks is None) == (better == 0)


def test_tasks_that_change_in_both_directions_show_nothing(tmp_path: Path) -> None:
    second = {f"t{at}": [float(at < 5)] for at in range(10)}
    found = compared(tmp_path, {f"t{at}": [float(at >= 5)] for at in range(10)}, second)
    assert (found.is_shown, len(found.better), len(found.worse)) == (False, 5, 5)


def test_if_tasks_differ_among_themselves_more_of_them_are_needed_not_more_tries(tmp_path: Path) -> None:
    first = {f"t{at}": [0.0, 0.0] if at % 3 else [1.0, 1.0] for at in range(9)}
    found = compared(tmp_path, first, {task: [1 - score for score in scores] for task, scores in first.items()})
    assert found.needed is None
    assert (found.needed_tasks or 0) > 9


def test_what_got_worse_stands_by_name_the_largest_change_first(tmp_path: Path) -> None:
    found = compared(tmp_path, {"a": [1.0], "b": [1.0], "c": [0.0]}, {"a": [0.5], "b": [0.0], "c": [1.0]})
    assert [each.task for each in found.worse] == ["b", "a"]
    assert [each.task for each in found.better] == ["c"]
    assert (found.first_spent.tokens, found.second_spent.cost_usd) == (330, pytest.approx(0.03))


def test_tries_are_paired_by_their_world_and_what_has_no_pair_is_named(tmp_path: Path) -> None:
    found = compared(tmp_path, {"a": [1.0, 0.0], "b": [1.0]}, {"a": [0.0], "c": [1.0]}, numbers={"a": [1]})
    assert (found.pairing, [task.change for task in found.tasks]) == ("task and world", ["same"])
    assert found.unpaired == ("a", "b", "c")


def test_rates_and_flickers_are_those_of_the_trials_that_are_compared(tmp_path: Path) -> None:
    found = compared(tmp_path, {"a": [1.0, 1.0], "b": [1.0, 0.0]}, {"a": [1.0, 0.0]})
    assert [rate.at_least_one.mean for rate in found.first_rates] == [1.0, 1.0]
    assert [rate.every_one.mean for rate in found.second_rates] == [0.5, 0.0]
    assert (found.first_flickers, found.second_flickers) == ((), ("a",))


def test_runs_in_other_worlds_are_compared_task_by_task(tmp_path: Path) -> None:
    found = compared(tmp_path, {"a": [1.0, 0.0]}, {"a": [1.0]}, seed=7)
    assert (found.pairing, found.tasks[0].difference) == ("task", 0.5)
    assert "worlds differ" in found.notes[0]


@pytest.mark.parametrize(
    ("differing", "says"),
    [({"world": "w2"}, "other versions of its worlds"), ({"benchmark": "bitgn:x"}, "runs of one benchmark")],
)
def test_runs_whose_scores_mean_different_things_are_refused(
    differing: dict[str, str], says: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=says):
        compared(tmp_path, TEN, TEN, **differing)


def test_a_journal_that_names_no_version_is_compared_with_a_notice(tmp_path: Path) -> None:
    assert "does not name the version of its worlds" in compared(tmp_path, TEN, TEN, world="").notes[0]


def test_absent_is_not_zero(tmp_path: Path) -> None:
    found = compared(tmp_path, {"a": [1.0], "b": [1.0]}, {"a": [1.0], "b": [None]})
    assert (len(found.tasks), found.without_score, found.lost_scores) == (1, ("b",), ("b",))
    assert found.difference is not None
    assert found.difference.mean == 0


def test_a_rerun_takes_the_place_of_the_tries_that_it_played(tmp_path: Path) -> None:
    run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0, 0.0], "b": [1.0]})
    again = scored_journal(tmp_path / "again.jsonl", {"a": [1.0]}, parent="run", numbers={"a": [1]})
    found = compared_run([run, again])
    assert [(trial.task, trial.number, trial.score, trial.run) for trial in found.trials] == [
        ("a", 0, 0.0, "run"),
        ("a", 1, 1.0, "again"),
        ("b", 0, 1.0, "run"),
    ]
    assert scores_by_task(trial.summary for trial in found.trials) == {"a": [0.0, 1.0], "b": [1.0]}


def test_the_tries_of_a_fork_stand_in_the_world_of_the_trial_that_they_left(tmp_path: Path) -> None:
    run = compared_run([scored_journal(tmp_path / "run.jsonl", {"a": [1.0, 0.0], "b": [1.0]})])
    fork = scored_journal(
        tmp_path / "fork.jsonl", {"a": [1.0, 1.0, 0.0]}, parent="run", how="fork", numbers={"a": [1, 2, 3]}
    )
    found = compare_runs(run, compared_run([fork]))
    (task,) = found.tasks
    assert (found.pairing, found.agreement.pairs) == ("task and world", 3)
    assert (task.first.mean, round(task.second.mean, 3)) == (0.0, 0.667)
    assert found.unpaired == ("a", "b")
    back = compare_runs(compared_run([fork]), run)
    assert (back.pairing, round(back.tasks[0].difference, 3)) == ("task and world", -0.667)
