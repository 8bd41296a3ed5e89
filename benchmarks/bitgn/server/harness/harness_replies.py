"""What clients may know of runs and trials, as fields of replies.

Scores are hidden until the benchmark has evaluated the run, and the server's options let
clients see them. Then they are revealed.
"""

from __future__ import annotations

import time
from typing import Final

from controlplane.benchmark import RunResult, RunState, TrialScore
from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.benchmarks.bitgn.server.runs.served_run import (
    DONE,
    FORCED_CLOSE,
    ServedRun,
    ServedTrial,
)
from controlplane.benchmarks.bitgn.server.server_options import BLIND, ServerOptions
from controlplane.sandbox.interface import Plain

NO_ANSWER: Final = "no answer provided"
"""The detail of the score of a trial that ended without an answer."""


class HarnessReplies:
    """Describes runs and trials to clients, as fields of replies."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options

    def run_fields(self, run: ServedRun) -> Fields:
        """Return the fields that all replies about a run have. A hidden score is None.

        `{"runId": "x4T", "state": "RUN_STATE_RUNNING", "score": None, "scoreAvailable": False}`
        """
        result = self._revealed_result(run)
        if not run.is_submitted:
            state = "RUN_STATE_RUNNING"
        elif result is None:
            # Not graded yet, hidden, or never graded because the benchmark failed
            state = "RUN_STATE_PENDING_EVAL"
        else:
            state = "RUN_STATE_EVALUATED"
        score = None if result is None else result.score
        return {
            "runId": run.run_id,
            "state": state,
            "score": score,
            "scoreAvailable": score is not None,
        }

    def trial_fields(self, trial: ServedTrial) -> Fields:
        """Return the fields that all replies about a trial have. Hidden scores are None."""
        score = self._revealed_score(trial)
        return {
            "trialId": trial.trial_id,
            "taskId": trial.task_id,
            "state": trial.state,
            "error": trial.error,
            "score": None if score is None else score.score,
            "scoreAvailable": score is not None,
        }

    def details(self, trial: ServedTrial) -> list[Plain]:
        """Return the lines of a trial's grade that clients may see.

        The trial's error is left out, because it has a field of its own in replies.
        """
        score = self._revealed_score(trial)
        if score is None:
            return []
        details: list[Plain] = [
            detail for detail in score.details if detail != trial.error
        ]
        if not details and trial.state == DONE and not trial.is_answered:
            return [NO_ANSWER]
        return details

    def _revealed_result(self, run: ServedRun) -> RunResult | None:
        """Return the result of a run; None before it is evaluated, and while it is hidden."""
        if run.submitted_at is None or run.result is None:
            return None
        if run.result.state is not RunState.EVALUATED:
            return None
        if self._options.reveal_after_s is None:
            is_visible = self._options.policy != BLIND
        else:
            waited_s = time.monotonic() - run.submitted_at
            is_visible = waited_s >= self._options.reveal_after_s
        return run.result if is_visible else None

    def _revealed_score(self, trial: ServedTrial) -> TrialScore | None:
        """Return a trial's score if it is known and clients may see it.

        A trial that was still open when its run ended scores 0, unless it has a score.
        """
        if self._revealed_result(trial.run) is None:
            return None
        score = trial.run.score(trial.id_in_benchmark)
        if score is not None and score.score is not None:
            return score
        if trial.error == FORCED_CLOSE:
            return TrialScore(trial.trial_id, 0.0)
        return None
