"""Limits the dollars, tokens and seconds that a run spends.

The cost of a request is known only when its reply arrives. So each *open* request, which has
no reply yet, counts like the dearest reply so far. With `--run-cost 10`, $6 spent and a dearest
reply of $2, two requests may be open. For each request, a trial calls:

1. `take_turn` before it sends the request: before the run's first reply, only one trial asks
2. `count_request` when the request is in the journal
3. `count_reply` when the reply is in the journal, or `end_request` if none came
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final


class LeftOpen(Exception):
    """Raised if the user or the run's budget stops a trial before its end.

    The trial can be resumed later.
    """

    leaves_step = True
    """Read by the sandbox. If this error is raised in a call of a script, the sandbox ends the
    script. With any other error, the call fails, and the script goes on."""


# The end of a run's spending: its time is over, or another limit is reached.
#
# For example, the limit of the dollars calls `declare("the run has spent $1.2, ...")`. From then
# on each trial finds this `reason` before its next request, and is left open.


@dataclass(slots=True)
class _SpendingEnd:
    """Whether a run may spend nothing more, and the first reason why. Used by many threads."""

    run_time_s: float | None = None
    """Seconds that the run may take; None for no limit."""
    _reason: str = ""
    """The first reason; empty before it."""
    _started_at: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def reason(self) -> str:
        """Why nothing more may be spent; empty while spending is allowed.

        The end of the time is noticed here, and becomes the reason if there was none before.
        """
        if self.seconds_left <= 0:  # only if there is a limit of the time
            self.declare(
                f"the run's time of {self.run_time_s:g} s is over (--run-time)"
            )
        return self._reason

    @property
    def seconds_left(self) -> float:
        """Seconds until the run's time is over; infinite without a limit."""
        if self.run_time_s is None:
            return math.inf
        ends_at = self._started_at + self.run_time_s
        return max(ends_at - time.monotonic(), 0.0)

    def declare(self, reason: str) -> None:
        """End all spending for a reason. If it has ended already, do nothing."""
        with self._lock:
            self._reason = self._reason or reason


# What a run may spend, and what its earlier processes have spent.
#
# `--run-cost 10 --run-time 3600` is `SpendingLimits(cost_usd=10.0, run_time_s=3600.0)`. If the run is
# killed after $6 and resumed, its new process begins with `EarlierSpending(cost_usd=6.0, ...)`.


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The limits of all trials of a run together. None means no limit."""

    cost_usd: float | None = None
    tokens: int | None = None
    run_time_s: float | None = None
    """Wall-clock seconds from the start of the run's main process."""

    @property
    def has_amount_limit(self) -> bool:
        """True if dollars or tokens are limited. Then requests may have to wait for replies."""
        return self.cost_usd is not None or self.tokens is not None


@dataclass(frozen=True, slots=True)
class EarlierSpending:
    """What the earlier processes of a resumed run have spent."""

    cost_usd: float
    tokens: int
    dearest_usd: float = 0.0
    """The cost of their dearest reply, to expect as much of the next one."""
    most_tokens: int = 0
    """The tokens of their longest reply."""


# A meter of dollars or of tokens: what is spent, and whether a further request may be sent.
#
# A run should stop before its limit, but the cost of a request is known only when its reply
# arrives. So each request without a reply counts like the largest reply so far.

# Parts of the message that both limits in dollars give if they cannot be kept:
# "the price of a reply is unknown, so --run-cost cannot be kept; give the model's --prices".
UNPRICED: Final = "the price of a reply is unknown"
PRICE_REMEDY: Final = "give the model's --prices, or a limit in tokens (--run-tokens)"

_ROUNDING_TOLERANCE: Final = 1e-9
"""The largest rounding error of a sum of dollars, as a share of the limit."""

# How a meter writes its amounts: `$1.25` or `12,000 tokens`.
_DOLLARS: Final = "${:.4g}"
_TOKENS: Final = "{:,.0f} tokens"


