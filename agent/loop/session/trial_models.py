"""Asks models for one trial, records their replies, and counts what they cost.

The run's *journal* has the events. A resumed or replayed trial first repeats the
replies of its *tape*: the steps that an earlier attempt recorded.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias

from controlplane.agent.events import (
    EndpointLearned,
    ModelAsked,
    ModelReplied,
    Noticed,
    SaidMessage,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedModels, TapedSideReplies
from controlplane.agent.limits.cost_limit import CostLimit
from controlplane.agent.limits.spending import Spending
from controlplane.agent.loop.session.trial_context import (
    LeftOpen,
    TrialClock,
    TrialContext,
)
from controlplane.agent.model import (
    ASIDE_ROLES,
    ModelError,
    ModelRequest,
    OutOfBudget,
    Reply,
    ReplyFields,
    ReplyPermit,
)
from controlplane.agent.reply.reply import action_call

CHECK: Final = "check"
"""The role of a short test request after an error. It shows if the endpoint works at all."""

Messages: TypeAlias = tuple[SaidMessage, ...]

Complete: TypeAlias = Callable[[ModelRequest], Reply]
"""Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`."""
RecordRetry: TypeAlias = Callable[[str], None]
"""Records the retry of a request. The argument is the reason."""
CompleteWithRetries: TypeAlias = Callable[[ModelRequest, RecordRetry], Reply]
"""Returns the reply to a request, and records each retry. Raises `ModelError`."""


class TrialModels:
    """The models that work on one trial."""

    def __init__(
        self,
        trial: TrialContext,
        recorder: Recorder,
        clock: TrialClock,
        spending: Spending,
        stop: threading.Event,
    ) -> None:
        """`spending` is that of the whole run. `stop` is set to end the run early."""
        self.trial = trial
        self.recorder = recorder
        self.clock = clock
        self.spending = spending
        self.stop = stop
        self.taped = TapedModels(recorder.tape)
        """Repeats the solver's replies of an earlier attempt, and then asks a model."""
        self.taped_side_replies = TapedSideReplies(recorder.tape)
        """Does the same for side requests, such as those of graders."""
        self.cost_limit = CostLimit(trial.max_cost_usd)
        # Replies of an earlier attempt count, too.
        for replied in recorder.tape.record.paid_replies:
            self.cost_limit.count_reply(replied)
        self.cut_off = ""
        """Why the run's budget stopped the trial; empty if it did not."""

    # --- Requests of the solver ---

    def ask(
        self,
        complete: Complete,
        request: ModelRequest,
        *,
        is_conversation: bool = False,
    ) -> ModelReplied:
        """Return the reply to a request of the solver (see `TrialSession.ask`)."""
        # The journal can rebuild the messages of the conversation from the steps, so they are
        # not recorded again.
        new_messages = () if is_conversation else messages_of(request)
        step = self.recorder.trace  # what has happened in the current step
        replied = self.taped.reply(
            step.number,
            len(step.replies),
            request.role,
            lambda: self._ask_now(complete, request, new_messages),
        )
        self.recorder.journal.reply(replied)
        step.replies.append(replied)
        return replied

    def _ask_now(
        self, complete: Complete, request: ModelRequest, new_messages: Messages
    ) -> ModelReplied:
        """Return a model's reply to a request of the solver, not yet recorded."""
        if not self.spending.wait_for_turn(self.trial.trial_id, self.stop):
            raise LeftOpen
        self._announce(request, new_messages)

        request = replace(
            self._of_this_trial(request),
            deadline=self.clock.deadline,
            permit=ReplyPermit(),  # It allows one reply, because only one is counted here.
        )
        started_at = time.perf_counter()
        try:
            reply = complete(request)
        except ModelError as error:
            if error.paid is not None:
                # After the error, the endpoint was tested by a short request. Its reply cost money.
                self._record(error.paid, CHECK, started_at)
            raise
        self._record_remarks(reply)
        replied = self._event(reply, request.role, started_at)
        self.cost_limit.count_reply(replied)
        return replied

    # --- Side requests, outside of the conversation ---

    def ask_aside(self, complete: CompleteWithRetries, request: ModelRequest) -> Reply:
        """Return the reply to a side request (see `TrialSession.ask_aside`)."""
        messages = messages_of(request)
        replied = self.taped_side_replies.reply(
            request.role,
            messages,
            lambda: self._ask_aside_now(complete, request, messages),
        )
        return reply_of(replied)

    def _ask_aside_now(
        self, complete: CompleteWithRetries, request: ModelRequest, messages: Messages
    ) -> ModelReplied:
        """Return a model's reply to a side request, and record it."""
        self._announce(request, messages)
        # Grading happens after the trial, so the trial's deadline does not apply.
        deadline = math.inf if request.role == "grade" else self.clock.deadline
        request = replace(self._of_this_trial(request), deadline=deadline)
        started_at = time.perf_counter()
        reply = complete(request, self._record_retry)
        return self._record(reply, request.role, started_at)

    # --- Before a request ---

    def _of_this_trial(self, request: ModelRequest) -> ModelRequest:
        """Return a request with the ids and the number of this trial."""
        return replace(
            request,
            task_id=self.trial.task_id,
            trial_id=self.trial.trial_id,
            try_number=self.trial.number,
        )

    def _announce(self, request: ModelRequest, new_messages: Messages) -> None:
        """Record that a model is asked.

        Raises `OutOfBudget` or `LeftOpen` if the budget is spent.
        """
        self._check_budget()
        self.recorder.emit(
            ModelAsked(
                trial_id=self.trial.trial_id,
                step=self.recorder.trace.number,
                messages=len(request.messages),
                role=request.role,
                texts=new_messages,
            )
        )
        # The event has counted this request, and other trials may have asked meanwhile. Together
        # they may now be too many.
        self._check_budget()

    def _check_budget(self) -> None:
        """Raise `LeftOpen` if the run has spent its budget, `OutOfBudget` if the trial has."""
        self.cut_off = self.spending.stop_reason
        if self.cut_off:
            raise LeftOpen(self.cut_off)
        if self.cost_limit.reason:
            raise OutOfBudget(self.cost_limit.reason)

    # --- After a reply ---

    def _record(self, reply: Reply, role: str, started_at: float) -> ModelReplied:
        """Record and count a reply outside of the conversation."""
        self._record_remarks(reply)
        replied = self._event(reply, role, started_at)
        self.recorder.emit(replied)
        self.cost_limit.count_reply(replied)
        return replied

    def _record_remarks(self, reply: Reply) -> None:
        """Record a reply's notices for the user, and what it shows about the endpoint."""
        for notice in reply.notices:
            self.notice(notice)
        if reply.learned is not None:
            self.recorder.emit(
                EndpointLearned(
                    trial_id=self.trial.trial_id, capabilities=reply.learned
                )
            )

    def _record_retry(self, reason: str) -> None:
        self.notice(reason, retry=True)

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Record a notice for the user. `retry`: it is about a repeated request."""
        event = Noticed(trial_id=self.trial.trial_id, text=text, retry=retry)
        self.recorder.journal.notice(event)

    def _event(self, reply: Reply, role: str, started_at: float) -> ModelReplied:
        """Return the event of a reply to a request that was sent at `started_at`."""
        step = self.recorder.trace
        elapsed_ms = (time.perf_counter() - started_at) * 1000
        fields = fields_of(reply)
        number = 0
        if role not in ASIDE_ROLES:
            fields |= action_fields(reply)
            number = len(step.replies)
        return ModelReplied(
            trial_id=self.trial.trial_id,
            step=step.number,
            number=number,
            role=role,
            elapsed_ms=round(elapsed_ms, 3),
            **fields,
        )


def fields_of(reply: Reply) -> dict[str, Any]:
    """Return the fields of `ModelReplied` that a reply has."""
    fields = {name: getattr(reply, name) for name in ReplyFields.model_fields}
    return fields | {"reply": reply.text, "tool_call": False}


def action_fields(reply: Reply) -> dict[str, Any]:
    """Return the fields of `ModelReplied` that differ if a tool call has the action.

    The arguments of this call have the script. They are recorded as the reply, so
    `tool_calls` has only the other calls.
    """
    action = action_call(reply)
    if action is None:
        return {}
    other_calls = tuple(call for call in reply.tool_calls if call is not action)
    return {"reply": action.arguments, "tool_call": True, "tool_calls": other_calls}


def messages_of(request: ModelRequest) -> Messages:
    """Return the messages of a request in their recorded form."""
    return tuple(SaidMessage.of(message) for message in request.messages)


def reply_of(replied: ModelReplied) -> Reply:
    """Return a recorded reply as a model gave it."""
    fields = {name: getattr(replied, name) for name in ReplyFields.model_fields}
    return Reply(text=replied.reply, **fields)
