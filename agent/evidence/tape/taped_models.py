"""Returns the recorded replies of the solver's models.

The *tape* has the recorded steps of a trial. If its process was killed, it is *resumed*: it
repeats these steps with the recorded replies, which are not paid for again, and then
asks the models. A *replay* repeats a whole recorded trial, and asks nobody.

Example: in step 2, a request to the model `small` failed, so the same was asked of `main`, which
replied. The tape has this one reply in step 2, and nothing of step 3:

    recorded_reply(2, 0, "small")  -> ModelError: the request had failed
    recorded_reply(2, 0, "main")   -> the reply
    recorded_reply(3, 0, "small")  -> None: ask the model
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ModelReplied
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at
from controlplane.agent.model import ModelError


@dataclass(slots=True)
class TapedModels:
    """Finds the recorded replies to the solver of one trial."""

    tape: Tape
    """The recorded steps."""

    def recorded_reply(self, step: int, number: int, role: str) -> ModelReplied | None:
        """Return the recorded reply to a request of the solver; None to ask the model now.

        `number` is how many replies the step has had before, and `role` says which model is
        asked. A request that failed has no reply on the tape, so the next reply tells that it did:

        | the tape has as next reply of the step | what happens |
        |---|---|
        | nothing, as the step is new, or was cut off | None is returned |
        | a reply in this role | it is returned |
        | a reply in another role, or nothing in a complete step | `ModelError` is raised |
        """
        recorded = entry_at(self.tape.steps[step].replies, number)
        if recorded is None and not self.tape.steps.is_complete(step):
            return None
        if recorded is not None and recorded.role == role:
            return recorded
        msg = f"the record holds no reply in the role {role}: the request had failed"
        raise ModelError(msg)
