"""Returns the recorded replies of models.

The *tape* has the recorded steps of a trial. If its process was killed, it is *resumed*: it
repeats these steps with the recorded replies, which are not paid for again, and then
asks the models. A *replay* repeats a whole recorded trial, and asks nobody. Example: in step 2, a
request to the model `small` failed, and the next one, to `main`, had a reply. So the tape has
this one reply in step 2:

    recorded_reply(2, 0, "small")  -> ModelError: the reply at this place has another role
    recorded_reply(2, 0, "main")   -> the reply
    recorded_reply(3, 0, "main")   -> None: step 3 is not recorded, so the model is asked
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import ModelReplied
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.agent.model import ModelError
from controlplane.gates.verdicts import REVIEW, Verdict


@dataclass(slots=True)
class TapedModels:
    """Finds the recorded replies to the solver, and the recorded verdicts of the second reader.

    So a resumed trial does not pay for a reply twice.
    """

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
        # A request that fails has no reply on the record. So if there is none here, or already
        # that to the next request, which has another role, this request had failed.
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
