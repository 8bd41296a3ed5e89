"""Makes the requests of a trial to models, and writes them to the journal.

A request may be paid for even if the process ends before the reply. So each writes two events:

    model_asked    step 3  messages 7      before the model is asked
    model_replied  step 3  cost_usd 0.02   after it
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from controlplane.agent.events import ModelAsked, ModelReplied
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.session.reply_events import Messages
from controlplane.agent.loop.session.reply_log import ReplyLog
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.model import ModelRequest, Reply

# Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`.
Complete: TypeAlias = Callable[[ModelRequest], Reply]


@dataclass(frozen=True, slots=True)
class ModelRequests:
    """Makes and records the requests of a trial's solver, and of others, such as a grader."""

    trial: TrialContext
    recorder: Recorder
    budget: TrialBudget
    """Refuses a request if the trial or the run has spent its budget."""
    replies: ReplyLog

    def ask(
        self, complete: Complete, request: ModelRequest, messages: Messages
    ) -> ModelReplied:
        """Return the reply of `complete` to a request, as the event that is written.

        `messages` are the new ones of the request, which the journal does not have yet.
        Raises `ModelError` if the request fails, `OutOfBudget` if the trial has spent its budget,
        and `LeftOpen` if all trials of the run together have spent theirs.
        """
        self.budget.raise_if_spent()
        self._write_and_count(request, messages)
        # Now that this request counts, the run may have spent too much.
        self.budget.raise_if_spent()

        trial = self.trial
        sent_at = time.perf_counter()
        reply = complete(
            replace(
                request,
                task_id=trial.task_id,
                trial_id=trial.trial_id,
                try_number=trial.number,
            )
        )
        return self.replies.write(reply, request.role, sent_at)

    def _write_and_count(self, request: ModelRequest, messages: Messages) -> None:
        """Write that a model is about to be asked. `emit` also counts the request for the run."""
        event = ModelAsked(
            trial_id=self.trial.trial_id,
            step=self.recorder.current_step.number,
            messages=len(request.messages),
            role=request.role,
            texts=messages,
        )
        self.recorder.emit(event)
