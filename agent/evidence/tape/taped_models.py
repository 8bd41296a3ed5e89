"""Replies of models: the recorded ones first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import ModelReplied, SaidMessage
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.agent.model import ModelError
from controlplane.gates.submission import REVIEW, Verdict


@dataclass(slots=True)
class TapedModels:
    """Asks models, unless the reply is recorded."""

    tape: Tape

    def reply(
        self, step: int, number: int, role: str, ask: Callable[[], ModelReplied]
    ) -> ModelReplied:
        """Return the reply to a request of the solver; `number` counts the replies of the step.

        Raises `ModelError`, also if the record shows that the request had failed.
        """
        recorded = entry_at(self.tape.step(step).replies, number)
        if recorded is None and self.tape.may_go_on(step):
            return ask()
        if recorded is not None and recorded.role == role:
            return recorded
        msg = f"the record holds no reply in the role {role}: the request had failed"
        raise ModelError(msg)

    def side_reply(
        self, role: str, texts: tuple[SaidMessage, ...], ask: Callable[[], ModelReplied]
    ) -> ModelReplied:
        """Return the reply to a side request: the next recorded one of its role, else that of `ask`.

        A side request is one of the benchmark or of the second reader. A replay takes the recorded
        reply even if the request now has another text, and notes the difference.
        """
        for index, side in enumerate(self.tape.side_replies):
            if side.replied.role != role:
                continue
            is_other_request = side.texts != texts
            if is_other_request and not self.tape.is_replay:
                break  # A resumed trial asks the new request.
            self.tape.note_if_different(side.replied.step, f"request {role}", side.texts, texts)
            del self.tape.side_replies[index]
            return side.replied
        return ask()

    def review(self, step: int, number: int, ask: Callable[[], Verdict | None]) -> Verdict | None:
        """Return the second reader's verdict on a submission; None if it gave none.

        `number` counts the submissions of the step.
        """
        recorded = entry_at(self.tape.step(step).submissions, number)
        if recorded is None:
            return ask()
        for verdict in recorded.verdicts:
            if verdict.key == REVIEW:
                return Verdict(**verdict.model_dump())
        return None
