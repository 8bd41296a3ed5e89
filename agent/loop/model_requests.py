"""The requests of one trial to its models: each is written down before it is sent, and paid for out of budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from agent.events.call_records import SaidMessage
from agent.events.trial_events import EndpointLearned, ModelAsked, ModelReplied, Noticed
from agent.evidence.recorder import Recorder
from agent.loop.trial_context import TrialContext
from agent.model.model_protocol import TRY, Message, ModelError, OutOfBudget, Reply
from agent.reply.reply_parser import tool_arguments
from agent.retry import Spending, TrialSpending

_KEPT: Final = (
    *("finish_reason", "native_finish_reason", "reply_mode", "reasoning", "thinking", "provider", "cached"),
    *("usage", "cost_usd", "cost_source"),
)
"""Fields of a reply that its event holds under the same name."""


class ModelRequests:
    """Writes down what is asked and replied in the recorder's current step."""

    def __init__(self, trial: TrialContext, recorder: Recorder, spending: Spending) -> None:
        self._trial = trial
        self._recorder = recorder
        self._run = spending
        self.paid = TrialSpending(spending.limits.trial_cost_usd)
        """What the trial has spent."""

    def recorded(self, role: str) -> ModelReplied | None:
        """Return the next recorded reply of the step, or None if the request is to be made.

        Raises `ModelError` if the record shows that the request had failed: another came next, or the step is done.
        """
        trace = self._recorder.trace
        number, replies = len(trace.replies), trace.record.replies
        if number < len(replies) and replies[number].role == role:
            trace.replies.append(replies[number])
            return replies[number]
        if number < len(replies) or trace.record.done is not None:
            msg = f"the record holds no reply in the role {role}: the request had failed"
            raise ModelError(msg, retryable=False)
        return None

    def note(self, messages: Sequence[Message], role: str, *, count: int, step: int | None = None) -> None:
        """Write down that a request of so many messages is made, in the current step if none is named.

        Raises `OutOfBudget` if the trial or its run has spent what it may.
        """
        self._check_budget()
        self._recorder.emit(
            ModelAsked(
                trial_id=self._trial.trial_id,
                step=self._recorder.trace.number if step is None else step,
                messages=count,
                role=role,
                texts=tuple(map(SaidMessage.of, messages)),
            )
        )
        self._check_budget()  # it counts this request by now
        TRY.set(self._trial.number)

    def take(self, complete: Callable[[], Reply], role: str) -> ModelReplied:
        """Write down the reply that `complete` returns. Raises `ModelError`."""
        trace, trial_id = self._recorder.trace, self._trial.trial_id
        started = time.perf_counter()
        reply = complete()
        for each in reply.notices:
            self.notice(each)
        if reply.learned is not None:
            self._recorder.emit(EndpointLearned(trial_id=trial_id, capabilities=reply.learned))
        arguments = tool_arguments(reply)
        replied = ModelReplied(
            trial_id=trial_id,
            step=trace.number,
            number=len(trace.replies),
            role=role,
            reply=reply.text if arguments is None else arguments,
            tool_call=arguments is not None,
            tool_calls=reply.tool_calls if arguments is None else (),
            **{name: getattr(reply, name) for name in _KEPT},
            elapsed_ms=round((time.perf_counter() - started) * 1000, 3),
        )
        self._recorder.emit(replied)
        self.paid.pay(replied.known_cost_usd)
        trace.replies.append(replied)
        return replied

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Write down something worth knowing; `retry` for a request that is made again."""
        self._recorder.emit(Noticed(trial_id=self._trial.trial_id, text=text, retry=retry))

    def _check_budget(self) -> None:
        reason = self._run.used_up or self.paid.used_up
        if reason:
            raise OutOfBudget(reason)
