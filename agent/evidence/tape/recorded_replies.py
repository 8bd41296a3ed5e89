"""Finds the recorded replies of the solver's models.

In step 2, a request to the model `small` failed, so the same was asked of `main`, which replied.
The process was killed after that. The next one repeats the step, and finds this one reply there:

    recorded_reply(reader, "small")  -> ModelError: the request had failed
    recorded_reply(reader, "main")   -> the reply, which is not paid for again
    recorded_reply(reader, "small")  -> None: ask the model
"""

from __future__ import annotations

from controlplane.agent.events import ModelReplied
from controlplane.agent.evidence.tape.tape_reader import TapeReader
from controlplane.agent.model import ModelError


def recorded_reply(reader: TapeReader, role: str) -> ModelReplied | None:
    """Return the next recorded reply of the current step; None to ask the model now.

    `role` says which model is asked. A request that failed is not recorded. So if the next reply
    is in another role, or the step is complete without one, this request had failed, and raises
    `ModelError`.
    """
    recorded = reader.next_entry(ModelReplied)
    if recorded is None and not reader.is_complete:
        return None
    if recorded is not None and recorded.role == role:
        return recorded
    msg = f"the record holds no reply in the role {role}: the request had failed"
    raise ModelError(msg)
