"""Calls of the platform's service for runs and trials: StartRun, StartTrial, GetRun, ...

The platform (BitGN) runs benchmarks for agents of others: it provides the trials of a run,
and grades them when they end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from pydantic import ValidationError

from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.calls.platform_call import Call
from controlplane.benchmarks.bitgn.client.calls.platform_request import PlatformRequest
from controlplane.benchmarks.bitgn.client.client_settings import ClientSettings
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
    foreign_reply,
)
from controlplane.benchmarks.bitgn.client.runs.scored_replies import (
    ScoredRun,
    ScoredTrial,
)
from controlplane.benchmarks.bitgn.client.runs.wire_message import WireMessage

SERVICE: Final = "bitgn.harness.HarnessService"
MAX_FAULTS_SHOWN: Final = 3
"""The most faults of a malformed reply that an error names."""
Reply = TypeVar("Reply", bound=WireMessage)
"""The class of a method's reply."""


class Harness:
    """Makes calls that start, end and look up runs and trials."""

    def __init__(self, client: PlatformClient, settings: ClientSettings) -> None:
        self._service = Service(client, settings.host, SERVICE)
        deadline_s = settings.lifecycle_timeout_s
        self.patient = CallPolicy(deadline_s, settings.lifecycle_patience_s)
        """Repeats a failed call for minutes: the policy of most calls."""
        self.impatient = CallPolicy(
            deadline_s, settings.contact_patience_s, retries_foreign_replies=False
        )
        """Gives up after seconds, or after a reply that another site has sent.

        It is the policy of the first call, because the address may be wrong, and of calls
        whose result the run can do without.
        """

    @property
    def is_stopping(self) -> bool:
        """True if no call may be repeated any more, because the run is being stopped."""
        return self._service.client.is_stopping

    def call(
        self,
        method: str,
        request: Message,
        reply_class: type[Reply],
        policy: CallPolicy | None = None,
        before_repeat: Callable[[], None] | None = None,
    ) -> Reply:
        """Make a call and return its reply. Raises `WireError`, whose message names the call.

        `call("GetRun", {"runId": "x4T"}, ScoredRun)` -> a `ScoredRun`. The policy is
        `patient` unless set. `before_repeat` is called if a reply was lost, before the call
        is repeated.
        """
        call = self.new_call(method, request, reply_class, policy, before_repeat)
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
        reply_class: type[Reply],
        policy: CallPolicy | None = None,
        before_repeat: Callable[[], None] | None = None,
    ) -> Call[Reply]:
        """Return a call that has not been made yet."""

        def parse_reply(fields: Message) -> Reply:
            try:
                return reply_class.model_validate(fields)
            except ValidationError as error:
                # A proxy may have answered in the platform's place, so the call is retried.
                msg = f"the reply of {method} is not as described: {_faults(error)}"
                raise foreign_reply(msg) from None

        platform_request = PlatformRequest(self._service, method, request)
        return Call(
            platform_request, policy or self.patient, parse_reply, before_repeat
        )

    def run(self, run_id: str, policy: CallPolicy | None = None) -> ScoredRun:
        """Return the state and scores of a run. Raises `WireError`."""
        return self.call("GetRun", {"runId": run_id}, ScoredRun, policy)

    def trial(self, trial_id: str, policy: CallPolicy | None = None) -> ScoredTrial:
        """Return the state and score of a trial. Raises `WireError`."""
        return self.call("GetTrial", {"trialId": trial_id}, ScoredTrial, policy)


def _faults(error: ValidationError) -> str:
    """Return the first faults of a reply in one line: `runId: Field required`."""
    texts = []
    for fault in error.errors()[:MAX_FAULTS_SHOWN]:
        place = ".".join(str(part) for part in fault["loc"])
        texts.append(f"{place}: {fault['msg']}")
    return "; ".join(texts)
