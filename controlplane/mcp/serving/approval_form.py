"""The form in which a client's user approves a call that is held back.

It has one field: a box labelled "Send it?", which is ticked at first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.model import object_schema

if TYPE_CHECKING:
    from mcp import types

SEND: Final = "send"
"""The name of the question in the protocol, and of the one field of its form."""
APPROVAL: Final = object_schema(
    {SEND: {"type": "boolean", "title": "Send it?", "default": True}}, []
)
"""The JSON schema of the form."""


def input_required(question: str, state: str) -> types.InputRequiredResult:
    """Return a reply that makes the client ask its user and send `state` back with the answer."""
    from mcp import types

    form = types.ElicitRequestFormParams(message=question, requested_schema=APPROVAL)
    request = types.ElicitRequest(params=form)
    return types.InputRequiredResult(
        input_requests={SEND: request}, request_state=state
    )


def is_approved(answer: Any) -> bool:
    """Return True if the user approves the call. In an empty form, that is the default."""
    if getattr(answer, "action", "") != "accept":
        return False
    fields = answer.content or {}
    return bool(fields.get(SEND, True))
