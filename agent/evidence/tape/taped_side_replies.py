"""Returns the recorded replies to side requests: those outside of the solver's conversation.

A resumed trial repeats its recorded steps (the *tape*). If the benchmark's simulated user has
replied in them, the reply comes from the tape, so that it is not paid for again.
"""

from __future__ import annotations

from controlplane.agent.events import ModelReplied, SaidMessage
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.model import REVIEWER
from controlplane.agent.record.trial_record import SideReply


class TapedSideReplies:
    """Finds the recorded replies to side requests, each of which is used once.

    These are requests to models outside of the solver's conversation. They come from the
    benchmark, for example for a simulated user, and from the second reader, a model that
    reviews answers. Which recorded replies are used again:

    | reply of                | environment goes on       | environment is new |
    | ----------------------- | ------------------------- | ------------------ |
    | a model of a benchmark  | no, it has the reply      | yes                |
    | the second reader       | yes                       | yes                |
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._unused: list[SideReply] = []
        for side_reply in tape.record.side_replies:
            is_review = side_reply.replied.role == REVIEWER
            if tape.has_new_environment or is_review:
                self._unused.append(side_reply)

    def recorded_reply(
        self, role: str, texts: tuple[SaidMessage, ...]
    ) -> ModelReplied | None:
        """Return the next recorded reply of a role; None to ask the model now.

        `texts` is the request. It may differ from the recorded one, for example in another
        answer that is to be reviewed. Then a resumed trial asks the model, and keeps the
        recorded reply for a later request. A replay returns the recorded reply, and notes
        the difference.
        """
        recorded = self._next(role)
        if recorded is None:
            return None
        is_other_request = recorded.texts != texts
        if is_other_request and not self.tape.is_replay:
            return None
        # Only in a replay can the two requests differ here.
        self.tape.comparison.note_if_different(
            recorded.replied.step, f"request {role}", recorded.texts, texts
        )
        self._unused.remove(recorded)
        return recorded.replied

    def _next(self, role: str) -> SideReply | None:
        """Return the first unused reply of a role; None if there is none."""
        for side_reply in self._unused:
            if side_reply.replied.role == role:
                return side_reply
        return None
