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
"""The role of a test request. If an endpoint refuses a request for an unclear reason, the
model's client sends a short one, which shows whether the endpoint refuses those of all trials."""

Complete: TypeAlias = Callable[[ModelRequest], Reply]
"""Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`."""


@dataclass(frozen=True, slots=True)
class RequestLog:
    """Makes the requests of one trial to models, and writes each with its reply to the journal.

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
        request = replace(
            request,
            task_id=self.trial.task_id,
            trial_id=self.trial.trial_id,
            try_number=self.trial.number,
        )
        started_at = time.perf_counter()
        try:
            reply = complete(request)
        except ModelError as error:
            # The reply to a test request was paid for. It is written like one to the solver, so
            # not if a grader has asked, for example.
            is_of_solver = request.role not in SIDE_ROLES
            if error.paid is not None and is_of_solver:
                self._write_reply(error.paid, TEST_ROLE, started_at)
            raise
        return self._write_reply(reply, request.role, started_at)

    def _write_request(self, request: ModelRequest, new_messages: Messages) -> None:
        """Write that a model is about to be asked, if the budget allows it."""
        self.budget.check()
        self.recorder.emit(
            ModelAsked(
                trial_id=self.trial.trial_id,
                step=self.recorder.current_step.number,
                messages=len(request.messages),
                role=request.role,
                texts=new_messages,
            )
        )
        # Check again: `emit` has counted the request for the run, and so have other trials
        # that ask at the same time. All of these requests together may cost too much.
        self.budget.check()

    def _write_reply(self, reply: Reply, role: str, started_at: float) -> ModelReplied:
        """Count what a reply cost, write it to the journal, and return its event.

        The request was sent at `started_at`, a moment of `time.perf_counter`.
        """
        self._write_remarks(reply)
        replied = reply_event(
            reply,
            role,
            self.recorder.current_step,
            trial_id=self.trial.trial_id,
            elapsed_s=time.perf_counter() - started_at,
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
