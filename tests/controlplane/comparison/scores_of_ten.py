"""The scores of a run of ten tasks, t0 to t9, of which the first ones succeed and the others fail.

For example:

    scores_of_ten(better=1, tries=[1.0])         ->    {"t0": [1.0], "t1": [0.0], ...}
    scores_of_ten(better=1, tries=[1.0, 0.0])    ->    {"t0": [1.0, 0.0], "t1": [0.0, 0.0], ...}
"""

from tests.support.journals.scored_journal import Scores


def scores_of_ten(*, better: int, tries: list[float]) -> Scores:
    """Return the scores of a run whose first `better` tasks have the scores `tries`.

    Each of the other tasks fails in as many tries.
    """
    failed_tries = [0.0] * len(tries)
    scores_by_id: dict[str, list[float]] = {}
    for number in range(10):
        is_better = number < better
        scores_by_id[f"t{number}"] = tries if is_better else failed_tries
    return scores_by_id
