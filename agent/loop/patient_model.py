"""Asks the model of one trial, with retries."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from controlplane.agent.events import ModelReplied
from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.loop.reply_form import RequestForm
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.model import Message, Model, ModelRequest, Reply


@dataclass(frozen=True, slots=True)
class PatientModel:
    """Asks one model for one trial, and repeats requests that fail transiently."""

    model: Model
    session: TrialSession
    """Records the replies, and counts the time that the trial has used."""
    retry: ModelRetry
    limit_s: float
    """Seconds that the trial may use."""

    def solve(
        self, conversation: Sequence[Message], **form: Unpack[RequestForm]
    ) -> ModelReplied:
        """Return the solver's reply, which is recorded. Raises `ModelError`."""
        request = ModelRequest(conversation, "solve", **form)
        return self.session.ask(self.complete, request, is_conversation=True)

    def complete(self, request: ModelRequest) -> Reply:
        """Return a reply, without recording it. Raises `ModelError`.

        The time of failed attempts does not count as the trial's, because the model was down.
        """
        clock = self.session.clock
        remaining_s = self.limit_s - clock.used_s
        started_at = time.monotonic()
        last_attempt_at = started_at

        def request_reply() -> Reply:
            nonlocal last_attempt_at
            last_attempt_at = time.monotonic()
            deadline = last_attempt_at + remaining_s
            return self.model.reply_to(replace(request, deadline=deadline))

        reply = self.retry.ask(request_reply, self._record_retry)
        clock.exclude(last_attempt_at - started_at)
        return reply

    def _record_retry(self, text: str) -> None:
        self.session.notice(text, retry=True)
