"""Retries calls of the platform: for how long, how often, and whether a call that may have happened is made again.

A call whose effect is in doubt (its reply was lost) is retried only if a second one does no harm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

from agent.retry import FailedAttempt, RetryPolicy, call_with_retry, named_pause_s
from benchmarks.bitgn.client.connect import ConnectClient, Endpoint, NotSent
from benchmarks.bitgn.client.throttle import PauseTooLong, Throttle, ThrottleClosed
from benchmarks.bitgn.client.wire_error import WireError
from sandbox.interface import Plain, error_codes

FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 5.0
LONGEST_THROTTLING_S: Final = 300.0
"""Seconds that one call waits in all because the server asked for it."""
ATTEMPTS: Final = {error_codes.INTERNAL: 3, error_codes.CANCELED: 3, error_codes.RESOURCE_EXHAUSTED: 6}
"""Attempts after which a transient failure counts as permanent: a fault of the server, a server that gives up what it
began, a cap on a trial's calls. Attempts do not count if the server names a time to wait."""
UNLIMITED: Final = 1_000_000
NOTICE_AFTER_S: Final = 10.0
"""Seconds of failures after which the user is told."""
NOTICE_EVERY_S: Final = 60.0
"""Seconds between two such notices, whichever calls they are about."""
ALREADY_CODES: Final = frozenset({error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION})
"""Codes that a repeated call gets if the one before it did happen."""
Reply: TypeAlias = dict[str, Plain]
"""What came over the wire."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How one kind of call is retried."""

    deadline_s: float
    """Seconds that one attempt may take, its body included."""
    retry_s: float
    """Seconds after which a failure is final; waiting because the server asked for it does not count."""
    doubts: int = UNLIMITED
    """How often a call that may have happened is made again."""
    trusts_address: bool = True
    """Whether a page in place of a reply is transient; otherwise the address counts as wrong."""
    trusts_bare_503: bool = False
    """Whether a 503 without a code counts as a refusal, because a second call does little harm."""
    already_is_done: bool = False
    """Whether a repeated call that is told "already" counts as done."""


def as_it_is(reply: Reply) -> Reply:
    """Read a reply of which nothing is expected."""
    return reply


class RetryingClient:
    """Makes calls within the common throttle and retries them by their policy. Used from many threads at once."""

    def __init__(self, client: ConnectClient, throttle: Throttle) -> None:
        self.client = client
        self.throttle = throttle
        self._noticed_at = -NOTICE_EVERY_S

    def call(
        self,
        endpoint: Endpoint,
        method: str,
        message: Mapping[str, Plain],
        *,
        policy: CallPolicy,
        read: Callable[[Reply], Result],
        look: Callable[[], Reply | None] | None = None,
    ) -> Result:
        """Make one call until it succeeds, is refused for good, or its policy ends it. Raises `WireError`.

        `read` raises the `WireError` that a malformed reply amounts to. `look` is asked before a call that may have
        happened is made again: it returns the reply if it finds that the call did happen, else None.
        """
        return _Call(self, endpoint, method, message, policy, read, look).run()

    def notice(self, text: str) -> None:
        """Tell the user that calls fail, once for all calls that do so at the time."""
        now = time.monotonic()
        if now - self._noticed_at >= NOTICE_EVERY_S:
            self._noticed_at = now
            self.throttle.on_notice(text)

    def close(self) -> None:
        """Wake and refuse every call that waits, and close the connections."""
        self.throttle.close()
        self.client.close()


