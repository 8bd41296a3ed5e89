"""Returns the recorded replies to side requests: those outside of the solver's conversation.

A benchmark may ask a model to play the user (role `user`), and another model may review answers
(role `reviewer`). A trial whose process was killed is *resumed*: it repeats its recorded steps (its
*tape*) with these requests. The replies come from the tape, so that they are not paid for twice:

    on the tape                      user: "Yes."   reviewer: "No fault."   user: "Thanks."
    recorded_reply("reviewer", ...)  -> "No fault."
    recorded_reply("user", ...)      -> "Yes."
    recorded_reply("user", ...)      -> "Thanks."
    recorded_reply("user", ...)      -> None: ask the model
"""

from __future__ import annotations

from controlplane.agent.events import ModelReplied, SaidMessage
from controlplane.agent.evidence.tape.difference import Difference
from controlplane.agent.evidence.tape.next_environment import NextEnvironment
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.model import REVIEWER
from controlplane.agent.record.side_reply import SideReply


class RecordedSideReplies:
    """Finds the recorded replies to side requests. Each of them is used once."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._unused = [
            side_reply
            for side_reply in tape.record.side_replies
            if _is_asked_for_again(side_reply, tape)
        ]
        """The recorded replies that the trial may still use, in order."""

    def recorded_reply(
        self, role: str, texts: tuple[SaidMessage, ...]
    ) -> ModelReplied | None:
        """Return the next recorded reply of a role; None to ask the model now.

        `texts` is the request. It may not be the recorded one, for example because another answer
        is to be reviewed. Then a resumed trial asks the model, and the recorded reply stays the
        next one. A *replay*, which repeats a finished trial and asks no model, takes it all the
        same, and notes the difference.
        """
        recorded = self._next_of(role)
        if recorded is None:
            return None
        if recorded.texts != texts:
            is_resumed = not self.tape.is_replay
            if is_resumed:
                return None
            step = recorded.replied.step
            difference = Difference(step, f"request {role}", recorded.texts, texts)
            self.tape.differences.append(difference)
        self._unused.remove(recorded)
        return recorded.replied

    def _next_of(self, role: str) -> SideReply | None:
        """Return the first unused reply of a role; None if there is none."""
        for recorded in self._unused:
            if recorded.replied.role == role:
                return recorded
        return None


def _is_asked_for_again(side_reply: SideReply, tape: Tape) -> bool:
    """Return True if the request of a recorded reply will be made again.

    The trial itself asks for reviews, always again. The environment asks for the user's replies. If
    it has run on while the trial was killed, it has them already, and does not ask again.
    """
    is_review = side_reply.replied.role == REVIEWER
    return is_review or tape.next_environment is not NextEnvironment.SAME
