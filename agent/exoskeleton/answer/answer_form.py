"""Brings the message of an answer into the form that the rules and the request ask for.

For a request that ends with "Answer with the number only", the message `There are 12
loans.` becomes `12`. The benchmark has a function for this, `put_in_form`. If it cannot tell
the form by itself, it asks a small model to propose a message.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.exoskeleton.benchmark_functions import PutInForm
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import object_schema

MAX_FORMATTED_CHARS: Final = 8_000
"""A longer message is a table or a plan, and is not formatted."""
MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})


def with_formatted_message(
    completion: Completion,
    put_in_form: PutInForm,
    session: TrialSession,
    helper: HelperModel,
) -> Completion:
    """Return the completion with its message in form. A long message stays as it is.

    `session` has the request and the rules. `helper` asks the model that proposes a message.
    """
    message = completion.message
    if len(message) > MAX_FORMATTED_CHARS:
        return completion

    def propose_message() -> str:
        return proposed_message(message, session.rules, helper)

    formatted = put_in_form(
        completion.outcome,
        message,
        session.rules,
        propose_message,
        session.instruction,
    )
    return completion.model_copy(update={"message": formatted})


def proposed_message(message: str, rules: str, helper: HelperModel) -> str:
    """Return a message in the form in which a model would write it; empty if the model fails."""
    reply = helper.format(MESSAGE_SCHEMA, message, rules)
    proposed = reply.get("message")
    if isinstance(proposed, str) and len(proposed) <= MAX_FORMATTED_CHARS:
        return proposed
    return ""
