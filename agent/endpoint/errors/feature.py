"""A feature that some endpoints lack, such as tools or JSON schemas.

An entry of the file `errors.toml` says that an endpoint cannot be made to call a certain tool if
it refuses the parameter `tool_choice` of a request that demands one:

    [[features]]
    name = "takes_named_tool"
    modes = ["tool"]
    parameters = ["tool_choice"]
    tool_demand = "a certain tool"
    notice = "cannot be made to call a certain tool; asking for any call"
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from controlplane.agent.model import Frozen, ReplyMode

ToolDemand: TypeAlias = Literal["any tool", "a certain tool"]
"""A request may demand that the model calls some tool, or one that the request names."""


class Feature(Frozen):
    """A capability of endpoints, and the parameters whose refusal shows that it is missing."""

    name: str
    """A field of `Capabilities`."""
    modes: frozenset[ReplyMode]
    """The reply modes that use it, which are the ways to ask for a reply: as text, JSON or a call
    of a tool."""
    parameters: frozenset[str]
    """Parameters of a request, or parts of their names: if the endpoint refuses one, the feature is
    missing. The word `form` stands for a refused reply mode whose parameter the error does not
    name."""
    tool_demand: ToolDemand | None = None
    """What a request must have demanded, so that a refusal shows that this feature is missing. An
    endpoint that refuses `a certain tool` may take `any tool`. None if any request shows it."""
    notice: str
    """The notice for the user if the feature is missing: `takes no reply mode schema`."""
