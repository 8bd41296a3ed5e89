"""Asks the model of a trial, and asks again if a request fails for a moment.

The time in which the model was down does not count as the trial's. If the trial has 600 s left:

    at 0 s    try 1, which may take 600 s     the endpoint is busy
    at 3 s    try 2, which may take 600 s     a reply after 10 s: the trial has 590 s left
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from controlplane.agent.events import ModelReplied
from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.loop.reply_form import RequestForm
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Message, Model, ModelRequest, Reply


@dataclass(frozen=True, slots=True)
class PatientModel:
    """Asks one model for one trial, and repeats requests that fail transiently."""

    model: Model
    session: TrialSession
    """Writes the replies to the journal, and counts the time that the trial has used."""
    retry: ModelRetry
    limit_s: float
    """Seconds that the trial may use."""

    def solve(
        self, conversation: Sequence[Message], **form: Unpack[RequestForm]
    ) -> ModelReplied:
        """Return the model's next reply in the conversation. The journal gets it, too.

        If an earlier attempt of the trial has recorded the reply, the model is not asked.
        Raises `ModelError`.
        """
        request = ModelRequest(conversation, "solve", **form)
        # The session calls `complete` unless it has a recorded reply.
        return self.session.ask(self.complete, request, is_conversation=True)

    def complete(self, request: ModelRequest) -> Reply:
        """Return a reply, which the caller writes to the journal. Raises `ModelError`.

        Only the last try counts as the trial's time. Before it, the model was down.
        """
        clock = self.session.clock
        remaining_s = self.limit_s - clock.used_s

        def request_reply() -> Reply:
            deadline = time.monotonic() + remaining_s
            return self.model.reply_to(replace(request, deadline=deadline))

        retried = self.retry.ask(request_reply, self._write_retry)
        # If all tries fail, this line is not reached, and all of their time counts.
        clock.exclude(retried.seconds_before)
        return retried.reply

    def _write_retry(self, text: str) -> None:
        """Write a notice for the user that a request is sent again."""
        self.session.notice(text, retry=True)
