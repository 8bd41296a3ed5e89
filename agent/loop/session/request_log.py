"""Makes the requests of a trial to models, and writes them to the journal.

One request writes two events, so that the run knows of it even if the process ends in between:

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
from controlplane.agent.model import SIDE_ROLES, ModelError, ModelRequest, Reply

# Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`.
Complete: TypeAlias = Callable[[ModelRequest], Reply]


@dataclass(frozen=True, slots=True)
class RequestLog:
    """Makes and records the requests of a trial's solver, and of others, such as a grader."""

    trial: TrialContext
    recorder: Recorder
    budget: TrialBudget
    """Refuses a request if the trial or the run has spent its budget."""
    replies: ReplyLog

    def ask(
        self, complete: Complete, request: ModelRequest, new_messages: Messages
    ) -> ModelReplied:
        """Return the reply of `complete` to a request, as the event that is written.

        The journal does not have the `new_messages` yet. Raises `ModelError` if the request
        fails, `OutOfBudget` if the trial has spent its budget, and `LeftOpen` if the run has.
        """
        self._write_request(request, new_messages)
        sent_request = replace(
            request,
            task_id=self.trial.task_id,
            trial_id=self.trial.trial_id,
            try_number=self.trial.number,
        )
        sent_at = time.perf_counter()
        try:
            reply = complete(sent_request)
        except ModelError as error:
            # If an endpoint refuses a request, it may be sent a small test request, to see if it
            # refuses all. The reply to this one is `paid`. It is written for its cost.
            is_from_solver = request.role not in SIDE_ROLES
            if error.paid is not None and is_from_solver:
                self.replies.write(error.paid, "check", sent_at)
            raise
        return self.replies.write(reply, request.role, sent_at)

    def _write_request(self, request: ModelRequest, new_messages: Messages) -> None:
        """Write that a model is about to be asked, if the budget allows it."""
        self.budget.raise_if_spent()
        event = ModelAsked(
            trial_id=self.trial.trial_id,
            step=self.recorder.current_step.number,
            messages=len(request.messages),
            role=request.role,
            texts=new_messages,
        )
        self.recorder.emit(event)
        # The run has counted it now. With those of other trials, it may cost too much.
        self.budget.raise_if_spent()
