"""The form in which a model is asked for its action: JSON, a tool call, or text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypedDict

from controlplane.agent.model import TOOL_NAME, ReplyMode, Tool
from controlplane.agent.reply.action import SCHEMA


class RequestForm(TypedDict, total=False):
    """The arguments of a `ModelRequest` that set the form of the reply."""

    schema: Mapping[str, object] | None
    tools: tuple[Tool, ...]
    tool_choice: str
    min_temperature: float


SCRIPT_TOOL: Final = Tool(
    name=TOOL_NAME, description="Run one Python script.", parameters=SCHEMA
)

MODES: Final = (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
"""The reply modes in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The form of a reply."""

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
                    "tools": (SCRIPT_TOOL,),
                    "tool_choice": TOOL_NAME,
                }
            case ReplyMode.JSON:
                return {"schema": {}}
            case ReplyMode.TEXT:
                return {"schema": None}
            case _:
                return {"schema": SCHEMA}


DEFAULT_FORM: Final = ReplyForm()


def mode_after(mode: str) -> ReplyMode | None:
    """Return the reply mode to try after `mode`; None after the last or an unknown one."""
    if mode not in MODES or mode == MODES[-1]:
        return None
    return MODES[MODES.index(ReplyMode(mode)) + 1]
