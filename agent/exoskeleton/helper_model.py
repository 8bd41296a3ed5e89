"""Asks the small models of the second solver: the classifier, the draft check, the formatter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.agent.exoskeleton.offered_tools import described_fields
from controlplane.agent.exoskeleton.reply_calls import object_of
from controlplane.agent.loop.patient_model import PatientModel
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.model import Abandoned, Message, ModelError, ModelRequest, OutOfBudget


@dataclass(frozen=True, slots=True)
class HelperModel:
    """Asks the models of all roles except `solve` for one trial. The trial goes on if they fail."""

    model: PatientModel
    prompts: Prompts

    def ask(
        self, role: str, schema: Mapping[str, object], request_prompt: str, **values: str
    ) -> dict[str, Any]:
        """Return the object in the reply of the role's model; empty if it has none, or if the model
        fails.

        The system message is the prompt file with the role's name, such as `format`. The user
        message is the prompt file `request_prompt`. `values` fill the placeholders of both. Raises
        `OutOfBudget` or `Abandoned`.
        """
        session = self.model.session
        fields = described_fields(schema)
        system = self.prompts.filled(role, fields=fields, **values)
        user = self.prompts.filled(request_prompt, instruction=session.instruction, **values)
        messages: list[Message] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        request = ModelRequest(messages, role, schema=schema)
        try:
            # The session returns the recorded reply of a resumed trial, or calls `complete`.
            replied = session.ask(self.model.complete, request)
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            session.notice(
                f"the model of the role {role} failed, and the trial goes on without it: {error}"
            )
            return {}
        return object_of(replied.reply) or {}