@dataclass(slots=True)
class _Call(Generic[Result]):
    """One call, and what has been tried of it so far. It watches each attempt for what the server asks."""

    owner: RetryingClient
    endpoint: Endpoint
    method: str
    message: Mapping[str, Plain]
    policy: CallPolicy
    read: Callable[[Reply], Result]
    look: Callable[[], Reply | None] | None
    began_at: float = field(default_factory=time.monotonic)
    number: int = 0
    lost: int = 0
    """Attempts whose reply was lost."""
    in_doubt: bool = False
    """Whether one of the attempts may have happened."""
    waited_s: float = 0.0
    """Seconds spent waiting for a turn, pauses that the server asked for included."""
    sent_at: float = 0.0
    was_throttled: bool = False
    """Whether the reply to the current attempt asked to wait."""

    def run(self) -> Result:
        """Return what the call returns. Raises `WireError`."""
        try:
            return call_with_retry(
                self._attempt,
                RetryPolicy(self.policy.retry_s, FIRST_PAUSE_S, LONGEST_PAUSE_S),
                is_transient=self._may_repeat,
                pause=self._pause,
                asked_pause_s=_asked_pause_s,
                excluded_s=lambda: self.waited_s,
            )
        except WireError as error:
            error.in_doubt |= self.in_doubt
            raise
        except PauseTooLong as paused:
            wait = f"the platform asks to wait {paused.paused_s:.0f} s more"
            msg = f"{self.method} was given up: {wait if paused.paused_s else 'no call before it ended'}"
            given_up = WireError(error_codes.UNAVAILABLE, msg, in_doubt=self.in_doubt)
            given_up.retry_after_s = paused.paused_s
            raise given_up from None
        except ThrottleClosed:
            msg = f"{self.method} was given up: the client was closed"
            raise WireError(error_codes.CANCELED, msg, in_doubt=self.in_doubt, transient=False) from None

    def before_sending(self) -> None:
        """Keep back a call that got its turn just before a reply asked everybody to wait."""
        if self.owner.throttle.is_paused:
            raise NotSent

    def on_retry_after(self, retry_after_s: float | None) -> None:
        """Let every call wait as a reply asks."""
        self.was_throttled = True
        self.owner.throttle.pushed_back(retry_after_s, sent_at=self.sent_at)

    def _attempt(self) -> Result:
        if self.in_doubt and self.look is not None:
            if (known := self.look()) is not None:
                return self.read(known)
            self.in_doubt = False
        self.number += 1
        throttle = self.owner.throttle
        while True:
            self.waited_s += throttle.acquire(LONGEST_THROTTLING_S - self.waited_s)
            succeeded = False
            try:
                result = self._exchange()
                succeeded = True
            except NotSent:
                continue
            finally:
                throttle.release(succeeded=succeeded)
            return result

    def _exchange(self) -> Result:
        self.sent_at, self.was_throttled = time.monotonic(), False
        try:
            reply = self.owner.client.call(
                self.endpoint, self.method, self.message, deadline_s=self.policy.deadline_s, watch=self
            )
            return self.read(reply)
        except WireError as error:
            if error.code == error_codes.RESOURCE_EXHAUSTED and not self.was_throttled:
                self.on_retry_after(error.retry_after_s)
            if self.policy.already_is_done and self.lost and error.code in ALREADY_CODES:
                return self.read({})
            if self.policy.trusts_bare_503 and error.is_bare_503:
                error.in_doubt = False
            self.lost += error.in_doubt
            self.in_doubt |= error.in_doubt
            raise

    def _may_repeat(self, error: Exception) -> bool:
        if not isinstance(error, WireError) or not error.transient or self.owner.throttle.is_stopping:
            return False
        if error.retry_after_s is None and self.number >= ATTEMPTS.get(error.code, UNLIMITED):
            return False
        if error.is_foreign and not self.policy.trusts_address:
            return False
        return not error.in_doubt or self.lost <= self.policy.doubts

    def _pause(self, failed: FailedAttempt) -> bool:
        failing_s = time.monotonic() - self.began_at - self.waited_s
        if failing_s >= NOTICE_AFTER_S:
            self.owner.notice(
                f"{self.method} has been failing for {failing_s:.0f} s and is retried for {self.policy.retry_s:g} s: "
                f"{failed.error}"
            )
        self.owner.throttle.sleep(failed.pause_s)
        return False


def _asked_pause_s(error: Exception) -> float | None:
    """Return 0 if the server named a pause, because the throttle sits it out for all calls."""
    return None if named_pause_s(error) is None else 0.0
