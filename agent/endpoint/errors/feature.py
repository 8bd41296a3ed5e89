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
    """The reply modes that use it."""
    parameters: frozenset[str]
    """Parameters of a request, or parts of their names. `form` stands for the parameter
    that asks for the reply mode, because some errors refuse it without naming it."""
    tool_demand: ToolDemand | None = None
    """The demand of a request that uses the feature. To refuse one demand is not to refuse the
    other. None if the feature is not about one."""
    notice: str
    """The notice for the user if the feature is missing: `takes no reply mode schema`."""
