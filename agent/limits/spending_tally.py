"""Counts what a run has spent on its models, and its open requests: those without a reply.

The cost of a request is known only when its reply arrives. So the first trial asks alone,
until its reply shows what one may cost. From then on, each open request counts like the
dearest reply so far.
"""

from __future__ import annotations

import threading

from controlplane.agent.limits.spent_amounts import (
    EarlierSpending,
    SpendingLimits,
    SpentAmounts,
)


class SpendingTally:
    """Counts the requests of a run, and their replies, from the threads of all trials."""

    def __init__(self, limits: SpendingLimits) -> None:
        self._spent = SpentAmounts(limits)
        self._asking_trials: set[str] = set()
        """The trials with an open request. A trial has at most one at a time."""
        self._has_reply = False
        """True once a reply has shown what one may cost."""
        self._lock = threading.Lock()

    def take_turn(self, trial_id: str) -> bool:
        """Return True if a trial may ask now. Its request then counts as open.

        Before the first reply, it may not ask while another trial has an open request.
        """
        with self._lock:
            other_trials = self._asking_trials - {trial_id}
            may_ask = self._has_reply or not other_trials
            if may_ask:
                self._asking_trials.add(trial_id)
            return may_ask

    def open_request(self, trial_id: str) -> None:
        """Count a trial's request as open, if it has not taken a turn for it.

        A request outside of a solver's conversation, such as a grader's, takes no turn.
        """
        with self._lock:
            self._asking_trials.add(trial_id)

    def count_reply(self, trial_id: str, cost_usd: float | None, tokens: int) -> None:
        """Count the reply to a trial's request. `cost_usd` is None if the price is unknown."""
        with self._lock:
            self._asking_trials.discard(trial_id)
            self._has_reply = True
            self._spent.add_reply(cost_usd, tokens)

    def end_request(self, trial_id: str) -> None:
        """Drop a trial's open request, which got no reply. Without one, do nothing."""
        with self._lock:
            self._asking_trials.discard(trial_id)

    def add_earlier(self, spent: EarlierSpending) -> None:
        """Add what earlier processes of the run have spent."""
        with self._lock:
            self._spent.add_earlier(spent)
            if spent.tokens > 0:  # Every reply has tokens, so there was one.
                self._has_reply = True

    def refusal(self, further_requests: int) -> str:
        """Return why the run cannot pay all open requests and these; empty if it can."""
        with self._lock:
            requests = len(self._asking_trials) + further_requests
            return self._spent.refusal(requests)
