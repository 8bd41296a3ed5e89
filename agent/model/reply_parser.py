"""Turns a model's text into the one action a turn can hold: strict first, then salvages that need no other call."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator

from agent.model.model_protocol import Reply
from agent.model.object_finder import Garbled, first_with_code

TOOL_NAME: Final = "execute_script"
"""The single tool whose arguments are the action, where the endpoint is asked for tool calls."""

SCHEMA: Final[dict[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["state", "plan", "done", "code"],
    "properties": {
        "state": {"type": "string"},
        "plan": {"type": "array", "items": {"type": "string"}},
        "done": {"type": "boolean"},
        "code": {"type": "string"},
    },
}
"""JSON schema of an action, for endpoints that constrain their output; without lengths, which strict modes refuse."""


class Action(BaseModel):
    """What one turn of a model says: where it stands, what remains, whether it thinks it is done, and what to run."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: str = Field("", validation_alias=AliasChoices("state", "current_state"))
    plan: tuple[str, ...] = Field((), validation_alias=AliasChoices("plan", "plan_remaining_steps_brief"))
    done: bool = Field(False, validation_alias=AliasChoices("done", "task_completed"))
    code: str = Field(min_length=1)

    @field_validator("plan", mode="before")
    @classmethod
    def plan_as_list(cls, value: object) -> object:
        """Take a plan in any form for a list of lines; a plan is advisory and never worth a lost turn."""
        if value is None:
            return ()
        if isinstance(value, str):
            return [line.strip() for line in value.splitlines() if line.strip()][:5]
        # A reply in Python's spelling can hold what JSON cannot.
        return [str(each) for each in (value if isinstance(value, list | tuple) else [value])][:5]


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply that holds no action, with what to tell the model."""

    reason: str


def tool_arguments(reply: Reply) -> str | None:
    """Return the arguments of the tool call that carries the action; None if the reply's text does."""
    return next((each.arguments for each in reply.tool_calls if each.name == TOOL_NAME), None)


def action_of(text: str, finish_reason: str = "stop") -> Action | Unusable:
    """Return the action in `text`: JSON as asked, else the first object with `code` in it, in whatever spelling.

    A reply cut off by its length is never salvaged, and never executed.
    """
    if finish_reason == "length":
        return Unusable(
            "The reply was cut off at the output limit, so nothing of it was run. Reply again, shorter: do less in "
            "this step, keep state and plan brief."
        )
    if not text.strip():
        return Unusable("The reply was empty. Reply with one JSON object {state, plan, done, code}.")
    found: dict[str, object] | Garbled | None = _strict(text)
    if found is None:
        found = first_with_code(text)
    if isinstance(found, Garbled):
        return Unusable(
            "The reply's first object {state, plan, done, code} is neither JSON nor whole, so nothing was run. Reply "
            "with that object alone, as JSON, quotes and newlines inside its strings escaped."
        )
    if found is None:
        return Unusable("The reply holds no JSON object {state, plan, done, code}. Reply with that object alone.")
    try:
        return Action.model_validate(found)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        return Unusable(f"The reply's JSON does not fit {{state, plan, done, code}}: {faults}.")


def _strict(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
