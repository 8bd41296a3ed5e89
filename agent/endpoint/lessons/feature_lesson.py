"""What an error teaches about an endpoint: that it lacks a feature, such as tools or JSON schemas.

If a request with tools is refused with `'tools' is not supported`, the endpoint lacks the feature
`takes_tools`. Without this lesson, each later request would be refused, too. With it, they ask the
model to reply in another way, such as JSON. `errors.toml` lists the parameters of each feature.
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.error_tables import error_tables
from controlplane.agent.endpoint.errors.feature import Feature, ToolDemand
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.requests.tool_choice import REQUIRED
from controlplane.agent.endpoint.requests.written_request import WrittenRequest


def lesson_about_feature(name: RefusedName, request: WrittenRequest) -> Lesson | None:
    """Return the lesson about the first feature that the request uses, and the error names.

    `name.parts` has the parameter that the error names: `tools`.
    """
    for feature in error_tables().features:
        names_in_error = name.parts & feature.parameters
        if names_in_error and uses_feature(request, feature):
            # The feature `takes_tools` is the field `takes_tools` of the capabilities.
            changed = request.capabilities.model_copy(update={feature.name: False})
            return Lesson(changed, feature.notice)
    return None


def uses_feature(request: WrittenRequest, feature: Feature) -> bool:
    """Return True if a request uses a feature.

    A request in the reply mode `tool`, with `"tool_choice": "required"`, uses `takes_tools` and
    `takes_required_tool`, but not `takes_schema`, which is a feature of the mode `schema`.
    """
    if request.mode not in feature.modes:
        return False
    was_refused_before = not getattr(request.capabilities, feature.name)
    if was_refused_before:
        return False
    if feature.tool_demand is None:  # All requests in these modes use it.
        return True
    return feature.tool_demand == tool_demand_of(request)


def tool_demand_of(request: WrittenRequest) -> ToolDemand | None:
    """Return which tool a request demands that the model calls; None if it demands none.

    | `tool_choice` of the request | demand |
    |---|---|
    | `"required"` | any tool |
    | `{"type": "function", "name": "read"}` | a certain tool |
    | not sent | None |
    """
    tool_choice = request.body.get("tool_choice")
    if tool_choice is None:
        return None
    return "any tool" if tool_choice == REQUIRED else "a certain tool"
