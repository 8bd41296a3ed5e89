"""Asks the models of one trial for its solver, and records and counts their replies.

A resumed or replayed trial first repeats the replies of its *tape*: the steps that an
earlier attempt recorded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from controlplane.agent.events import ModelReplied
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedModels
from controlplane.agent.loop.session.reply_events import Messages, messages_of
from controlplane.agent.loop.session.request_log import RequestLog
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.loop.session.trial_context import TrialClock
from controlplane.agent.model import ModelError, ModelRequest, Reply, ReplyPermit

CHECK: Final = "check"
"""The role of a test request. If an endpoint refuses a request for an unclear
reason, a short one shows whether it refuses those of all trials."""

Complete: TypeAlias = Callable[[ModelRequest], Reply]
"""Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`."""


@dataclass(frozen=True, slots=True)
class TrialModels:
    """Asks models for the solver of one trial.

    A reply that an earlier attempt of the trial has recorded is repeated, without asking.
    """

    recorder: Recorder
    """Has the *tape*, the record of an earlier attempt, and takes the new replies."""
    clock: TrialClock
    """Has the moment at which the trial's time ends."""
    log: RequestLog
    """Records requests, and notices about them."""
    budget: TrialBudget
    """Refuses a request if the trial or the run has spent its budget."""

    def ask(
        self, complete: Complete, request: ModelRequest, *, is_conversation: bool
    ) -> ModelReplied:
        """Return the reply to a request: the recorded one, or else that of `complete`.

        `is_conversation` is true if the messages are the conversation of the trial. Then
        they are not recorded, because the initial prompt and the steps have them.

        Raises:

        - `ModelError` if the request fails, or is recorded as failed
        - `OutOfBudget` if the trial has spent its budget
        - `LeftOpen` if the run has spent its budget
        """
        new_messages = () if is_conversation else messages_of(request)
        step = self.recorder.trace  # what has happened in the current step
        replied = TapedModels(self.recorder.tape).reply(
            step.number,
            len(step.replies),
            request.role,
            lambda: self._ask_now(complete, request, new_messages),
        )
        # The journal does not write a repeated reply again.
        self.recorder.journal.record_reply(replied)
        step.replies.append(replied)
        return replied

    def _ask_now(
        self, complete: Complete, request: ModelRequest, new_messages: Messages
    ) -> ModelReplied:
        """Return a model's reply to a request, not yet recorded."""
        self.budget.wait_for_turn()
        self.budget.check()
        self.log.record_request(request, new_messages)
        # Check again: the run now counts this request, and those that other trials have sent
        # meanwhile. Together they may be too many.
        self.budget.check()

        request = replace(
            self.log.with_trial(request),
            deadline=self.clock.deadline,
            # The model may give one reply for the request, because one is counted here.
            permit=ReplyPermit(),
        )
        started_at = time.perf_counter()
        try:
            reply = complete(request)
        except ModelError as error:
            if error.paid is not None:  # the reply to a test request, which cost money
                self._record_check(error.paid, started_at)
            raise
        self.log.record_remarks(reply)
        replied = self.log.event_of(reply, request.role, started_at)
        self.budget.count(replied)
        return replied

    def _record_check(self, reply: Reply, started_at: float) -> None:
        """Record and count the reply to a test request.

        A model sends one after an unclear error, to find out whether all requests fail.
        """
        self.log.record_remarks(reply)
        replied = self.log.event_of(reply, CHECK, started_at)
        self.recorder.emit(replied)
        self.budget.count(replied)