@dataclass(slots=True)
class SpendingMeter:
    """Sums up the amounts of replies, and compares the sum with a limit."""

    limit: float | None
    """None for no limit."""
    amount_format: str = _DOLLARS
    """`_DOLLARS` or `_TOKENS`."""
    spent: float = 0.0
    largest: float = 0.0
    """The largest amount of one reply."""

    def add(self, amount: float) -> None:
        """Add the amount of one reply."""
        self.add_sum(amount, largest=amount)

    def add_sum(self, spent: float, largest: float) -> None:
        """Add the sum of many replies. `largest` is the largest amount of one of them."""
        self.spent += spent
        self.largest = max(self.largest, largest)

    def refusal(self, request_count: int) -> str:
        """Return why this many more requests might exceed the limit; empty if they cannot.

        With a limit of $10, $6 spent and a largest reply of $2, two requests may be sent. For
        three: `has spent $6, and its next reply may pass its limit of $10`
        """
        if self.limit is None:
            return ""
        spent = self.amount_format.format(self.spent)
        limit = self.amount_format.format(self.limit)
        if self.spent >= self.limit:
            return f"has spent {spent}, which reaches its limit of {limit}"
        expected = self.spent + request_count * self.largest
        if expected > self.limit * (1 + _ROUNDING_TOLERANCE):
            return (
                f"has spent {spent}, and its next reply may pass its limit of {limit}"
            )
        return ""


# The dollars and tokens that a run has spent, and whether it can pay further requests.
#
# A run stops before its limit. With `--run-cost 10`, $9 spent and a dearest reply of $2, no
# further request is sent, because its reply may cost as much:
#
#     refusal(request_count=1)   -> "the run has spent $9, and its next reply may pass its limit ..."


class _SpentAmounts:
    """Sums up the dollars and tokens of a run's replies, and compares them with the limits."""

    def __init__(self, limits: SpendingLimits) -> None:
        self.cost = SpendingMeter(limits.cost_usd)
        self.tokens = SpendingMeter(limits.tokens, _TOKENS)
        self.has_reply = False
        """True once a reply has shown what one may cost."""
        self._has_unpriced_reply = False
        """True if the price of a reply was unknown, so that the limit of dollars cannot be kept."""

    def add_reply(self, cost_usd: float | None, tokens: int) -> None:
        """Add the amounts of one reply. `cost_usd` is None if its price is unknown."""
        self.has_reply = True
        if cost_usd is None:
            self._has_unpriced_reply = True
        self.cost.add(cost_usd or 0.0)
        self.tokens.add(tokens)

    def add_earlier(self, spent: EarlierSpending) -> None:
        """Add what earlier processes of the run have spent."""
        if spent.tokens > 0:  # Every reply has tokens, so there was one.
            self.has_reply = True
        self.cost.add_sum(spent.cost_usd, largest=spent.dearest_usd)
        self.tokens.add_sum(spent.tokens, largest=spent.most_tokens)

    def refusal(self, request_count: int) -> str:
        """Return why the run cannot pay this many more requests; empty if it can.

        Each of them may cost as much as the dearest reply so far.
        """
        limits_cost = self.cost.limit is not None
        if limits_cost and self._has_unpriced_reply:
            return f"{UNPRICED}, so --run-cost cannot be kept; {PRICE_REMEDY}"
        refusal = self.cost.refusal(request_count)
        if refusal:
            return f"the run {refusal} (--run-cost)"
        refusal = self.tokens.refusal(request_count)
        if refusal:
            return f"the run {refusal} (--run-tokens)"
        return ""


HEAD_START_S: Final = 2.0
"""Seconds of a run's first request alone if nothing but a refusal of the key is to be feared, which takes
less. Nobody is told of such a short wait."""


