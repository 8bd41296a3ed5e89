"""Asks a model for one trial: retries transient failures, and excludes outage time from the trial's limit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from agent.events.trial_events import ModelReplied
from agent.loop.budget import Budget
from agent.loop.trial_session import TrialSession
from agent.loop.unusable_streak import Form
from agent.model.model_protocol import Message, Model, Reply
from agent.model.model_retry import ModelRetry


@dataclass(frozen=True, slots=True)
class PatientModel:
    """One model as one trial asks it."""

    model: Model
    session: TrialSession
    retry: ModelRetry
    budget: Budget

    def solve(self, conversation: Sequence[Message], **form: Unpack[Form]) -> ModelReplied:
        """Return the reply to the trial's conversation, which the journal holds already. Raises `ModelError`."""
        return self.session.ask(
            lambda: self.complete(conversation, "solve", **form), conversation, is_conversation=True
        )

    def complete(self, messages: Sequence[Message], role: str, **form: Unpack[Form]) -> Reply:
        """Return a reply that nobody has written down yet. Raises `ModelError`."""

        def ask() -> Reply:
            asked.append(time.perf_counter())
            return self.model.complete(messages, role, **form)

        asked: list[float] = []
        started = time.perf_counter()
        reply = self.retry.ask(ask, lambda text: self.session.notice(text, retry=True))
        self.budget.excuse(asked[-1] - started)
        return reply
