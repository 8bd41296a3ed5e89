"""Returns the recorded replies of models, or asks the models."""

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
    """Asks models, unless their replies are recorded on the tape."""

    tape: Tape

    def reply(
        self, step: int, number: int, role: str, ask: Callable[[], ModelReplied]
    ) -> ModelReplied:
        """Return the reply to a request of the solver: the recorded one, or that of `ask`.

        `number` is its position in the step. Raises `ModelError` if the request fails, or
        failed when the step was recorded.
        """
        recorded = entry_at(self.tape.step(step).replies, number)
        if recorded is None and self.tape.may_go_on(step):
            return ask()
        if recorded is not None and recorded.role == role:
            return recorded
        # Failures of requests are not recorded. So if a complete step has no such reply,
        # the request had failed.
        msg = f"the record holds no reply in the role {role}: the request had failed"
        raise ModelError(msg)

    def review(
        self, step: int, number: int, ask: Callable[[], Verdict | None]
    ) -> Verdict | None:
        """Return the second reader's verdict on a submission; None if there is none.

        The second reader is a model that reviews answers. `number` is the position of the
        submission in its step.
        """
        recorded = entry_at(self.tape.step(step).submissions, number)
        if recorded is None:
            return ask()
        for verdict in recorded.verdicts:
            # The verdicts of gates and of the second reader are recorded in one list.
            if verdict.key == REVIEW:
                return Verdict(**verdict.model_dump())
        return None


class TapedSideReplies:
    """Answers side requests, those outside of the solver's conversation.

    The requests come from the benchmark, and from the second reader, a model that reviews
    answers. Each reply that is recorded on the tape is used once.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._unused: list[SideReply] = []
        for side_reply in tape.record.side_replies:
            # In the environment of the earlier attempt, the benchmark has made its
            # requests, and does not repeat them.
            if tape.is_fresh or side_reply.replied.role == REVIEWER:
                self._unused.append(side_reply)

    def reply(
        self, role: str, texts: tuple[SaidMessage, ...], ask: Callable[[], ModelReplied]
    ) -> ModelReplied:
        """Return the next recorded reply of a role, or else a new one.

        If the text of the request has changed, a resumed trial makes the new request. A
        replay returns the recorded reply, and notes the difference.
        """
        recorded = self._next(role)
        if recorded is None:
            return ask()
        if recorded.texts != texts and not self.tape.is_replay:
            return ask()
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
