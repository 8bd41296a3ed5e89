"""The lesson that an endpoint lacks a feature, such as tools or JSON schemas.

The features are listed in `errors.toml`, each with the parameters of a request that belong to
it. So the error `'tools' is not supported` means that the endpoint lacks the feature
`takes_tools`. Further requests then ask the model to reply in another way, such as JSON.
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.error_tables import Feature, error_tables
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.requests.offered_tools import REQUIRED
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

    A request uses schemas, for example, only if it asks the model to reply in the mode
    `schema`, and tools only in the mode `tool`.
    """
    if request.mode not in feature.modes:
        return False
    is_known_to_lack = not getattr(request.capabilities, feature.name)
    if is_known_to_lack:
        return False  # The request leaves it out.

    # A request may demand some tool (`required`), a certain one (an object with its name), or
    # none. To refuse one demand is not to refuse the other.
    tool_choice = request.body.get("tool_choice")
    demands_any_tool = tool_choice == REQUIRED
    demands_certain_tool = tool_choice is not None and not demands_any_tool
    if feature.name == "takes_required_tool":
        return demands_any_tool
    if feature.name == "takes_named_tool":
        return demands_certain_tool
    return True
