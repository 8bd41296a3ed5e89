"""Makes the requests of a trial to models, and writes them to the journal.

One request writes two events, in this order:

    ModelAsked(step=3, messages=7)      before the model is asked
    ModelReplied(step=3, cost_usd=0.02) after it

If the process ends between the two, the run still knows that the request may have cost something.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from controlplane.agent.events import (
    EndpointLearned,
    ModelAsked,
    ModelReplied,
    Noticed,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.session.reply_events import (
    Messages,
    reply_event,
)
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.model import SIDE_ROLES, ModelError, ModelRequest, Reply

TEST_ROLE: Final = "check"
"""The role of the reply to a test request: a short one, which shows whether an endpoint that has
refused a request refuses all of them."""

Complete: TypeAlias = Callable[[ModelRequest], Reply]
"""Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`."""


@dataclass(frozen=True, slots=True)
class RequestLog:
    """Makes the requests of one trial to models, and writes each with its reply to the journal.

    `TrialModels` asks here for the solver, and `SideRequests` for others, such as a grader.
    What a reply costs is counted for the trial by `budget.count`, and for the whole run by
    `emit`, which adds each event to the run's totals.
    """

    trial: TrialContext
    """Which trial asks."""
    recorder: Recorder
    """Writes the journal (`emit`), and has the current step."""
    budget: TrialBudget
    """Refuses a request if the trial or the run has spent its budget."""

    def ask(
        self, complete: Complete, request: ModelRequest, new_messages: Messages
    ) -> ModelReplied:
        """Return the reply of `complete` to a request, as the event that is written.

        `new_messages` are those messages of the request that the journal does not have. Raises
        `ModelError` if the request fails, `OutOfBudget` if the trial has spent its budget, and
        `LeftOpen` if the run has.
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
            is_of_solver = request.role not in SIDE_ROLES
            if error.paid is not None and is_of_solver:
                self._write_test_reply(error.paid, sent_at)
            raise
        return self._write_reply(reply, request.role, sent_at)

    def _write_request(self, request: ModelRequest, new_messages: Messages) -> None:
        """Write that a model is about to be asked, if the budget allows it.

        `OutOfBudget` and `LeftOpen` are raised here. `emit` counts the request for the run. Other
        trials may have sent requests since the first check, and all open requests together may
        cost too much. So the budget is checked again.
        """
        self.budget.raise_if_spent()
        self.recorder.emit(
            ModelAsked(
                trial_id=self.trial.trial_id,
                step=self.recorder.current_step.number,
                messages=len(request.messages),
                role=request.role,
                texts=new_messages,
            )
        )
        self.budget.raise_if_spent()

    def _write_test_reply(self, reply: Reply, sent_at: float) -> None:
        """Count and write the reply to a test request, which the error of a request has.

        If an endpoint refuses a request of the solver for an unclear reason, the model's client
        sends a short test request: does the endpoint refuse all requests? The reply to it costs
        something, too.
        """
        self._write_reply(reply, TEST_ROLE, sent_at)

    def _write_reply(self, reply: Reply, role: str, sent_at: float) -> ModelReplied:
        """Count what a reply cost, write it to the journal, and return its event.

        The request was sent at `sent_at`, a moment of `time.perf_counter`.
        """
        self._write_remarks(reply)
        replied = reply_event(
            reply,
            role,
            self.recorder.current_step,
            trial_id=self.trial.trial_id,
            elapsed_s=time.perf_counter() - sent_at,
        )
        self.budget.count(replied)
        self.recorder.emit(replied)
        return replied

    def _write_remarks(self, reply: Reply) -> None:
        """Write the notices of a reply for the user, and what was learned about the endpoint.

        For example, the endpoint may have refused tools in this request.
        """
        for notice in reply.notices:
            self.notice(notice)
        if reply.learned is not None:
            self.recorder.emit(
                EndpointLearned(
                    trial_id=self.trial.trial_id, capabilities=reply.learned
                )
            )

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Write a notice for the user. `retry` is true if a request is sent again.

        A resumed trial does not repeat the notices of its earlier attempt.
        """
        event = Noticed(trial_id=self.trial.trial_id, text=text, retry=retry)
        self.recorder.journal.write_notice(event)
