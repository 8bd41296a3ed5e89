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
from dataclasses import dataclass
from typing import Any, Final

from controlplane.agent.exoskeleton.tools import described_fields
from controlplane.agent.loop.prompts import Prompts
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.model import (
    Abandoned,
    Message,
    Model,
    ModelError,
    ModelRequest,
    OutOfBudget,
    ToolCall,
)
from controlplane.agent.reply.objects import objects_in, read_object
from controlplane.agent.reply.unusable_reply import without_thoughts
from controlplane.sandbox.interface import bounds

# The JSON objects in texts of a model, which may have other text around them.
#
# | text | object |
# |---|---|
# | `{"path": "/docs/a.md"}` | `{"path": "/docs/a.md"}` |
# | `<think>{"path": "/x"}</think> Sure: {"path": "/docs/a.md"}` | the same: thinking is left out |


def objects_of(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in a reply that are not empty, except those in its thinking."""
    answer = without_thoughts(text[: bounds.MOST_PARSED_CHARS])
    return [written.fields for written in objects_in(answer) if written.fields]


def _object_of(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in a model's text; None if it has none."""
    objects = objects_of(text)
    return objects[0] if objects else None


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call by name. Raises `TypeError` if they are not a JSON object.

    The text should be an object: `{"path": "/docs/a.md"}`. Some models write something around
    it, such as a code fence; then the first object in the text counts.
    """
    arguments = read_object(call.arguments or "{}")
    if arguments is None:
        arguments = _object_of(call.arguments)
    if arguments is None:
        msg = f"its arguments are no JSON object: {call.arguments[:80]}"
        raise TypeError(msg)
    return arguments


_MAX_HELPER_WAIT_S: Final = 5.0
"""Seconds for which requests to a helper model are retried. The trial can go on without it."""


@dataclass(frozen=True, slots=True)
class HelperModel:
    """Asks a trial's small models, one for each role.

    Both methods return the JSON object in a model's reply, which should fit the schema. It is
    empty if the reply has none, or if the model fails: the trial goes on without it. Both raise
    `OutOfBudget` if the run may not spend more, and `Abandoned` if the trial was told to stop.
    """

    model: Model
    """Gets the requests. Which of the user's models replies depends on the role."""
    session: TrialSession
    """Sends them, and writes them to the journal."""
    prompts: Prompts
    """The texts of the messages."""

    def check_draft(self, schema: Mapping[str, object], text: str) -> dict[str, Any]:
        """Ask about the draft of an answer, for example if it says what was asked for."""
        return self.ask("check_draft", "format_request", schema, message=text)

    def ask(
        self, role: str, user_prompt: str, schema: Mapping[str, object], **texts: str
    ) -> dict[str, Any]:
        """Ask the model of a role, and return its reply.

        `role` is also the name of the prompt for the system message, and `user_prompt` that of the
        prompt for the user message, which shows the user's request: `classify_request` shows only
        this, `format_request` the message, too. The `texts` fill holes of both prompts, such as
        `{{message}}`.
        """
        fields = described_fields(schema)  # fills the hole `{{fields}}`
        system = self.prompts.filled(role, fields=fields, **texts)
        instruction = self.session.instruction
        user = self.prompts.filled(user_prompt, instruction=instruction, **texts)
        messages: list[Message] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        request = ModelRequest(messages, role, schema=schema)
        try:
            # In a resumed trial, the session returns the recorded reply, and does not ask.
            replied = self.session.ask(
                self.model.reply_to, request, longest_wait_s=_MAX_HELPER_WAIT_S
            )
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            self.session.notice(
                f"the model of the role {role} failed, and the trial goes on without it: {error}"
            )
            return {}
        return _object_of(replied.reply) or {}
