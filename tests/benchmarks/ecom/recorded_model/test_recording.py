"""The recording shows a newcomer right answers of many kinds, and two failures.

`controlplane run ecom --model recorded` plays tasks of the shop with replies that a model once
gave, without a model and at no cost. The recording is a file with the replies and the scores.
"""

from collections import Counter

from controlplane.library.run_report import RunReport
from tests.benchmarks.ecom.recorded_model.recording import RECORDED_SCORES


def test_the_recorded_replies_get_the_recorded_scores(recorded_run: RunReport) -> None:
    scores = {trial.task_id: trial.score for trial in recorded_run.trials}

    assert scores == RECORDED_SCORES
    for trial in recorded_run.trials:
        assert trial.state == "answered"


def test_the_recording_solves_tasks_of_many_families_and_fails_two() -> None:
    """The task `stock-count.1` is of the family `stock-count`."""
    families = {task_id.rpartition(".")[0] for task_id in RECORDED_SCORES}
    tasks_by_score = Counter(RECORDED_SCORES.values())

    assert len(families) >= 16
    assert set(tasks_by_score) == {0.0, 1.0}
    assert tasks_by_score[0.0] == 2
