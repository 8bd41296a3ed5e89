"""Writes the requests of a trial to models, and notices for the user, to the journal.

`ModelAsked` is in the journal before a model is asked. If the process ends meanwhile, the
run still knows that the request may have cost something.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from controlplane.agent.events import (
    EndpointLearned,
    ModelAsked,
    ModelReplied,
    Noticed,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.session.reply_events import (
    Messages,
    fields_of,
    solver_fields_of,
)
from controlplane.agent.loop.session.trial_budget import TrialBudget
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.model import ASIDE_ROLES, ModelRequest, Reply


@dataclass(frozen=True, slots=True)
class RequestLog:
    """Writes the requests of one trial to the journal, and counts what they cost the trial.

    Each request takes three steps:

    1. `begin_request` writes the event `ModelAsked`. Then the caller asks the model.
    2. `count_reply` counts the cost for the trial, and returns the event `ModelReplied`.
    3. The caller writes this event to the journal.

    For the run, `emit` counts the cost: it sees both events.
    """

    trial: TrialContext
    """Which trial asks."""
    recorder: Recorder
    """Writes the journal (`emit`), and has the current step."""
    budget: TrialBudget
    """Refuses a request if the trial or the run has spent its budget."""

    def begin_request(
        self, request: ModelRequest, new_messages: Messages
    ) -> ModelRequest:
        """Write that a model is about to be asked, and return the request to send.

        The returned request says which trial sends it. `new_messages` are those messages of the
        request that the journal does not have. Raises `OutOfBudget` if the trial has spent its
        budget, and `LeftOpen` if the run has.
        """
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
        # Check again: other trials may have emitted `ModelAsked` at the same time. Now the run
        # has counted all of these requests, and together they may cost too much.
        self.budget.check()
        return replace(
            request,
            task_id=self.trial.task_id,
            trial_id=self.trial.trial_id,
            try_number=self.trial.number,
        )

    def count_reply(self, reply: Reply, role: str, started_at: float) -> ModelReplied:
        """Count what a reply cost, and return its event, which the caller writes.

        The request was sent at `started_at`, a moment of `time.perf_counter`.
        """
        self._write_remarks(reply)
        replied = self._event_of(reply, role, started_at)
        self.budget.count(replied)
        return replied

    def _event_of(self, reply: Reply, role: str, started_at: float) -> ModelReplied:
        """Return the event of a reply."""
        step = self.recorder.current_step
        elapsed_ms = (time.perf_counter() - started_at) * 1000
        if role in ASIDE_ROLES:
            # A reply to a grader, for example. Only replies to the solver are numbered.
            fields = fields_of(reply)
            number = 0
        else:
            fields = solver_fields_of(reply)
            number = len(step.replies)
        return ModelReplied(
            trial_id=self.trial.trial_id,
            step=step.number,
            number=number,
            role=role,
            elapsed_ms=round(elapsed_ms, 3),
            **fields,
        )

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
