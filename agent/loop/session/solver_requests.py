"""Asks the models of one trial for its solver, unless an earlier attempt has their replies.

A trial whose process was killed is *resumed*: it repeats the replies that its earlier attempt has
recorded (its tape), so that nothing is paid for twice. Only then are models asked:

    ask, 1st time   the recorded reply of step 1
    ask, 2nd time   nothing is recorded: the model replies, and the journal gets its reply
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from controlplane.agent.events import ModelReplied
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape.recorded_replies import recorded_reply
from controlplane.agent.loop.session.model_requests import Complete, ModelRequests
from controlplane.agent.loop.session.reply_events import Messages, messages_of
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.model import ModelError, ModelRequest, ReplyPermit


@dataclass(frozen=True, slots=True)
class SolverRequests:
    """Asks models for the solver of one trial."""

    recorder: Recorder
    """Has the current step, to which the replies belong, and the recorded replies."""
    clock: TrialClock
    """Has the moment at which the trial's time ends."""
    requests: ModelRequests
    """Makes the requests, writes them to the journal, and counts what they cost."""

    def ask(
        self, complete: Complete, request: ModelRequest, *, is_conversation: bool
    ) -> ModelReplied:
        """Return the reply to a request: the recorded one, or else that of `complete`.

        `is_conversation` is true if the messages are the conversation of the trial. Then
        the journal does not get them, because the initial prompt and the steps have them.

        Raises `ModelError` if the request fails, or is recorded as failed, `OutOfBudget` if
        the trial has spent its budget, and `LeftOpen` if the run has.
        """
        step = self.recorder.current_step
        replied = recorded_reply(self.recorder.tape_reader, request.role)
        if replied is None:
            messages = () if is_conversation else messages_of(request)
            replied = self._ask_now(complete, request, messages)
        step.replies.append(replied)
        return replied

    def _ask_now(
        self, complete: Complete, request: ModelRequest, messages: Messages
    ) -> ModelReplied:
        """Ask for a reply, and return its event. The `messages` are written with the request."""
        # Until the run knows what a reply costs, its trials ask one after the other.
        self.requests.budget.wait_for_turn()
        request = replace(
            request,
            deadline=self.clock.deadline,
            # Sending the request uses up its permit. Sent a second time, it would bring a reply
            # that nobody counts.
            permit=ReplyPermit(),
        )
        asked_at = time.perf_counter()
        try:
            return self.requests.ask(complete, request, messages)
        except ModelError as error:
            # To find out why it refuses the request, the endpoint may have been sent a short test.
            # Its reply costs, too, and is written in the role `check`.
            if error.test_reply is not None:
                self.requests.replies.write(error.test_reply, "check", asked_at)
            raise
