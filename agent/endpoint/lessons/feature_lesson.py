"""The lesson that an endpoint lacks a feature, such as tools or JSON schemas.

The error `'tools' is not supported` shows that the endpoint lacks the feature `takes_tools`. The
next requests then ask the model to reply in another way, such as JSON. The file `errors.toml`
lists the features, each with the parameters that belong to it.
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.error_tables import error_tables
from controlplane.agent.endpoint.errors.feature import Feature, ToolDemand
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.requests.tool_choice import REQUIRED
from controlplane.agent.endpoint.requests.written_request import WrittenRequest


def lesson_about_feature(name: RefusedName, request: WrittenRequest) -> Lesson | None:
    """Return the lesson if a refused name belongs to a feature that the request uses.

    Another feature cannot be the reason why the request was refused.
    """
    for feature in error_tables().features:
        is_named = not name.parts.isdisjoint(feature.parameters)
        if is_named and uses_feature(request, feature):
            # The feature `takes_tools` is the field `takes_tools` of the capabilities.
            changed = request.capabilities.model_copy(update={feature.name: False})
            return Lesson(changed, feature.notice)
    return None


def uses_feature(request: WrittenRequest, feature: Feature) -> bool:
    """Return True if a request uses a feature.

    It does if the feature belongs to its reply mode, and to the tool that it demands, if the
    feature is about one.

    | request | uses |
    |---|---|
    | in the reply mode `schema` | `takes_schema` |
    | in the mode `tool`, with `"tool_choice": "required"` | `takes_tools`, `takes_required_tool` |
    | any, to an endpoint that has refused schemas before | not `takes_schema` |
    """
    if request.mode not in feature.modes:
        return False
    was_refused_before = not getattr(request.capabilities, feature.name)
    if was_refused_before:
        return False
    if feature.tool_demand is None:
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
