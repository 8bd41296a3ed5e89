"""Two runs compared: `controlplane compare before after` says whether the second one is better.

Both runs play the same tasks. Their trials are paired by task and world (a task may be played in
several worlds). A difference is "shown" if chance would rarely give it: enough tasks changed, and
the 95 % interval of the mean difference leaves out 0.

    before  t0: 0.0  t1: 0.0  t2: 0.0 ...
    after   t0: 1.0  t1: 0.0  t2: 0.0 ...     one task is better, which is not shown
"""

from pathlib import Path

import pytest

from controlplane.compared_run import compared_run
from controlplane.errors import UsageError
from controlplane.run_comparison.comparing import compare_runs
from controlplane.run_comparison.results import Comparison
from controlplane.score_groups import scores_by_task
from tests.support.journals.scored_journal import Scores, scored_journal


def compared(
    folder: Path, first: Scores, second: Scores, **second_run: object
) -> Comparison:
    """Compare two runs with these scores.

    `second_run` says what else is special about the second one, such as `world_version="w2"`.
    """
    first_journal = scored_journal(folder / "one.jsonl", first)
    second_journal = scored_journal(folder / "two.jsonl", second, **second_run)
    return compare_runs(compared_run([first_journal]), compared_run([second_journal]))


TEN_TASKS = [f"t{number}" for number in range(10)]
"""The ids of ten tasks: `t0` to `t9`."""


def scores_of_ten(*, better: int, scores: list[float]) -> Scores:
    """Return the scores of a run in which the first tasks are better than failed.

    `better=1, scores=[1.0, 0.0]` -> `{"t0": [1.0, 0.0], "t1": [0.0, 0.0], ...}`
    """
    failed_scores = [0.0] * len(scores)
    scores_by_id: dict[str, list[float]] = {}
    for index, task in enumerate(TEN_TASKS):
        scores_by_id[task] = scores if index < better else failed_scores
    return scores_by_id


class TestDifferences:
    """Two runs play ten tasks, and some of them are better in the second one.

    `scores_of_ten(better=3, scores=[1.0, 0.0])` gives the first three tasks the scores 1 and 0
    in their two tries, and the others 0.
    """

    @pytest.mark.parametrize(
        ("better", "is_shown"),
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
        self, better: int, is_shown: bool, tmp_path: Path
    ) -> None:
        """In the first run, all ten tasks fail."""
        comparison = compared(
            tmp_path,
            scores_of_ten(better=0, scores=[1.0]),
            scores_of_ten(better=better, scores=[1.0]),
        )

        assert comparison.is_shown == is_shown
        assert not comparison.is_worse
        assert len(comparison.better) == better
        assert comparison.difference is not None
        assert comparison.difference.mean == pytest.approx(better / 10)

    @pytest.mark.parametrize(
        ("better", "scores", "needed_tasks"),
        [
            pytest.param(3, [1.0, 1.0, 1.0, 1.0], 20, id="3 of 10 tasks are better"),
            pytest.param(
                3, [1.0, 0.0], 20, id="3 of 10 are better in half of their tries"
            ),
            pytest.param(10, [1.0] * 10, None, id="the difference is shown already"),
        ],
    )
    def test_a_comparison_says_how_many_tasks_would_show_the_difference(
        self, better: int, scores: list[float], needed_tasks: int | None, tmp_path: Path
    ) -> None:
        """A difference is shown if six tasks or more are better. If 3 of 10 are, 6 of 20 would
        be."""
        comparison = compared(
            tmp_path,
            scores_of_ten(better=0, scores=scores),
            scores_of_ten(better=better, scores=scores),
        )

        assert comparison.needed_tasks == needed_tasks


class TestPairs:
    """Trials are compared with those of the same task in the same world.

    A world is the data that a trial finds, such as a shop. The trials of a task are in its
    worlds 0, 1 and so on, unless `numbers` gives others: {"a": [1]} for one trial in world 1.
    """

    def test_trials_are_paired_by_their_world_and_those_without_a_pair_are_named(
        self, tmp_path: Path
    ) -> None:
        """Only task a in world 1 is in both runs, with the score 0."""
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
                {"benchmark": "bitgn:x"},
                "runs of one benchmark",
                id="another benchmark",
            ),
        ],
    )
    def test_runs_whose_scores_mean_different_things_are_refused(
        self, second_run: dict[str, str], message: str, tmp_path: Path
    ) -> None:
        """Another version of the worlds, or another benchmark, has other tasks under the same
        names."""
        with pytest.raises(UsageError, match=message):
            compared(tmp_path, {"t0": [0.0]}, {"t0": [0.0]}, **second_run)


class TestRerunsAndForks:
    """A rerun plays trials of a run again, and a fork continues one of them.

    `numbers={"a": [1]}` says that the first trial of task a is in world 1.
    """

    def test_a_rerun_replaces_the_trials_that_it_played_again(
        self, tmp_path: Path
    ) -> None:
        """The rerun plays task a again in world 1."""
        run = scored_journal(tmp_path / "run.jsonl", {"a": [0.0, 0.0], "b": [1.0]})
        rerun = scored_journal(
            tmp_path / "again.jsonl", {"a": [1.0]}, parent="run", numbers={"a": [1]}
        )

        combined_run = compared_run([run, rerun])

        score_by_world = {trial.world: trial.score for trial in combined_run.trials}
        assert score_by_world == {("a", 0): 0.0, ("a", 1): 1.0, ("b", 0): 1.0}
        assert scores_by_task(combined_run.trials) == {"a": [0.0, 1.0], "b": [1.0]}

    def test_the_tries_of_a_fork_are_compared_with_the_trial_that_they_continue(
        self, tmp_path: Path
    ) -> None:
        """The fork plays a trial of the run three times from a step in the middle on, in its world.

        run    task a, world 0: 1.0    task a, world 1: 0.0                task b: 1.0
        fork                           task a, world 1: 1.0, 1.0 and 0.0
        """
        run = scored_journal(tmp_path / "run.jsonl", {"a": [1.0, 0.0], "b": [1.0]})
        fork = scored_journal(
            tmp_path / "fork.jsonl",
            {"a": [1.0, 1.0, 0.0]},
            parent="run",
            how="fork",
            numbers={"a": [1, 2, 3]},  # The fork is in the world of its first trial.
        )

        comparison = compare_runs(compared_run([run]), compared_run([fork]))
        reverse_comparison = compare_runs(compared_run([fork]), compared_run([run]))

        (task,) = comparison.tasks
        assert comparison.pairing == "task and world"
        assert comparison.agreement.pairs == 3
        assert task.first.mean == 0.0
        assert task.second.mean == pytest.approx(2 / 3)
        assert comparison.unpaired == ("a", "b")
        assert reverse_comparison.pairing == "task and world"
        assert reverse_comparison.tasks[0].difference == pytest.approx(-2 / 3)
