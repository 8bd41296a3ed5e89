"""A call of the platform: a request that is repeated, as its policy allows, until it succeeds.

A call is "in doubt" if a reply was lost, so that nobody knows whether it took effect. Some
calls can find out before they are repeated: after a lost reply to a write, the file is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, Self, TypeVar

from controlplane.benchmarks.bitgn.client.calls.attempts import (
    Attempts,
    RepeatPause,
)
from controlplane.benchmarks.bitgn.client.calls.begun_request import BegunRequest
from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.calls.platform_request import PlatformRequest
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)
from controlplane.sandbox.interface import bounds

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
        self._attempts = Attempts(policy)
        self._begun_request = BegunRequest(request, policy.deadline_s)
        self._parse_reply = parse_reply
        self._before_repeat = before_repeat
        self._created_at = time.monotonic()
        """About the time of the first attempt, which `begin` may make long before `finish`."""

    def begin(self) -> Self:
        """Start the first attempt in another thread. Raises `WireError`."""
        self._begun_request.begin()
        return self

    def finish(self) -> Result:
        """Make the call, with retries, and return its result.

        If it failed, it may be called again: with what is left of the retries and pauses.
        Raises `WireError` if it is refused, or if its policy allows no more attempts.
        """
        self._attempts.begin()
        try:
            return self._first_success()
        except WireError as error:
            # The last attempt may be refused, and an earlier one have taken effect.
            error.in_doubt = error.in_doubt or self._attempts.is_in_doubt
            error.message = self._client.without_secrets(error.message)
            raise

    def _first_success(self) -> Result:
        """Make attempts until one succeeds. Raises the `WireError` of the last one."""
        while True:
            self._attempts.count += 1
            try:
                return self._attempt()
            except WireError as error:
                if not self._wait_before_repeat(error):
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

    def _wait_before_repeat(self, error: WireError) -> bool:
        """Wait before the next attempt. Return False if there must not be one.

        That is so if the policy allows no other, or if the run is being stopped.
        """
        if self._client.is_stopping:
            return False
        pause = self._attempts.pause_after(error)
        if pause is None:
            return False
        self._tell_of_long_wait(error, pause)
        if pause.is_requested:
            self._attempts.requested_pauses_s += pause.seconds
        was_stopped = self._client.wait(pause.seconds)
        return not was_stopped

    def _tell_of_long_wait(self, error: WireError, pause: RepeatPause) -> None:
        """Tell the user about a long pause, or about a call that fails for long."""
        attempts = self._attempts
        method = self.request.method
        failing_s = time.monotonic() - self._created_at - attempts.requested_pauses_s
        if pause.is_requested and pause.seconds >= bounds.NOTICE_AFTER_S:
            self._client.notice(
                f"the platform asks to wait {pause.seconds:.0f} s with {method}"
            )
        elif failing_s >= bounds.NOTICE_AFTER_S:
            self._client.notice(
                f"{method} has been failing for {failing_s:.0f} s "
                f"and is retried for {attempts.policy.retry_s:g} s: {error}"
            )
