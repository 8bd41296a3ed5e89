"""Chooses the mode in which a model is asked for its reply: by a schema, as a tool call, as text.

The modes differ in how surely the reply has the wanted form, and not every endpoint accepts
the surest one. If an endpoint has refused schemas, the model is asked by a tool call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.model import Capabilities, ModelRequest, ReplyMode

MODES_FOR_SCHEMA: Final[Mapping[ReplyMode | None, Sequence[ReplyMode]]] = {
    None: (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT),
    ReplyMode.SCHEMA: (ReplyMode.SCHEMA, ReplyMode.JSON, ReplyMode.TEXT),
    ReplyMode.TOOL: (ReplyMode.TOOL,),
    ReplyMode.JSON: (ReplyMode.JSON, ReplyMode.TEXT),
    ReplyMode.TEXT: (ReplyMode.TEXT,),
}
"""The modes to try for a reply that fits a schema, by the mode that the user prefers.

A mode before the preferred one is not tried. Tools are tried only if the user prefers them or
has no preference. If the user prefers them, there is no other mode: if the endpoint refuses
tools, the user is told so."""


def best_mode(
    request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities
) -> ReplyMode:
    """Return the best reply mode for a request, among the modes that the endpoint has not refused.

    `preferred` is the user's setting; None if the user has not chosen a mode. If all modes
    are refused, return the last one: the endpoint's error then tells the user why.
    """
    modes = modes_to_try(request, preferred)
    for mode in modes:
        if is_accepted(mode, capabilities):
            return mode
    return modes[-1]


def modes_to_try(
    request: ModelRequest, preferred: ReplyMode | None
) -> Sequence[ReplyMode]:
    """Return the reply modes that suit a request and the user's setting, the best one first.

    A request may have tools to call, and a schema of the reply. Without a schema, only a tool
    call or only a text will do. An empty schema fits any JSON object.
    """
    if request.schema is None:
        return (ReplyMode.TOOL,) if request.tools else (ReplyMode.TEXT,)
    if request.tools:
        # If the endpoint has no tools, the model writes its calls as JSON.
        modes = (ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
        return from_preferred(modes, preferred)
    is_any_object = not request.schema
    if is_any_object:
        return from_preferred((ReplyMode.JSON, ReplyMode.TEXT), preferred)
    return MODES_FOR_SCHEMA[preferred]


def from_preferred(
    modes: Sequence[ReplyMode], preferred: ReplyMode | None
) -> Sequence[ReplyMode]:
    """Return the preferred mode and those after it; all modes if it is not among them."""
    if preferred in modes:
        return modes[modes.index(preferred) :]
    return modes


def is_accepted(mode: ReplyMode, capabilities: Capabilities) -> bool:
    """Return True unless the endpoint has refused a reply mode."""
    match mode:
        case ReplyMode.SCHEMA:
            return capabilities.takes_schema
        case ReplyMode.TOOL:
            return capabilities.takes_tools
        case ReplyMode.JSON:
            return capabilities.takes_json
        case ReplyMode.TEXT:
            return True
