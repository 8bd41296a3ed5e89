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
    """The models of all roles but `solve`, as one trial asks them. The trial goes on if they
    fail."""

    model: PatientModel
    prompts: Prompts

    def ask(
        self, role: str, schema: Mapping[str, object], request_prompt: str, **values: str
    ) -> dict[str, Any]:
        """Return the object that the model of a role replies; empty if it replies none, or fails.

        The system message is the prompt named as the role, the user message the prompt
        `request_prompt`; `values` fill the places in both. Raises `OutOfBudget`, `Abandoned`.
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
            replied = session.ask(self.model.complete, request)
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            session.notice(
                f"the model of the role {role} failed, and the trial goes on without it: {error}"
            )
            return {}
        return object_of(replied.reply) or {}
