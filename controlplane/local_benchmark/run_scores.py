"""The result of a run of a benchmark in this process, from the scores of its trials."""

from __future__ import annotations

from controlplane.benchmark import RunResult, RunState, TrialScore
from controlplane.local_benchmark.local_run import LocalRun
from controlplane.local_benchmark.run_ids import RunId


def result_of(run_id: RunId, run: LocalRun) -> RunResult:
    """Return the scores of a run."""
    return RunResult(run_id.text, run.state, _mean(run_id, run), run.ended)


def hidden_result_of(run_id: RunId, run: LocalRun) -> RunResult:
    """Return which trials have ended, without their scores, for a blind benchmark."""
    hidden = [TrialScore(trial.trial_id, score=None) for trial in run.ended]
    return RunResult(run_id.text, run.state, None, tuple(hidden))


def _mean(run_id: RunId, run: LocalRun) -> float | None:
    """Return the mean score of a run.

    None until the run is evaluated, and if another process has some of the scores.
    """
    scores = [trial.score for trial in run.ended if trial.score is not None]
    if run.state is not RunState.EVALUATED or len(scores) != run_id.trials:
        return None
    return sum(scores) / len(scores)
