"""The platform's control plane: one method per call, each with its retry policy."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import ValidationError

from benchmarks.bitgn.client import messages
from benchmarks.bitgn.client.call_policies import ALREADY_CODES, CallPolicy, RetryingClient
from benchmarks.bitgn.client.connect import Endpoint
from benchmarks.bitgn.client.wire_error import WireError
from sandbox.interface import Plain, error_codes

SERVICE: Final = "bitgn.harness.HarnessService"
START_RUN_RETRY_S: Final = 60.0
"""Seconds for which the start of a run is retried at most: nothing is lost yet, and somebody waits."""
ENDED: Final = (messages.TRIAL_DONE, messages.TRIAL_ERROR)
HANDED_IN: Final = (messages.RUN_PENDING, messages.RUN_EVALUATED)

Reply = TypeVar("Reply", bound=messages.WireMessage)


@dataclass(frozen=True, slots=True)
class LifecycleLimits:
    """How long the calls that start, end and submit may take."""

    deadline_s: float
    """Seconds that one attempt may take."""
    first_contact_s: float
    """Seconds for which the first question about a benchmark is retried, before anything has started."""
    lifecycle_s: float
    """Seconds for which a call that starts, ends or submits is retried."""


class HarnessClient:
    """Starts, ends and submits. Used from many threads at once. Every method raises `WireError`."""

    def __init__(self, client: RetryingClient, base_url: str, limits: LifecycleLimits) -> None:
        self._client = client
        self._endpoint = Endpoint(base_url, SERVICE)
        self._first_contact = CallPolicy(limits.deadline_s, limits.first_contact_s, trusts_address=False)
        self._lifecycle = CallPolicy(limits.deadline_s, limits.lifecycle_s)
        start_s = min(limits.lifecycle_s, START_RUN_RETRY_S)
        self._start_run = CallPolicy(limits.deadline_s, start_s, doubts=1, trusts_bare_503=True)

    def get_benchmark(self, benchmark_id: str) -> messages.BenchmarkReply:
        """Return a benchmark's policy and tasks."""
        request: dict[str, Plain] = {"benchmarkId": benchmark_id}
        return self._call("GetBenchmark", request, messages.BenchmarkReply, self._first_contact)

    def start_run(
        self, benchmark_id: str, name: str, api_key: str, *, on_doubt: Callable[[], None]
    ) -> messages.StartRunReply:
        """Start a run. After a lost reply it is asked for once more, and `on_doubt` is told: a run may be left over."""
        request: dict[str, Plain] = {"benchmarkId": benchmark_id, "name": name, "apiKey": api_key}
        return self._call("StartRun", request, messages.StartRunReply, self._start_run, look=on_doubt)

    def start_trial(self, trial_id: str) -> messages.StartTrialReply:
        """Start a trial, or get it again: a second start of the same id is no second trial."""
        try:
            return self._call("StartTrial", {"trialId": trial_id}, messages.StartTrialReply, self._lifecycle)
        except WireError as error:
            if error.code in ALREADY_CODES or not self._is_done(
                error, lambda needed: self._has_ended(trial_id, needed)
            ):
                raise
            msg = f"trial {trial_id} has already ended ({error.message})"
            raise WireError(error_codes.FAILED_PRECONDITION, msg) from None

    def end_trial(self, trial_id: str) -> messages.ScoredTrial:
        """End a trial; one that has ended counts as ended, by the platform itself as well."""
        try:
            return self._call("EndTrial", {"trialId": trial_id}, messages.ScoredTrial, self._lifecycle)
        except WireError as error:
            if not self._is_done(error, lambda needed: self._has_ended(trial_id, needed)):
                raise
            return messages.ScoredTrial()

    def get_trial(self, trial_id: str, *, is_needed: bool = True) -> messages.ScoredTrial:
        """Return what is known of a trial; what is not needed is not asked for long."""
        policy = self._lifecycle if is_needed else self._first_contact
        return self._call("GetTrial", {"trialId": trial_id}, messages.ScoredTrial, policy)

    def get_run(self, run_id: str, *, is_needed: bool = True) -> messages.GetRunReply:
        """Return what is known of a run; what is not needed is not asked for long."""
        policy = self._lifecycle if is_needed else self._first_contact
        return self._call("GetRun", {"runId": run_id}, messages.GetRunReply, policy)

    def submit_run(self, run_id: str, *, force: bool) -> messages.SubmitRunReply | None:
        """Submit a run; return None if it had been submitted before."""
        request: dict[str, Plain] = {"runId": run_id, "force": True} if force else {"runId": run_id}
        try:
            return self._call("SubmitRun", request, messages.SubmitRunReply, self._lifecycle)
        except WireError as error:
            if not self._is_done(error, lambda needed: self.get_run(run_id, is_needed=needed).state in HANDED_IN):
                raise
            return None

    def _has_ended(self, trial_id: str, is_needed: bool) -> bool:
        return self.get_trial(trial_id, is_needed=is_needed).state in ENDED

    def _is_done(self, error: WireError, look: Callable[[bool], bool]) -> bool:
        """Return whether what failed is done all the same. `look` is told whether its answer is needed.

        What the platform calls done is looked at. So is what keeps failing transiently: it may be done as well.
        """
        if error.code in ALREADY_CODES:
            return look(True)
        if error.transient and not self._client.throttle.is_stopping:
            with suppress(WireError):
                return look(False)
        return False

    def _call(
        self,
        method: str,
        request: dict[str, Plain],
        reply: type[Reply],
        policy: CallPolicy,
        look: Callable[[], None] | None = None,
    ) -> Reply:

        def read(said: dict[str, Plain]) -> Reply:
            try:
                return reply.model_validate(said)
            except ValidationError as error:
                wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:3])
                msg = f"the reply of {method} is not as described: {wrong}"
                # Code and all, it is not what the platform says: somebody else may stand in for it for a while.
                refusal = WireError(error_codes.UNAVAILABLE, msg, in_doubt=True)
                refusal.is_foreign = True
                raise refusal from None

        try:
            return self._client.call(self._endpoint, method, request, policy=policy, read=read, look=look)
        except WireError as error:
            # What the platform says does not always tell what it is about.
            raise error if method in error.message else error.saying(f"{method}: {error.message}") from None
