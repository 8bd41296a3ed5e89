"""Two runs are compared trial by trial: those of the same task in the same world are a pair.

    first run     task a, world 0    task a, world 1    task b, world 0
    second run                       task a, world 1                       task c, world 0

Here only task a in world 1 has a pair. A world is the data that a trial finds, such as a shop.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.comparison.compared_runs import compared


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
