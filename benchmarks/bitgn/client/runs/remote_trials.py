"""Starts and ends the trials of a remote run.

A call may fail because an earlier one, whose reply was lost, has done its work: the
platform then says "already ended". So after a failure, the trial's state is asked for.
"""

from __future__ import annotations

from controlplane.benchmark import Trial, TrialScore
from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    ALREADY_CODES,
    WireError,
)
from controlplane.benchmarks.bitgn.client.runs.harness import Harness
from controlplane.benchmarks.bitgn.client.runs.lifecycle_replies import StartTrialReply
from controlplane.benchmarks.bitgn.client.runs.lost_effects import has_ended
from controlplane.benchmarks.bitgn.client.runs.scored_replies import ScoredTrial
from controlplane.benchmarks.bitgn.client.trial.remote_environment import (
    RemoteEnvironment,
)
from controlplane.sandbox.interface import error_codes


class RemoteTrials:
    """The trials that this process plays. Many threads share it."""

    def __init__(
        self, client: PlatformClient, harness: Harness, policy: CallPolicy
    ) -> None:
        """Set up the trials. `policy` is for the calls that scripts make in them."""
        self._client = client
        self._harness = harness
        self._policy = policy
        self._environments: dict[str, RemoteEnvironment] = {}
        """The environments of the trials that have started but not ended, by trial id."""

    def start(self, trial_id: str) -> Trial:
        """Start a trial. If it was started before, the platform returns the same trial again.

        Raises `WireError`.
        """
        reply = self._call_start_trial(trial_id)
        environment = RemoteEnvironment(
            self._client, reply.harness_url, policy=self._policy
        )
        self._environments[trial_id] = environment
        # `is_fresh=False`: an earlier start of the trial may have changed its files.
        return Trial(
            trial_id, reply.task_id, reply.instruction, environment, is_fresh=False
        )

    def _call_start_trial(self, trial_id: str) -> StartTrialReply:
        """Call StartTrial. Raises `WireError`, which says so if the trial has already ended."""
        try:
            return self._harness.call(
                "StartTrial", {"trialId": trial_id}, StartTrialReply
            )
        except WireError as error:
            if error.code in ALREADY_CODES:
                raise  # The platform's message says it.
            if has_ended(self._harness, trial_id, error):
                msg = f"trial {trial_id} has already ended ({error.message})"
                raise WireError(error_codes.FAILED_PRECONDITION, msg) from None
            raise

    def end(self, trial_id: str) -> TrialScore | None:
        """End a trial and refuse its later calls. Return its score; None if it is not known yet.

        Raises `WireError`.
        """
        environment = self._environments.pop(trial_id, None)
        if environment is not None:
            environment.close()
        try:
            trial = self._harness.call("EndTrial", {"trialId": trial_id}, ScoredTrial)
        except WireError as error:
            if has_ended(self._harness, trial_id, error):
                return None  # The score was in the reply that was lost.
            raise
        if trial.known_score is None:
            return None
        return trial.as_score(trial_id)
