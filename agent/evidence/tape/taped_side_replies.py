"""Returns the recorded replies to side requests: those outside of the solver's conversation.

A benchmark may ask a model to play the user (role `user`), and another model may review answers
(role `reviewer`). A trial that repeats its recorded steps (its *tape*) makes these requests
again. The replies come from the tape, so that they are not paid for twice:

    on the tape                      user: "Yes."   reviewer: "No fault."   user: "Thanks."
    recorded_reply("reviewer", ...)  -> "No fault."
    recorded_reply("user", ...)      -> "Yes."
    recorded_reply("user", ...)      -> "Thanks."
    recorded_reply("user", ...)      -> None: ask the model
"""

from __future__ import annotations

from controlplane.agent.events import ModelReplied, SaidMessage
from controlplane.agent.evidence.tape.next_environment import NextEnvironment
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.model import REVIEWER
from controlplane.agent.record.side_reply import SideReply


class TapedSideReplies:
    """Finds the recorded replies to side requests. Each of them is used once."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._unused = _replies_to_repeat(tape)
        """The recorded replies that the trial may still use, in order."""

    def recorded_reply(
        self, role: str, texts: tuple[SaidMessage, ...]
    ) -> ModelReplied | None:
        """Return the next recorded reply of a role; None to ask the model now.

        `texts` is the request. If it is not the recorded one, for example because another
        answer is to be reviewed,

        - a resumed trial asks the model. The recorded reply stays the next one of its role.
        - a replay, which asks no model, returns the recorded reply and notes the difference.
        """
        recorded = self._next(role)
        if recorded is None:
            return None
        if recorded.texts != texts:
            if not self.tape.is_replay:
                return None
            self.tape.comparison.compare_outcome(
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


def _replies_to_repeat(tape: Tape) -> list[SideReply]:
    """Return the recorded replies to requests that will be made again.

    - All, if the trial goes on in a new environment, or is a replay.
    - Only reviews, if it goes on in the same environment. This has got the replies to the
      benchmark already, such as its simulated user's, and does not ask again.
    """
    replies: list[SideReply] = []
    for side_reply in tape.record.side_replies:
        is_review = side_reply.replied.role == REVIEWER
        if is_review or tape.next_environment is not NextEnvironment.SAME:
            replies.append(side_reply)
    return replies
