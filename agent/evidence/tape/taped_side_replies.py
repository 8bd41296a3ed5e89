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

    A side request is one to a model outside of the solver's conversation. The benchmark makes
    some, for example for a simulated user. The trial itself makes the others: the second
    reader is a model that reviews its answers.
    """

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
        is_same_request = recorded.texts == texts
        if not is_same_request and not self.tape.is_replay:
            return None
        if not is_same_request:
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


def _replies_to_repeat(tape: Tape) -> list[SideReply]:
    """Return the recorded replies to requests that are made again while steps are repeated.

    - A review: the trial asks for it itself, so it asks again.
    - A reply to the benchmark, such as its simulated user's: a new environment asks again.
      If the environment of the earlier attempt goes on, it has this reply already.
    """
    replies: list[SideReply] = []
    for side_reply in tape.record.side_replies:
        is_review = side_reply.replied.role == REVIEWER
        if is_review or tape.has_new_environment:
            replies.append(side_reply)
    return replies
