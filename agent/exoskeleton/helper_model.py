"""Asks the small models that help the main model of a trial.

One classifies the request, another checks the draft of the answer, a third formats the
answer. The user chooses the model for each of these roles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from controlplane.agent.exoskeleton.reply_calls import object_of
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
class HelperModel:
    """Asks a trial's small models, one for each role.

    If one fails, the trial goes on without it.
    """

    model: PatientModel
    prompts: Prompts

    def ask(
        self,
        role: str,
        schema: Mapping[str, object],
        request_prompt: str,
        **values: str,
    ) -> dict[str, Any]:
        """Return the JSON object in a model's reply; empty if it has none or the model fails.

        `role`, such as `format`, chooses the model and the prompt for the system message.
        `request_prompt` is the prompt for the user message. `values` fill the holes of
        both, such as `{{message}}`. Raises `OutOfBudget` or `Abandoned`.
        """
        session = self.model.session
        # The prompt describes the wanted reply by the schema's fields: the hole `{{fields}}`.
        fields = described_fields(schema)
        system = self.prompts.filled(role, fields=fields, **values)
        user = self.prompts.filled(
            request_prompt, instruction=session.instruction, **values
        )
        messages: list[Message] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        request = ModelRequest(messages, role, schema=schema)
        try:
            # In a resumed trial, the session returns the recorded reply, and does not ask.
            replied = session.ask(self.model.complete, request)
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            session.notice(
                f"the model of the role {role} failed, and the trial goes on without it: {error}"
            )
            return {}
        return object_of(replied.reply) or {}


MAX_HELPER_WAIT_S: Final = 5.0
"""Seconds for which requests to a helper model are retried. The trial can go on without it."""


def with_short_retries(model: PatientModel) -> PatientModel:
    """Return the same model for helper requests: it retries failed ones for a shorter time."""
    retry = model.retry
    wait_s = min(MAX_HELPER_WAIT_S, retry.wait_s)
    return replace(model, retry=replace(retry, wait_s=wait_s))
