"""Submits a run of the platform, and asks for its scores.

After the trials have ended, the run is submitted, and the platform grades it. Scores may
come later than the reply, so they can be asked for again.
"""

from __future__ import annotations

from collections.abc import Callable

from controlplane.benchmark import RunResult
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)
from controlplane.benchmarks.bitgn.client.runs.harness import Harness
from controlplane.benchmarks.bitgn.client.runs.lost_effects import is_submitted
from controlplane.benchmarks.bitgn.client.runs.scored_replies import (
    ScoredRun,
    ScoredTrial,
)


class RunScores:
    """Submits runs and returns their results: scores, with the reasons for them."""

    def __init__(self, harness: Harness, notify: Callable[[str], None]) -> None:
        """Take the calls to use. `notify` tells the user which reasons are missing."""
        self._harness = harness
        self._notify = notify

    def submit(self, run_id: str, *, force: bool) -> RunResult:
        """Submit a run and return its result. Raises `WireError`.

        A run that was submitted before is only looked up.
        """
        request: Message = {"runId": run_id}
        if force:
            request["force"] = True
        try:
            run = self._harness.call("SubmitRun", request, ScoredRun)
        except WireError as error:
            if is_submitted(self._harness, run_id, error):
                return self.result(run_id)
            raise
        scores = [trial.as_score(trial.trial_id) for trial in run.trials]
        return run.as_result(run_id, scores)

    def result(self, run_id: str) -> RunResult:
        """Return the state and scores of a run, with the reasons for scores. Raises `WireError`."""
        run = self._harness.run(run_id)
        scores = {
            trial.trial_id: trial.as_score(trial.trial_id) for trial in run.trials
        }
        # Only GetTrial returns the reasons for a score. A full score (1) needs none, and
        # a score that is still hidden (None) has none yet.
        calls = {}
        for trial_id, score in scores.items():
            if score.score not in (None, 1):
                call = self._harness.new_call(
                    "GetTrial", {"trialId": trial_id}, ScoredTrial
                )
                calls[trial_id] = call.begin()  # All run at the same time.
        for trial_id, call in calls.items():
            try:
                scores[trial_id] = call.finish().as_score(trial_id)
            except WireError as error:
                self._notify(f"the details of trial {trial_id} are missing: {error}")
        return run.as_result(run_id, scores.values())
