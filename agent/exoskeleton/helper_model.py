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

    Each method returns the JSON object in a model's reply, which should fit the schema. It is
    empty if the reply has none, or if the model fails: the trial goes on without it. All raise
    `OutOfBudget` if the run may not spend more, and `Abandoned` if the trial was told to stop.
    """

    model: PatientModel
    """Sends the requests. Which model gets one depends on its role."""
    prompts: Prompts
    """The texts of the messages: for each role, one for the system message."""

    def classify(self, schema: Mapping[str, object]) -> dict[str, Any]:
        """Ask what the user's request is about."""
        return self._ask("classify", schema, "classify_request")

    def check_draft(self, schema: Mapping[str, object], text: str) -> dict[str, Any]:
        """Ask about the draft of an answer, for example if it says what was asked for."""
        return self._ask("check_draft", schema, "format_request", message=text)

    def format(
        self, schema: Mapping[str, object], message: str, rules: str
    ) -> dict[str, Any]:
        """Ask for the message in the form that the rules and the user's request ask for."""
        return self._ask(
            "format", schema, "format_request", message=message, rules=rules
        )

    def _ask(
        self,
        role: str,
        schema: Mapping[str, object],
        request_prompt: str,
        **values: str,
    ) -> dict[str, Any]:
        """Send one request, and return the JSON object in the reply; empty if there is none.

        `role` chooses the model, and is the name of the prompt for the system message.
        `request_prompt` is that of the prompt for the user message. `values` fill the holes of
        both: `message="There are 12 loans."` fills `{{message}}`.
        """
        session = self.model.session
        # The system message lists the fields of the wanted reply in the hole `{{fields}}`.
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
    patience_s = min(MAX_HELPER_WAIT_S, retry.patience_s)
    return replace(model, retry=replace(retry, patience_s=patience_s))
