"""The scores of a run of ten tasks, of which the first ones are better than failed.

For example:

    scores_of_ten(better=1, scores=[1.0, 0.0])    ->    {"t0": [1.0, 0.0], "t1": [0.0, 0.0], ...}
"""

from tests.support.journals.scored_journal import Scores


def scores_of_ten(*, better: int, scores: list[float]) -> Scores:
    """Return the scores of a run in which this many tasks are better than failed."""
    failed_scores = [0.0] * len(scores)
    scores_by_id: dict[str, list[float]] = {}
    for number in range(10):
        is_better = number < better
        scores_by_id[f"t{number}"] = scores if is_better else failed_scores
    return scores_by_id
