"""A call of the platform: a request that is repeated, as its policy allows, until it succeeds.

A call is "in doubt" if a reply was lost, so that nobody knows whether it took effect. Some
calls can find out before they are repeated: after a lost reply to a write, the file is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Self, TypeVar

from controlplane.agent.retry.retried_call import FailedAttempt, call_with_retry
from controlplane.benchmarks.bitgn.client.calls.attempts import (
    Attempts,
    charged_pause_s,
)
from controlplane.benchmarks.bitgn.client.calls.begun_request import BegunRequest
from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.calls.platform_request import PlatformRequest
from controlplane.benchmarks.bitgn.client.calls.repeat_pause import wait_before_repeat
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)

Result = TypeVar("Result")


class Call(Generic[Result]):
    """One call of the platform, repeated after failures as its policy allows.

    `finish` makes the call and returns its result. `begin` may start it earlier in another
    thread, so that its caller can do something else meanwhile.
    """

    def __init__(
        self,
        request: PlatformRequest,
        policy: CallPolicy,
        parse_reply: Callable[[Message], Result],
        before_repeat: Callable[[], Message | None] | None = None,
    ) -> None:
        """Set up the call, without making it.

        Args:
            request: What is sent.
            policy: How often the call is retried.
            parse_reply: Returns the result in a reply. Raises `WireError` if the reply
                is malformed.
            before_repeat: Finds out, after a lost reply, whether the call took effect.
                Returns that reply if it did, or None to repeat the call.
        """
        self.request = request
        self._client = request.service.client
        self._begun_request = BegunRequest(request, policy.deadline_s)
        self._parse_reply = parse_reply
        self._before_repeat = before_repeat
        self._attempts = Attempts(policy)

    def begin(self) -> Self:
        """Start the first attempt in another thread. Raises `WireError`."""
        self._begun_request.begin()
        return self

    def finish(self) -> Result:
        """Make the call, with retries, and return its result.

        Raises `WireError` if it is refused, or if its policy allows no more attempts.
        """
        try:
            return call_with_retry(
                self._attempt,
                self._attempts.policy.pauses,
                is_transient=self._may_repeat,
                pause=self._pause,
                # Pauses that the server requested are waited for, but not counted against
                # the time limit, neither before (`asked_pause_s`) nor after they happened.
                asked_pause_s=charged_pause_s,
                excluded_s=lambda: self._attempts.requested_pauses_s,
            )
        except WireError as error:
            # The last attempt may be refused, and an earlier one have taken effect.
            error.in_doubt = error.in_doubt or self._attempts.is_in_doubt
            error.message = self._client.without_secrets(error.message)
            raise

    def _attempt(self) -> Result:
        """Make one attempt and return its result. Raises `WireError`.

        If it turns out that an earlier attempt took effect, return what that one's lost
        reply said.
        """
        attempts = self._attempts
        if attempts.is_in_doubt and self._before_repeat is not None:
            lost_reply = self._before_repeat()
            if lost_reply is not None:
                return self._parse_reply(lost_reply)
            attempts.is_in_doubt = False  # The earlier attempts had no effect.

        try:
            return self._parse_reply(self._begun_request.reply())
        except WireError as error:
            if attempts.shows_earlier_success(error):
                # Calls that accept "already done" have an empty reply, so the lost one was, too.
                return self._parse_reply({})
            attempts.record_failure(error)
            raise

    def _may_repeat(self, error: Exception) -> bool:
        """Return True if the call may be made again after an error. Nothing is, while stopping."""
        if not isinstance(error, WireError) or self._client.is_stopping:
            return False
        return self._attempts.allow_another(error)

    def _pause(self, failed: FailedAttempt) -> bool:
        """Wait before the next attempt, and tell the user why. Return True if a stop ended it."""
        method = self.request.method
        return wait_before_repeat(self._client, method, self._attempts, failed)
