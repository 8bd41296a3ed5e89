"""Starts a run of the platform, which gives it all its trials at once.

The user's key is sent only here. The other calls need none: they name runs and trials by
random ids, which nobody else knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pydantic import SecretStr

from controlplane.benchmark import BenchmarkError, PlannedTrial, RunRequest, StartedRun
from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)
from controlplane.benchmarks.bitgn.client.runs.harness import Harness
from controlplane.benchmarks.bitgn.client.runs.lifecycle_replies import StartRunReply
from controlplane.sandbox.interface import error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
MAX_START_PATIENCE_S: Final = 60.0
"""Seconds to retry the start of a run: few, because the user waits and no work is lost."""


@dataclass(frozen=True, slots=True)
class RunStarter:
    """Starts runs of one benchmark."""

    harness: Harness
    benchmark_id: str
    key: SecretStr
    """The user's key; empty if there is none."""
    notify: Callable[[str], None]
    """Tells the user something."""

    def start(self, request: RunRequest) -> StartedRun:
        """Start a run and return all its trials, with their tasks if the platform tells them.

        Raises `BenchmarkError` for a request that the platform cannot fulfil, and
        `WireError` that says what the user can do.
        """
        if not self.key.get_secret_value():
            raise BenchmarkError(INVALID, "a run needs a key: set BITGN_API_KEY")
        if request.seed:
            msg = f"seed={request.seed}: the platform chooses the seeds of a run"
            raise BenchmarkError(INVALID, msg)
        started = self._call_start_run(request.name)
        selects_tasks = bool(request.tries)  # If not, all trials of the run are played.
        task_by_trial = self._task_by_trial(started.run_id, is_needed=selects_tasks)
        planned_trials = []
        for trial_id in started.trial_ids:
            planned_trials.append(
                PlannedTrial(trial_id, task_by_trial.get(trial_id, ""))
            )
        return StartedRun(started.run_id, tuple(planned_trials))

    def _call_start_run(self, name: str) -> StartRunReply:
        """Call StartRun. Raises `WireError`."""
        fields: Message = {
            "benchmarkId": self.benchmark_id,
            "name": name,
            "apiKey": self.key.get_secret_value(),
        }
        policy = _start_policy(self.harness.patient)
        try:
            return self.harness.call(
                "StartRun", fields, StartRunReply, policy, self._warn_of_empty_run
            )
        except WireError as error:
            if error.code == error_codes.UNAUTHENTICATED:
                error.message += "; set BITGN_API_KEY to one that it accepts"
            elif error.transient or error.in_doubt:
                error.message += "; no trial was started: run it again"
            raise

    def _warn_of_empty_run(self) -> None:
        """Warn that a lost call may have started a run. The platform cannot list runs."""
        self.notify(
            "the reply to StartRun was lost; it is asked for again, and an empty run may be left over"
        )

    def _task_by_trial(self, run_id: str, *, is_needed: bool) -> dict[str, str]:
        """Return the id of each trial's task; empty if the platform does not answer.

        The run has started, so a failure here does not stop it. The ids are worth a long
        wait only if they are needed to choose the trials of the selected tasks. Otherwise
        they are only shown.
        """
        policy = self.harness.patient if is_needed else self.harness.impatient
        try:
            run = self.harness.run(run_id, policy)
        except WireError:
            return {}
        return {trial.trial_id: trial.task_id for trial in run.trials}


def _start_policy(usual: CallPolicy) -> CallPolicy:
    """Return how often StartRun is called if the calls fail.

    If a reply is lost, nobody knows if the call has started a run (the call is "in
    doubt"). It is repeated all the same, but once only: the first run does no harm,
    because it stays empty. So does a run that is started in spite of a reply with the
    status 503, which usually comes from a proxy that has not passed on the call.
    """
    return CallPolicy(
        usual.deadline_s,
        retry_s=min(usual.retry_s, MAX_START_PATIENCE_S),
        max_repeats_in_doubt=1,
        trusts_plain_503=True,
    )
