"""Returns the recorded replies of models.

The *tape* has the recorded steps of a trial. If its process was killed, it is *resumed*: it
repeats these steps with the recorded replies, which are not paid for again, and then
asks the models. A *replay* repeats a whole recorded trial, and asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import ModelReplied, SaidMessage
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.agent.model import REVIEWER, ModelError
from controlplane.agent.record.trial_record import SideReply
from controlplane.gates.submission import REVIEW, Verdict


@dataclass(slots=True)
class TapedModels:
    """Finds the recorded replies of models on the tape."""

    tape: Tape
    """The recorded steps."""

    def recorded_reply(self, step: int, number: int, role: str) -> ModelReplied | None:
        """Return the recorded reply to a request of the solver; None to ask the model now.

        `number` is its position in the step. Raises `ModelError` if the request had failed
        when the step was recorded.
        """
        recorded = entry_at(self.tape.step(step).replies, number)
        if recorded is None and self.tape.may_go_on(step):
            return None
        if recorded is not None and recorded.role == role:
            return recorded
        # A request that fails has no reply on the record. So if a complete step has none
        # here, the request had failed.
        msg = f"the record holds no reply in the role {role}: the request had failed"
        raise ModelError(msg)

    def review(
        self, step: int, number: int, ask: Callable[[], Verdict | None]
    ) -> Verdict | None:
        """Return the second reader's verdict on a submission; None if there is none.

        The second reader is a model that reviews answers. `ask` asks it now, or returns None
        if the trial has none, as in a replay. `number` is the position of the submission in
        its step.
        """
        recorded = entry_at(self.tape.step(step).submissions, number)
        if recorded is None:
            return ask()
        for verdict in recorded.verdicts:
            # The verdicts of gates and of the second reader are recorded in one list.
            if verdict.key == REVIEW:
                return Verdict(**verdict.model_dump())
        return None  # The second reader was not asked.


class TapedSideReplies:
    """Finds the recorded replies to side requests, each of which is used once.

    These are requests to models outside of the solver's conversation. They come from the
    benchmark, for example for a simulated user, and from the second reader, a model that
    reviews answers.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._unused: list[SideReply] = []
        for side_reply in tape.record.side_replies:
            # An environment that goes on from the earlier attempt has these replies of the
            # benchmark's models. A new one asks for them again.
            is_asked_again = tape.has_new_environment
            if is_asked_again or side_reply.replied.role == REVIEWER:
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
