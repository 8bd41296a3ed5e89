"""The form in which a model is asked for its action, such as a script to run.

A model writes it as JSON that fits a schema, as the arguments of a tool call, as any JSON, or as
text. Not every model succeeds in every form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypedDict

from controlplane.agent.model import TOOL_NAME, ModelTool, ReplyMode
from controlplane.agent.reply.action_call import SCHEMA


class RequestForm(TypedDict, total=False):
    """Those arguments of a `ModelRequest` that depend on the replies so far."""

    schema: Mapping[str, object] | None
    """The JSON schema of the reply; `{}` for any JSON, None for plain text."""
    tools: tuple[ModelTool, ...]
    tool_choice: str
    """The name of the tool that the model must call."""
    min_temperature: float
    """Set after a reply that repeats the one before (see `NextRequest`)."""


# The tool by which a model passes its script in the mode `TOOL`
_SCRIPT_TOOL: Final = ModelTool(
    name=TOOL_NAME, description="Run one Python script.", parameters=SCHEMA
)


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The form of a reply: its reply mode, and how the script is written in it."""

    mode: ReplyMode | None = None
    """How the model writes its action; None if the endpoint chooses."""
    is_fenced: bool = False
    """True if scripts are asked for in ```python fences."""

    @property
    def arguments(self) -> RequestForm:
        """The arguments of a request for a reply of this form."""
        match self.mode:
            case ReplyMode.TOOL:
                return {
                    "schema": SCHEMA,
                    "tools": (_SCRIPT_TOOL,),
                    "tool_choice": TOOL_NAME,
                }
            case ReplyMode.JSON:
                return {"schema": {}}  # any JSON
            case ReplyMode.TEXT:
                return {"schema": None}  # plain text
            case _:  # `SCHEMA`, or None
                return {"schema": SCHEMA}


DEFAULT_FORM: Final = ReplyForm()
