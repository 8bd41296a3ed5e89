"""Two runs are compared trial by trial: those of the same task in the same world are a pair.

A world is the data that a trial finds, such as a shop. The trials of a task are in its worlds 0, 1 and
so on, unless `numbers` gives others: `{"a": [1]}` for one trial in world 1.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.comparison.compared_runs import compared


def test_trials_are_paired_by_their_world_and_those_without_a_pair_are_named(
    tmp_path: Path,
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
    second_run: dict[str, str], message: str, tmp_path: Path
) -> None:
    """Another version of the worlds, or another benchmark, has other tasks under the same
    names."""
    with pytest.raises(UsageError, match=message):
        compared(tmp_path, {"t0": [0.0]}, {"t0": [0.0]}, **second_run)
