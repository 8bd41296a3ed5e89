"""BFCL's multi-turn tasks through the example, played by
their ground truth: each is right, as by BFCL's own checker."""

from pathlib import Path

import pytest

import controlplane

bfcl = pytest.importorskip("docs.examples.bfcl", exc_type=ImportError)
pytestmark = [pytest.mark.second_tier, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize(
    "category", ["base", "miss_func", "miss_param", "long_context"]
)
def test_the_ground_truth_is_right_under_the_default_policies(
    category: str, tmp_path: Path
) -> None:
    run = controlplane.run(
        bfcl.BFCL(category, {}, None), limit=40, runs_dir=str(tmp_path)
    )
    wrong = [
        (trial.task_id, trial.why, trial.reason)
        for trial in run.trials
        if trial.score != 1
    ]

    assert wrong == []
    assert len(run.trials) == 40


def test_a_turn_without_its_calls_is_wrong(tmp_path: Path) -> None:
    class Lazy(bfcl.BFCL):  # type: ignore[misc] # an example, loaded without types
        def truth(self, task_id: str) -> controlplane.Truth:
            truth: controlplane.Truth = super().truth(task_id)
            return controlplane.Truth(
                [*truth.turns[:-1], ()], tells_user=truth.tells_user
            )

    run = controlplane.run(Lazy("base", {}, None), limit=5, runs_dir=str(tmp_path))

    assert [trial.score for trial in run.trials] == [0] * 5
