"""The platform's service for runs and trials.

A call may have taken effect although its reply was lost. So the client asks the
platform for the current state if a call fails transiently, or if the platform replies
that it was made before.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

from pydantic import ValidationError

from controlplane.benchmark import RunState
from controlplane.benchmarks.bitgn.client.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.client_settings import ClientSettings
from controlplane.benchmarks.bitgn.client.lifecycle_replies import (
    RUN_EVALUATED,
    RUN_PENDING,
    TRIAL_DONE,
    TRIAL_ERROR,
    ScoredRun,
    ScoredTrial,
    WireMessage,
)
from controlplane.benchmarks.bitgn.client.platform_call import Call
from controlplane.benchmarks.bitgn.client.platform_client import (
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.wire_errors import (
    ALREADY_CODES,
    Message,
    WireError,
    foreign_reply,
)

SERVICE: Final = "bitgn.harness.HarnessService"
SUBMITTED_STATES: Final = {
    RUN_PENDING: RunState.PENDING,
    RUN_EVALUATED: RunState.EVALUATED,
}
"""The states of a submitted run."""
MAX_FAULTS_SHOWN: Final = 3
Reply = TypeVar("Reply", bound=WireMessage)


class Harness:
    """Makes calls that start, end and look up runs and trials."""

    def __init__(self, client: PlatformClient, settings: ClientSettings) -> None:
        self._client = client
        self._service = Service(client, settings.host, SERVICE)
        deadline_s = settings.lifecycle_timeout_s
        self.patient = CallPolicy(deadline_s, settings.lifecycle_patience_s)
        """The policy of most calls."""
        self.impatient = CallPolicy(
            deadline_s, settings.contact_patience_s, retries_foreign_replies=False
        )
        """The policy of calls that should give up soon.

        These are the first call, because its host may be wrong, and calls whose result
        the run can do without.
        """

    def call(
        self,
        method: str,
        request: Message,
        reply: type[Reply],
        policy: CallPolicy | None = None,
        before_repeat: Callable[[], Message | None] | None = None,
    ) -> Reply:
        """Make a call and return its reply. Raises `WireError`, whose message names the call.

        The policy is `patient` unless set. `before_repeat` finds out whether a call
        whose reply was lost took effect, and returns the lost reply if it did.
        """
        call = self.new_call(method, request, reply, policy, before_repeat)
        try:
            return call.finish()
        except WireError as error:
            # The platform's message does not always name the call.
            if method not in error.message:
                error.message = f"{method}: {error.message}"
            raise

    def new_call(
        self,
        method: str,
        request: Message,
        reply: type[Reply],
        policy: CallPolicy | None = None,
        before_repeat: Callable[[], Message | None] | None = None,
    ) -> Call[Reply]:
        """Return a call that has not been made yet."""

        def parse_reply(fields: Message) -> Reply:
            try:
                return reply.model_validate(fields)
            except ValidationError as error:
                # A proxy may have answered in the platform's place, so the call is retried.
                msg = f"the reply of {method} is not as described: {_faults(error)}"
                raise foreign_reply(msg) from None

        return Call(
            self._service,
            method,
            request,
            policy or self.patient,
            parse_reply,
            before_repeat,
        )

    def run(self, run_id: str, policy: CallPolicy | None = None) -> ScoredRun:
        """Return the state and scores of a run. Raises `WireError`."""
        return self.call("GetRun", {"runId": run_id}, ScoredRun, policy)

    def is_submitted(self, run_id: str, error: WireError) -> bool:
        """Return True if a run is submitted although SubmitRun failed."""

        def ask(policy: CallPolicy) -> bool:
            return self.run(run_id, policy).state in SUBMITTED_STATES

        return self._has_happened(error, ask)

    def has_ended(self, trial_id: str, error: WireError) -> bool:
        """Return True if a trial has ended, which may be why a call failed."""

        def ask(policy: CallPolicy) -> bool:
            reply = self.call("GetTrial", {"trialId": trial_id}, ScoredTrial, policy)
            return reply.state in (TRIAL_DONE, TRIAL_ERROR)

        return self._has_happened(error, ask)

    def _has_happened(
        self, error: WireError, ask: Callable[[CallPolicy], bool]
    ) -> bool:
        """Return True if a call has taken effect although it failed, by asking the platform.

        `ask` makes the call that finds out. A permanent error other than "already done"
        means that there was no effect, so the platform is not asked.
        """
        if error.code in ALREADY_CODES:
            return ask(self.patient)
        if error.transient and not self._client.is_stopping:
            with suppress(WireError):
                return ask(self.impatient)
        return False


def _faults(error: ValidationError) -> str:
    """Return the first faults of a reply in one line: `runId: Field required`."""
    texts = []
    for fault in error.errors()[:MAX_FAULTS_SHOWN]:
        place = ".".join(str(part) for part in fault["loc"])
        texts.append(f"{place}: {fault['msg']}")
    return "; ".join(texts)
