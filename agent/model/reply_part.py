"""The base class of the parts of a reply, which a user's own model creates.

A wrong call such as `Reply("yes")` is a mistake in the user's program, so its error should help
like one of Python: `Reply takes its values by name, and needs text. Its fields are ...`. pydantic
would raise a `ValidationError`, as for wrong data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from controlplane.sandbox.interface import bounds

# Base classes of immutable data. They differ in what they do with an unknown field.
#
# | class | for data | an unknown field |
# |---|---|---|
# | `Frozen` | of the product itself | raises `ValidationError` |
# | `Received` | that an outside program sends | is ignored |
#
# A third one, `ReplyPart`, is for data that a user's program creates.

Count: TypeAlias = Annotated[int, Field(ge=0, le=bounds.MOST_NUMBER)]
Amount: TypeAlias = Annotated[float, Field(ge=0, le=bounds.MOST_NUMBER)]


class Frozen(BaseModel):
    """Immutable data that accepts only its declared fields. Others raise `ValidationError`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Received(BaseModel):
    """Data that an outside program sends. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ReplyPart(Frozen):
    """Immutable data that a user's program creates: `Reply(text="yes")`."""

    def __init__(self, *values: object, **fields: Any) -> None:
        """Raise `TypeError` for positional values, and for unknown or missing fields."""
        model_fields = type(self).model_fields
        missing: list[str] = []
        for name, field_info in model_fields.items():
            if field_info.is_required() and name not in fields:
                missing.append(name)
        unknown = [name for name in fields if name not in model_fields]

        faults: list[str] = []
        if values:
            faults.append("takes its values by name")
        if missing:
            faults.append(f"needs {', '.join(missing)}")
        if unknown:
            faults.append(f"has no {', '.join(unknown)}")
        if faults:
            msg = (
                f"{type(self).__name__} {', and '.join(faults)}. "
                f"Its fields are {', '.join(model_fields)}"
            )
            raise TypeError(msg)
        super().__init__(**fields)

    # `model_validate` must not call this `__init__`: in data from files and endpoints, a wrong
    # field is not a mistake of the user's program. pydantic skips an `__init__` with this mark.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined] # set on a function


# The tools that a model may call, and its calls of them.
#
# The model is told of a tool by the JSON schema of its arguments, and calls it by its name:
#
#     Tool(name="read", description="Read a file.",
#          parameters=object_schema({"path": {"type": "string"}}))
#     ToolCall(name="read", arguments='{"path": "/docs/a.md"}', id="call_1")

TOOL_NAME: Final = "execute_script"
"""The tool that a model may call to return its action.

An action is the object `{state, plan, done, code}` with the script of one turn;
see `controlplane.agent.reply.reply`. A model that calls no tools writes the action
as the text of its reply."""


class ModelTool(ReplyPart):
    """A tool that a model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


class ToolCall(ReplyPart):
    """One tool call of a reply."""

    name: str
    """The tool's name, as the model wrote it."""
    arguments: str
    """The arguments as the model wrote them: JSON text, which may be invalid."""
    id: str = ""
    """The endpoint's id of the call, which the message with its result repeats; may be empty."""


def object_schema(
    properties: dict[str, dict[str, object]], required: Sequence[str] | None = None
) -> dict[str, object]:
    """Return the JSON schema of an object with these properties and no others.

    `required` names the properties that the object must have; by default, all of them.
    """
    names = list(properties) if required is None else list(required)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": names,
        "properties": properties,
    }


# The tokens of one request and its reply, by which the request is paid.
#
# A request of 1,000 tokens, of which the endpoint had 800 in its cache, with a reply of 50 tokens:
#
#     Usage(prompt_tokens=1000, cached_tokens=800, completion_tokens=50)


class Usage(ReplyPart):
    """Tokens of one request and its reply, as the endpoint counted them.

    A model without an endpoint, such as a scripted one, has none.
    """

    prompt_tokens: Count = 0
    """Tokens of the request."""
    completion_tokens: Count = 0
    """Tokens of the reply."""
    cached_tokens: Count = 0
    """Tokens of the request that came from a prompt cache."""
    reasoning_tokens: Count = 0
    """Tokens of the reply that are reasoning."""
    estimated: bool = False
    """True if the endpoint's count was missing or absurd. The tokens are then estimated from
    the bytes of the request and the reply."""

    def plus(self, other: Usage) -> Usage:
        """Return the sums of all counts, which are `estimated` if one of the two is."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            estimated=self.estimated or other.estimated,
        )
