"""Makes *side requests*: those to models that do not solve the trial's task, such as a grader.

If an earlier attempt of the trial has made the same request, its reply is recorded, and is used, so
that nothing is paid for twice:

    ask(complete, ModelRequest([{"role": "user", "content": "Is 7 EUR right?"}], "grade"))
        -> Reply(text="yes"), recorded or new
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from controlplane.agent.events import ModelReplied
from controlplane.agent.evidence.tape import RecordedSideReplies
from controlplane.agent.loop.session.reply_events import (
    Messages,
    messages_of,
    reply_of,
)
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import ModelRequest, Reply

_TellOfRetry: TypeAlias = Callable[[str], None]
"""Tells the user that a request is sent again. The argument is the reason."""
_CompleteWithRetries: TypeAlias = Callable[[ModelRequest, _TellOfRetry], Reply]
"""Returns the reply to a request, and tells the user of each retry. Raises `ModelError`."""


class SideRequests:
    """Makes the side requests of one trial."""

    def __init__(self, session: TrialSession) -> None:
        self.recorded_replies = RecordedSideReplies(session.recorder.tape)
        self.clock = session.clock
        """Has the moment at which the trial's time ends."""
        self.requests = session.requests
        """Makes the requests, writes them to the journal, and counts what they cost."""
        self.replies = session.replies
        """Writes notices for the user, such as those of retries."""

    def ask(self, complete: _CompleteWithRetries, request: ModelRequest) -> Reply:
        """Return the reply to a request: the recorded one, or else that of `complete`.

        A new reply is written to the journal. Raises `ModelError` if the request fails,
        `OutOfBudget` if the trial has spent its budget, and `LeftOpen`, which stops the trial
        until it is resumed, if the run has.
        """
        messages = messages_of(request)
        replied = self.recorded_replies.recorded_reply(request.role, messages)
        if replied is None:
            replied = self._ask_now(complete, request, messages)
        return reply_of(replied)

    def _ask_now(
        self, complete: _CompleteWithRetries, request: ModelRequest, messages: Messages
    ) -> ModelReplied:
        """Ask for a reply, and return its event, which is written to the journal."""
        is_grading = request.role == "grade"  # after the trial, so without its deadline
        deadline = math.inf if is_grading else self.clock.deadline

        def reply_to(sent_request: ModelRequest) -> Reply:
            return complete(sent_request, self._write_retry)

        timed_request = replace(request, deadline=deadline)
        return self.requests.ask(reply_to, timed_request, messages)

    def _write_retry(self, reason: str) -> None:
        """Write a notice for the user that a request is sent again."""
        self.replies.notice(reason, retry=True)
