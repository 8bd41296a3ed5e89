"""Chooses the mode in which a model is asked for its reply: by a schema, as a tool call, as text.

The modes differ in how surely the reply has the wanted form, and not every endpoint accepts
the surest one. If an endpoint has refused schemas, the model is asked by a tool call.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.model import Capabilities, ModelRequest, ReplyMode


def best_mode(
    request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities
) -> ReplyMode:
    """Return the best reply mode for a request, among the modes that the endpoint has not refused.

    `preferred` is the user's setting; None if the user has not chosen a mode. If all modes
    are refused, return the last one: the endpoint's error then tells the user why.
    """
    modes = modes_to_try(request, preferred)
    for mode in modes:
        if capabilities.takes_mode(mode):
            return mode
    return modes[-1]


def modes_to_try(
    request: ModelRequest, preferred: ReplyMode | None
) -> Sequence[ReplyMode]:
    """Return the reply modes that suit a request, the best one first.

    | the request has | the user prefers | modes |
    |---|---|---|
    | no schema of the reply, and no tools | any | text |
    | no schema, but tools to call | any | tool |
    | a schema, and tools to call | nothing | tool, json, text |
    | the schema `{}`, which fits any JSON object | nothing | json, text |
    | any other schema | nothing | schema, tool, json, text |
    | the same | tool | tool |
    | the same | another mode | schema, json, text |

    In the rows with several modes, those before the `preferred` one are left out.
    """
    if request.schema is None:
        return (ReplyMode.TOOL,) if request.tools else (ReplyMode.TEXT,)
    if request.tools:
        # If the endpoint has no tools, the model writes its calls as JSON.
        modes = (ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
        return from_preferred(modes, preferred)
    if not request.schema:
        return from_preferred((ReplyMode.JSON, ReplyMode.TEXT), preferred)

    if preferred is None:
        return (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
    if preferred is ReplyMode.TOOL:
        return (ReplyMode.TOOL,)  # If the endpoint refuses tools, the user is told so.
    modes = (ReplyMode.SCHEMA, ReplyMode.JSON, ReplyMode.TEXT)
    return from_preferred(modes, preferred)


def from_preferred(
    modes: Sequence[ReplyMode], preferred: ReplyMode | None
) -> Sequence[ReplyMode]:
    """Return the preferred mode and those after it; all modes if it is not among them."""
    if preferred in modes:
        return modes[modes.index(preferred) :]
    return modes