class Spending:
    """The spending of a run, shared by the threads of its trials."""

    def __init__(
        self, limits: SpendingLimits | None = None, head_start_s: float = HEAD_START_S
    ) -> None:
        self.limits = limits or SpendingLimits()
        self.head_start_s = head_start_s
        """Seconds of the first request alone. It has none in a process that learns of no reply."""
        self.end = _SpendingEnd(self.limits.run_time_s)
        self._spent = _SpentAmounts(self.limits)
        self.first_request_decides = False
        """True if only the first request shows whether the run's model can be used at all."""
        self._asking_trials: set[str] = set()
        """The trials with an open request. A trial has at most one at a time."""
        self._lock = threading.Lock()
        """Protects `_spent` and `_asking_trials`."""

    def take_turn(self, trial_id: str) -> bool:
        """Return True if a trial may ask now. Its request then counts as open.

        Before the first reply, it may not ask while another trial has an open request.
        """
        with self._lock:
            other_trials = self._asking_trials - {trial_id}
            may_ask = self._spent.has_reply or not other_trials
            if may_ask:
                self._asking_trials.add(trial_id)
            return may_ask

    def count_request(self, trial_id: str) -> None:
        """Count a trial's request as open, and end the spending if not all can be paid."""
        with self._lock:
            # A solver's request is open since its turn. Others, such as a grader's, take none.
            self._asking_trials.add(trial_id)
            self._end_unless_payable(len(self._asking_trials))

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request. `cost_usd` is None if the price is unknown."""
        with self._lock:
            self._asking_trials.discard(trial_id)
            self._spent.add_reply(cost_usd, tokens)
            # The run goes on if it can pay the open requests and a next one.
            self._end_unless_payable(len(self._asking_trials) + 1)

    def end_request(self, trial_id: str) -> None:
        """Drop a trial's open request, which got no reply. Without one, do nothing."""
        with self._lock:
            self._asking_trials.discard(trial_id)

    def take_over(self, spent: EarlierSpending) -> None:
        """Add what earlier processes of a resumed run have spent."""
        with self._lock:
            self._spent.add_earlier(spent)
            self._end_unless_payable(len(self._asking_trials) + 1)

    def _end_unless_payable(self, request_count: int) -> None:
        """End all spending if the replies to this many requests might exceed a limit."""
        refusal = self._spent.refusal(request_count)
        if refusal:
            self.end.declare(refusal)


# Waits until a trial may send a request: the first request of a run goes alone.
#
# What a request costs is known only when its reply arrives. Until then, two requests at once
# might exceed the run's limit. Or it may not be known whether the model can be used at all: no list
# has it, or the key is refused, which the endpoint says within a moment. With `--run-cost 10`, in a
# new run:
#
# | the trial `t-1` | the trial `t-2` |
# |---|---|
# | waits for its turn: gets it at once | |
# | sends its request | waits for its turn |
# | gets the reply, which has cost $2 | the wait ends |

_TURN_POLL_S: Final = 0.02
"""Seconds between two checks whether a waiting request may be sent."""
_FIRST_TOLD_AFTER_S: Final = 3.0
_TOLD_AGAIN_AFTER_S: Final = 45.0
"""Seconds after which the user is told again that a trial waits. A run that hears nothing of it for
`bounds.TRIAL_SILENCE_S` may take it for stuck."""


def wait_for_turn(
    spending: Spending,
    trial_id: str,
    stop: threading.Event,
    tell: Callable[[str], None],
) -> bool:
    """Wait until a trial may send a request. Return False if `stop` was set meanwhile.

    The wait also ends if the run may spend nothing more. So check `spending.end` next. `tell` gets
    a line for the user if it takes long.
    """
    needs_reply = spending.limits.has_amount_limit or spending.first_request_decides
    began_at = told_at = time.monotonic()
    pause_s = _FIRST_TOLD_AFTER_S
    while not spending.end.reason:
        if spending.take_turn(trial_id):
            return True
        if not needs_reply and time.monotonic() >= began_at + spending.head_start_s:
            return True
        if stop.wait(_TURN_POLL_S):
            return False
        if time.monotonic() >= told_at + pause_s:
            told_at = time.monotonic()
            pause_s = _TOLD_AGAIN_AFTER_S
            tell(
                "waits for the first reply of the run, which another trial has asked for"
            )
    return True
