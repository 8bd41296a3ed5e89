"""Chooses the mode in which a model is asked for its reply: by a schema, as a tool call, as text.

The modes differ in how surely the reply has the wanted form, and not every endpoint accepts
the surest one.
"""

from __future__ import annotations

from controlplane.agent.model import Capabilities, ModelRequest, ReplyMode


def best_mode(
    request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities
) -> ReplyMode:
    """Return the best reply mode for a request, among the modes that the endpoint has not refused.

    Modes before the preferred one are not tried. If all modes are refused, return the last
    one: the endpoint's error then tells the user why.
    """
    modes = suitable_modes(request, preferred)
    if preferred in modes:
        modes = modes[modes.index(preferred) :]
    for mode in modes:
        if is_accepted(mode, capabilities):
            return mode
    return modes[-1]


def suitable_modes(
    request: ModelRequest, preferred: ReplyMode | None
) -> list[ReplyMode]:
    """Return the reply modes that suit a request, the best one first.

    A request may have tools to call, and a schema for a reply in JSON. An empty schema fits
    any JSON object.

    If the user prefers tools, there is no other mode:
    if tools are refused, the user is told so.
    """
    # 1. Only a call, or only a text, will do.
    if request.schema is None:
        return [ReplyMode.TOOL if request.tools else ReplyMode.TEXT]
    # 2. Calls. Without tools at the endpoint, the model writes them as JSON.
    if request.tools:
        return [ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT]
    # 3. JSON.
    is_any_object = not request.schema
    if is_any_object:
        return [ReplyMode.JSON, ReplyMode.TEXT]
    if preferred is ReplyMode.TOOL:
        return [ReplyMode.TOOL]
    if preferred is ReplyMode.SCHEMA:
        return [ReplyMode.SCHEMA, ReplyMode.JSON, ReplyMode.TEXT]
    return [ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT]


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
