"""Returns the recorded replies of models, or asks the models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import ModelReplied, SaidMessage
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.agent.model import ModelError
from controlplane.gates.submission import REVIEW, Verdict


@dataclass(slots=True)
class TapedModels:
    """Asks models, unless their replies are recorded on the tape. Created when a trial
    starts."""

    tape: Tape

    def reply(
        self, step: int, number: int, role: str, ask: Callable[[], ModelReplied]
    ) -> ModelReplied:
        """Return the reply to a request of the solver. `number` is its position in the
        step.

        Raises `ModelError` if the request fails, or failed when the step was recorded.
        """
        recorded = entry_at(self.tape.step(step).replies, number)
        if recorded is None and self.tape.may_go_on(step):
            return ask()
        if recorded is not None and recorded.role == role:
            return recorded
        # Failures of requests are not recorded. So if a whole step lacks a reply, the
        # request failed.
        msg = f"the record holds no reply in the role {role}: the request had failed"
        raise ModelError(msg)

    def side_reply(
        self, role: str, texts: tuple[SaidMessage, ...], ask: Callable[[], ModelReplied]
    ) -> ModelReplied:
        """Return the reply to a side request: the next recorded one of its role, or a
        new one.

        Side requests come from the benchmark, and from the second reader, a model that
        reviews answers. If the text of the request has changed, a replay returns the
        recorded reply nevertheless, and notes the difference.
        """
        recorded = None
        for side_reply in self.tape.side_replies:
            if side_reply.replied.role == role:
                recorded = side_reply
                break
        if recorded is None:
            return ask()
        is_other_request = recorded.texts != texts
        if is_other_request and not self.tape.is_replay:
            return ask()  # A resumed trial makes the new request.

        self.tape.note_if_different(
            recorded.replied.step, f"request {role}", recorded.texts, texts
        )
        self.tape.side_replies.remove(recorded)  # Each recorded reply is used once.
        return recorded.replied

    def review(
        self, step: int, number: int, ask: Callable[[], Verdict | None]
    ) -> Verdict | None:
        """Return the second reader's verdict on a submission; None if there is none.

        `number` is the position of the submission in its step.
        """
        recorded = entry_at(self.tape.step(step).submissions, number)
        if recorded is None:
            return ask()
        for verdict in recorded.verdicts:
            # The verdicts of gates and of the second reader are recorded in one list.
            if verdict.key == REVIEW:
                return Verdict(**verdict.model_dump())
        return None
