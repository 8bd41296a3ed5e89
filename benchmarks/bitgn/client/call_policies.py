"""What may be repeated, how often and for how long: one policy per kind of call, applied by tenacity.

A call whose effect is in doubt (its reply was lost) is repeated only where a second one cannot do harm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

from tenacity import RetryCallState, Retrying, wait_random_exponential

from benchmarks.bitgn.client.connect import ConnectClient, Endpoint, HeldBack
from benchmarks.bitgn.client.throttle import Closed, Pace, StillPaused
from benchmarks.bitgn.client.wire_error import WireError
from sandbox.interface import Plain, error_codes

FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 5.0
SHORTEST_NAMED_S: Final = 0.05
"""A shorter time to wait than this is none, and the own growing pauses take its place."""
LONGEST_OBEDIENCE_S: Final = 300.0
"""How long one call may wait in all because the server asked for it."""
ATTEMPTS: Final = {error_codes.INTERNAL: 3, error_codes.CANCELED: 3, error_codes.RESOURCE_EXHAUSTED: 6}
"""Attempts after which a failure that might pass is taken for one that every further call would meet: a fault of the
server, a server that gives up what it began, a cap on a trial's calls. They do not count where the server names a time
to wait."""
UNLIMITED: Final = 1_000_000
LONG_S: Final = 10.0
"""Seconds after which it is told that a call fails."""
EVERY_S: Final = 60.0
"""Seconds between two such notices, whichever calls they are about."""
ALREADY_CODES: Final = frozenset({error_codes.ALREADY_EXISTS, error_codes.FAILED_PRECONDITION})
"""Codes that a repeated call gets when the one before it did happen."""
Reply: TypeAlias = dict[str, Plain]
"""What came over the wire."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Policy:
    """How one kind of call is repeated."""

    deadline_s: float
    """Seconds that one attempt may take, its body included."""
    patience_s: float
    """Seconds after which a failure is final; waiting because the server asked for it does not count."""
    doubts: int = UNLIMITED
    """How often a call that may have happened is repeated."""
    trusts_address: bool = True
    """Whether a page in place of a reply counts as a failure that may pass, and not as a wrong address."""
    trusts_bare_503: bool = False
    """Whether a 503 without a code counts as a refusal, because a second call does little harm."""
    already_is_done: bool = False
    """Whether a repetition that is told "already" counts as done."""


@dataclass(slots=True)
class Attempts:
    """What has been tried of one call so far."""

    began_at: float = field(default_factory=time.monotonic)
    number: int = 0
    doubtful: int = 0
    """Attempts whose reply was lost."""
    in_doubt: bool = False
    """Whether one of them may have happened, as far as is known."""
    waited_s: float = 0.0
    """Seconds spent waiting for a turn, pauses that the server asked for included."""


def as_it_is(reply: Reply) -> Reply:
    """Read a reply of which nothing is expected."""
    return reply


@dataclass(frozen=True, slots=True)
class _Call(Generic[Result]):
    """What is sent, and what reads the reply."""

    endpoint: Endpoint
    method: str
    message: Mapping[str, Plain]
    read: Callable[[Reply], Result]


