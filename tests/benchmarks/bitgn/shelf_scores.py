"""Scores of trials of the small benchmark `shelf`, by the answers that were given.

`score_of_answers("run 1/t00", [RIGHT_ANSWER])` has the score 1.0.
"""

from collections.abc import Sequence

from controlplane import RunResult, RunState, TrialScore
from tests.benchmarks.bitgn.shelf_contents import RIGHT_ANSWER, ShelfAnswer


def score_of_answers(trial_id: str, answers: Sequence[ShelfAnswer]) -> TrialScore:
    """Return 1.0 if the right answer was given, and only once."""
    if not answers:
        return TrialScore(trial_id, 0.0)
    if list(answers) == [RIGHT_ANSWER]:
        return TrialScore(trial_id, 1.0)
    return TrialScore(trial_id, 0.0, ("wrong title",))


def pending_result(run_id: str, trial_ids: Sequence[str]) -> RunResult:
    """Return the result of a run that is not graded yet: its trials have no scores."""
    unscored = tuple(TrialScore(trial_id, None) for trial_id in trial_ids)
    return RunResult(run_id, RunState.PENDING, None, unscored)


def mean_result(run_id: str, scores: Sequence[TrialScore]) -> RunResult:
    """Return the result of a graded run: the mean of the scores of its trials."""
    total = sum(score.score or 0.0 for score in scores)
    return RunResult(run_id, RunState.EVALUATED, total / len(scores), tuple(scores))
