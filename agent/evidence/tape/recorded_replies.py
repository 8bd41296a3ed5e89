"""Finds the recorded replies of the solver's models, so that none is paid for twice.

In step 2, a request to the model `small` failed, so the same was asked of `main`, which replied.
Then the process was killed. The journal has only the reply, as failed requests are not recorded.
The next process repeats the step, and does not ask for this reply again:

    recorded_reply(reader, "small")  -> ModelError, since the next reply is by `main`
    recorded_reply(reader, "main")   -> the reply
    recorded_reply(reader, "small")  -> None: there are no more replies, so ask the model
"""

from __future__ import annotations

from controlplane.agent.events import ModelReplied
from controlplane.agent.evidence.tape.tape_reader import TapeReader
from controlplane.agent.model import ModelError


def recorded_reply(reader: TapeReader, role: str) -> ModelReplied | None:
    """Return the next recorded reply of the current step; None to ask the model now.

    `role` says which model is asked. Raises `ModelError` if the request had failed.
    """
    # The reply stays the next one until the solver has added it to the current step.
    next_reply = reader.next_entry(ModelReplied)
    if next_reply is None and not reader.is_complete:
        return None  # The process was killed before this request.
    if next_reply is not None and next_reply.role == role:
        return next_reply
    # The reply is by another model, or the whole step has no more replies.
    msg = f"the record holds no reply in the role {role}: the request had failed"
    raise ModelError(msg)
