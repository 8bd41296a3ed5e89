"""A request to a small model that helps the main model of a trial.

A trial can go on without its help. So a failure is only noted:

    HelperRequest(
        role="format",                   # chooses the model, and the text of the system message
        user_prompt="format_request",    # the text of the user message: "... {{message}} ..."
        schema={"properties": {"message": {"type": "string"}}, ...},
        values={"message": "There are 12 loans.", "rules": "Answer briefly."},
    ).send(model, prompts)   -> {"message": "12"}; {} if the model fails
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.agent.exoskeleton.replies.reply_objects import object_of
from controlplane.agent.exoskeleton.tools.tool_texts import described_fields
from controlplane.agent.loop.patient_model import PatientModel
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.model import (
    Abandoned,
    Message,
    ModelError,
    ModelRequest,
    OutOfBudget,
)


@dataclass(frozen=True, slots=True)
class HelperRequest:
    """One request to a small model."""

    role: str
    """Chooses the model, and is the name of the prompt for the system message."""
    user_prompt: str
    """The name of the prompt for the user message."""
    schema: Mapping[str, object]
    """The JSON schema of the reply."""
    values: Mapping[str, str]
    """Fill the holes of both prompts: `message` fills `{{message}}`. The user's request need not be
    among them: it fills `{{instruction}}`."""

    def send(self, model: PatientModel, prompts: Prompts) -> dict[str, Any]:
        """Return the JSON object in the reply; empty if there is none, or the model fails.

        Raises `OutOfBudget` if the run may not spend more, and `Abandoned` if the trial was
        told to stop.
        """
        session = model.session
        fields = described_fields(self.schema)  # fills the hole `{{fields}}`
        system = prompts.filled(self.role, fields=fields, **self.values)
        user = prompts.filled(
            self.user_prompt, instruction=session.instruction, **self.values
        )
        messages: list[Message] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        request = ModelRequest(messages, self.role, schema=self.schema)
        try:
            # In a resumed trial, the session returns the recorded reply, and does not ask.
            replied = session.ask(model.complete, request)
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            session.notice(
                f"the model of the role {self.role} failed, and the trial goes on without it: {error}"
            )
            return {}
        return object_of(replied.reply) or {}
