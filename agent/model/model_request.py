"""A request to a model: the conversation, and the form of the reply.

| form of the reply | fields |
|---|---|
| free text | none |
| JSON | `schema={"properties": {"state": ..., "code": ...}, ...}` |
| calls of tools | `tools=(Tool(name="read", ...),)`, `tool_choice="required"` |
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.model.messages import Message
from controlplane.agent.model.tool import Tool


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model. The trial's session fills in the fields from `task_id` on."""

    messages: Sequence[Message]
    role: str = "solve"
    """What the reply is for, such as `solve` for the next step of a solver,
    or `grade` for a grader. The settings may name a model for each role
    (`--role ROLE=PROFILE`)."""
    schema: Mapping[str, object] | None = None
    """The JSON schema of the reply's text; `{}` for any JSON object, None for plain text."""
    tools: Sequence[Tool] = ()
    """The tools that the model may call."""
    tool_choice: str | None = None
    """The tool to call: None for the model's own choice,
    `required` for any tool, or a tool's name."""
    min_temperature: float | None = None
    """The lowest allowed temperature, even if the
    settings are lower; None for the settings' own."""
    task_id: str = ""
    """The id of the asking trial's task; empty outside of a trial."""
    trial_id: str = ""
    """The id of the asking trial; empty outside of a trial."""
    try_number: int = 1
    """The number of the asking trial among those of its task,
    from 1. A cache keeps separate replies for each number."""
    deadline: float = math.inf
    """The end of the trial's time, by `time.monotonic`.
    A request still open at that moment is cut off."""
    permit: ReplyPermit | None = None
    """Allows one reply to this request; None outside of a session."""


@dataclass(slots=True)
class ReplyPermit:
    """Allows one reply to a request of a trial: `use()` is True once, and False from then on.

    The session of a trial counts one reply for each request, and gives the request a permit.
    Whatever sends the request uses the permit first, and sends nothing if that is False. So a
    solver that keeps a request cannot get a second reply, which nobody would count.
    """

    is_used: bool = False

    def use(self) -> bool:
        """Use the permit. Return False if it was used before."""
        was_used = self.is_used
        self.is_used = True
        return not was_used
