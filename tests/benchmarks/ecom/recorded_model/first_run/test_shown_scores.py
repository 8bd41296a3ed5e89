"""The first run shows the score of each task, their mean, and why two tasks failed.

`./start` plays recorded replies of a model to tasks of the shop. A printed line has up to three
tasks, by their families: `  0.00 open-branches        1.00 discount-grant`.
"""

import re
from itertools import pairwise

from tests.benchmarks.ecom.recorded_model.first_run.first_run import FirstRun
from tests.benchmarks.ecom.recorded_model.recording import RECORDED_SCORES


def shown_scores(screen: list[str]) -> dict[str, float]:
    """Return the scores above the first blank line by family: `{"open-branches": 0.0, ...}`."""
    words = " ".join(screen[: screen.index("")]).split()
    scores: dict[str, float] = {}
    for word, next_word in pairwise(words):
        if re.fullmatch(r"\d\.\d\d", word):
            scores[next_word] = float(word)
    return scores


def test_the_first_run_shows_the_score_of_each_task(first_run: FirstRun) -> None:
    """The task `stock-count.1` is shown by its family, `stock-count`."""
    recorded_scores: dict[str, float] = {}
    for task_id, score in RECORDED_SCORES.items():
        recorded_scores[task_id.removesuffix(".1")] = score

    assert shown_scores(first_run.screen) == recorded_scores


def test_the_first_run_shows_the_mean_score_with_and_without_gates(
    first_run: FirstRun,
) -> None:
    """With gates, 16 of 18 tasks score 1; without them, 14 of 18."""
    mean = "mean score 0.889 with gates that check each answer and call; without them 0.778"
    assert mean in first_run.screen


def test_the_first_run_shows_why_two_tasks_failed(first_run: FirstRun) -> None:
    failures = [line for line in first_run.screen if " failed (0.00): " in line]

    assert failures == [
        "open-branches.1 failed (0.00): expected outcome DENIED_SECURITY, got OK",
        "price-count.1 failed (0.00): expected outcome NONE_UNSUPPORTED, got OK",
    ]
