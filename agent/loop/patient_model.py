"""Asks the model of one trial, and repeats requests that fail transiently.

The time in which the model was down does not count as the trial's: each attempt may take
all of the time that the trial has left.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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

        Only the last attempt counts as the trial's time. Before it, the model was down.
        """
        clock = self.session.clock
        remaining_s = self.limit_s - clock.used_s
        attempts = _Attempts(self.model, request, remaining_s)
        reply = self.retry.ask(attempts.request_reply, self._write_retry)
        # If all attempts fail, the trial ends, and its time no longer matters.
        clock.exclude(attempts.seconds_before_last)
        return reply

    def _write_retry(self, text: str) -> None:
        """Write a notice for the user that a request is sent again."""
        self.session.notice(text, retry=True)


@dataclass(slots=True)
class _Attempts:
    """The attempts to get one reply. After one that failed, another one is made."""

    model: Model
    request: ModelRequest
    attempt_limit_s: float
    """Seconds that each attempt may take: the time that the trial had left before the first."""
    _began_at: float = field(default_factory=time.monotonic)
    _last_began_at: float = 0.0
    """The moment at which the last attempt began."""

    def request_reply(self) -> Reply:
        """Make one more attempt. Raises `ModelError` if it fails."""
        self._last_began_at = time.monotonic()
        deadline = self._last_began_at + self.attempt_limit_s
        return self.model.reply_to(replace(self.request, deadline=deadline))

    @property
    def seconds_before_last(self) -> float:
        """Seconds that the failed attempts and the pauses after them took."""
        return self._last_began_at - self._began_at