class Caller:
    """Makes calls at the common pace and repeats them by their policy. Used from many threads at once."""

    def __init__(self, client: ConnectClient, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self._told_at = -EVERY_S

    def call(
        self,
        endpoint: Endpoint,
        method: str,
        message: Mapping[str, Plain],
        *,
        policy: Policy,
        read: Callable[[Reply], Result],
        look: Callable[[], Reply | None] | None = None,
    ) -> Result:
        """Make one call until it succeeds, is refused for good, or its policy ends it. Raises `WireError`.

        `read` raises the `WireError` that a reply amounts to which is not as described. `look` is asked before a call
        that may have happened is repeated: it returns the reply where it finds that the call did happen, None where it
        did not.
        """
        attempts = Attempts()

        def attempt() -> Result:
            if attempts.in_doubt and look is not None:
                if (known := look()) is not None:
                    return read(known)
                attempts.in_doubt = False
            return self._attempt(_Call(endpoint, method, message, read), policy, attempts)

        retrying = Retrying(
            sleep=self._pace.sleep,
            wait=_pause_s,
            retry=lambda state: _may_repeat(state, attempts, policy),
            stop=lambda _: self._pace.is_hurried or _is_over(attempts, policy),
            before_sleep=lambda state: self._tell(state, method, attempts, policy),
            reraise=True,
        )
        try:
            return retrying(attempt)
        except WireError as error:
            error.may_have_happened |= attempts.in_doubt
            raise
        except StillPaused as error:
            wait = f"the platform asks to wait {error.paused_s:.0f} s more"
            msg = f"{method} was given up: {wait if error.paused_s else 'no call before it ended'}"
            paused = WireError(error_codes.UNAVAILABLE, msg, may_have_happened=attempts.in_doubt, passing=True)
            paused.retry_after_s = error.paused_s
            raise paused from None
        except Closed:
            msg = f"{method} was given up: the client was closed"
            raise WireError(error_codes.CANCELED, msg, may_have_happened=attempts.in_doubt, passing=False) from None

    def _tell(self, state: RetryCallState, method: str, attempts: Attempts, policy: Policy) -> None:
        """Say that a call has been failing for long, for all calls that do so at the time."""
        now, error = time.monotonic(), state.outcome.exception() if state.outcome else None
        failing_s = now - attempts.began_at - attempts.waited_s
        if failing_s < LONG_S or now - self._told_at < EVERY_S:
            return
        self._told_at = now
        self._pace.on_notice(
            f"{method} has been failing for {failing_s:.0f} s and is repeated for {policy.patience_s:g} s: {error}"
        )

    @property
    def is_hurried(self) -> bool:
        """Whether nobody wants to wait any more."""
        return self._pace.is_hurried

    def close(self) -> None:
        """Wake and refuse every call that waits, and close the connections."""
        self._pace.close()
        self._client.close()

    def _attempt(self, call: _Call[Result], policy: Policy, attempts: Attempts) -> Result:
        attempts.number += 1
        while True:
            with self._pace.turn(LONGEST_OBEDIENCE_S - attempts.waited_s) as waited_s:
                attempts.waited_s += waited_s
                watch = _PaceWatch(self._pace)
                try:
                    reply = self._client.call(
                        call.endpoint, call.method, call.message, deadline_s=policy.deadline_s, watch=watch
                    )
                    result = call.read(reply)
                except HeldBack:
                    continue
                except WireError as error:
                    if error.code == error_codes.RESOURCE_EXHAUSTED and not watch.is_told:
                        watch.told_to_wait(error.retry_after_s)
                    if policy.already_is_done and attempts.doubtful and error.code in ALREADY_CODES:
                        return call.read({})
                    if policy.trusts_bare_503 and error.is_bare_503:
                        error.may_have_happened = False
                    attempts.doubtful += error.may_have_happened
                    attempts.in_doubt |= error.may_have_happened
                    raise
            self._pace.went_through()
            return result


@dataclass(slots=True)
class _PaceWatch:
    """Keeps a call back that got its turn just before a push-back was read, and notes the push-backs that it reads."""

    pace: Pace
    sent_at: float = field(default_factory=time.monotonic)
    is_told: bool = False

    def before_sending(self) -> None:
        if self.pace.is_paused:
            raise HeldBack

    def told_to_wait(self, retry_after_s: float | None) -> None:
        self.is_told = True
        self.pace.pushed_back(retry_after_s, sent_at=self.sent_at)


_growing_pause_s = wait_random_exponential(multiplier=FIRST_PAUSE_S, max=LONGEST_PAUSE_S)


def _pause_s(state: RetryCallState) -> float:
    """Return how long to wait by oneself; where the server asked to wait, the pace sees to it."""
    error = state.outcome.exception() if state.outcome else None
    named_s = error.retry_after_s if isinstance(error, WireError) else None
    return 0.0 if named_s is not None and named_s >= SHORTEST_NAMED_S else _growing_pause_s(state)


def _may_repeat(state: RetryCallState, attempts: Attempts, policy: Policy) -> bool:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, WireError) or not error.passing:
        return False
    if error.retry_after_s is None and attempts.number >= ATTEMPTS.get(error.code, UNLIMITED):
        return False
    if error.is_foreign and not policy.trusts_address:
        return False
    return not error.may_have_happened or attempts.doubtful <= policy.doubts


def _is_over(attempts: Attempts, policy: Policy) -> bool:
    took_s = time.monotonic() - attempts.began_at
    return took_s - attempts.waited_s > policy.patience_s
