"""Brings the message of an answer into the form that the rules and the request ask for.

For a request that ends with "Answer with the number only", the message `There are 12
loans.` becomes `12`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.exoskeleton.bindings import PutInForm
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import object_schema

MAX_FORMATTED_CHARS: Final = 8_000
"""A longer message is a table or a plan, and is not formatted."""
MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """Formats the messages of one trial."""

    session: TrialSession
    put_in_form: PutInForm
    """The benchmark's function that returns the message in its form. If it cannot find the
    form by itself, it asks a model, by the function `propose_message` that it gets."""
    helper: HelperModel
    """Asks that model."""

    def formatted(self, completion: Completion) -> Completion:
        """Return the completion with its message in form. A long message stays as it is."""
        message = completion.message
        if len(message) > MAX_FORMATTED_CHARS:
            return completion

        def propose_message() -> str:
            return self._proposed_message(message)

        formatted = self.put_in_form(
            completion.outcome,
            message,
            self.session.rules,
            propose_message,
            self.session.instruction,
        )
        return completion.model_copy(update={"message": formatted})

    def _proposed_message(self, message: str) -> str:
        """Return the message as a model would write it; empty if the model fails."""
        reply = self.helper.format(MESSAGE_SCHEMA, message, self.session.rules)
        proposed = reply.get("message")
        if isinstance(proposed, str) and len(proposed) <= MAX_FORMATTED_CHARS:
            return proposed
        return ""
