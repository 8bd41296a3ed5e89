"""Asks the small models that help the main model of a trial.

The user chooses a model for each of these roles:

| role | is asked | replies, for example |
|---|---|---|
| `classify` | what "Renew loan l-12" is about | `{"change": true}` |
| `check_draft` | if the draft "Renewed." says what was asked for | `{"complete": true}` |
| `format` | for "There are 12 loans." as a number only | `{"message": "12"}` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from controlplane.agent.exoskeleton.helper_request import HelperRequest
from controlplane.agent.loop.patient_model import PatientModel
from controlplane.agent.loop.prompt_texts import Prompts

MAX_HELPER_WAIT_S: Final = 5.0
"""Seconds for which requests to a helper model are retried. The trial can go on without it."""


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
    """The texts of the messages."""

    @classmethod
    def beside(cls, main_model: PatientModel, prompts: Prompts) -> HelperModel:
        """Return the helper of a trial. Its failed requests are retried for a shorter time."""
        patience_s = min(MAX_HELPER_WAIT_S, main_model.retry.patience_s)
        short_retry = replace(main_model.retry, patience_s=patience_s)
        return cls(replace(main_model, retry=short_retry), prompts)

    def classify(self, schema: Mapping[str, object]) -> dict[str, Any]:
        """Ask what the user's request is about."""
        return self._ask("classify", "classify_request", schema)

    def check_draft(self, schema: Mapping[str, object], text: str) -> dict[str, Any]:
        """Ask about the draft of an answer, for example if it says what was asked for."""
        return self._ask("check_draft", "format_request", schema, message=text)

    def format(
        self, schema: Mapping[str, object], message: str, rules: str
    ) -> dict[str, Any]:
        """Ask for the message in the form that the rules and the user's request ask for."""
        return self._ask(
            "format", "format_request", schema, message=message, rules=rules
        )

    def _ask(
        self, role: str, user_prompt: str, schema: Mapping[str, object], **texts: str
    ) -> dict[str, Any]:
        """Ask the model of a role, and return its reply.

        `user_prompt` is the name of the prompt for the user message, which shows the user's
        request: `classify_request` shows only this, `format_request` the message, too. The `texts`
        fill holes of the prompts, such as `{{message}}`.
        """
        request = HelperRequest(role, user_prompt, schema, texts)
        return request.send(self.model, self.prompts)
