"""Makes *side requests*: those to models that do not solve the trial's task, such as a grader.

If an earlier attempt of the trial has made the same request, its reply is recorded, and is used, so
that nothing is paid for twice:

    ask(complete, ModelRequest([{"role": "user", "content": "Is 7 EUR right?"}], "grade"))
        -> Reply(text="yes"), recorded or new
"""

from __future__ import annotations

from controlplane.agent.evidence.tape import RecordedSideReplies
from controlplane.agent.loop.session.reply_events import messages_of, reply_of
from controlplane.agent.loop.session.trial_session import Complete, TrialSession
from controlplane.agent.model import ModelRequest, Reply


class SideRequests:
    """Makes the side requests of one trial."""

    def __init__(self, session: TrialSession) -> None:
        self.recorded_replies = RecordedSideReplies(session.recorder.tape)
        self.requests = session.requests
        """Makes the requests, writes them to the journal, and counts what they cost."""

    def ask(self, complete: Complete, request: ModelRequest) -> Reply:
        """Return the reply to a request: the recorded one, or else that of `complete`.

        A new reply is written to the journal. Raises `ModelError` if the request fails,
        `OutOfBudget` if the trial has spent its budget, and `LeftOpen`, which stops the trial
        until it is resumed, if the run has.
        """
        messages = messages_of(request)
        replied = self.recorded_replies.recorded_reply(request.role, messages)
        if replied is None:
            replied = self.requests.ask(complete, request, messages)
        return reply_of(replied)
