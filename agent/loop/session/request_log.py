"""Records the requests of a trial to models, their replies, and notices about both.

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
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.model import ASIDE_ROLES, ModelRequest, Reply


@dataclass(frozen=True, slots=True)
class RequestLog:
    """Writes the events about the requests of one trial to the journal.

    `recorder.emit` writes every event. `recorder.journal` leaves out those that an earlier
    attempt of the trial has written.
    """

    trial: TrialContext
    recorder: Recorder

    def with_trial(self, request: ModelRequest) -> ModelRequest:
        """Return a request that says which trial sends it."""
        return replace(
            request,
            task_id=self.trial.task_id,
            trial_id=self.trial.trial_id,
            try_number=self.trial.number,
        )

    def record_request(self, request: ModelRequest, new_messages: Messages) -> None:
        """Record that a model is about to be asked.

        `new_messages` are those messages of the request that the journal does not have.
        """
        self.recorder.emit(
            ModelAsked(
                trial_id=self.trial.trial_id,
                step=self.recorder.trace.number,
                messages=len(request.messages),
                role=request.role,
                texts=new_messages,
            )
        )

    def event_of(self, reply: Reply, role: str, started_at: float) -> ModelReplied:
        """Return the event that records a reply, to a request that was sent at `started_at`."""
        step = self.recorder.trace  # what has happened in the current step
        elapsed_ms = (time.perf_counter() - started_at) * 1000
        if role in ASIDE_ROLES:
            # A request outside of the solver's conversation, such as a grader's. Its reply
            # is not among the numbered replies of a step.
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

    def record_remarks(self, reply: Reply) -> None:
        """Record a reply's notices for the user, and what it shows about the endpoint.

        It may show, for example, that the endpoint takes no tools.
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
        """Record a notice for the user. `retry` is true if a request is sent again."""
        event = Noticed(trial_id=self.trial.trial_id, text=text, retry=retry)
        self.recorder.journal.record_notice(event)
