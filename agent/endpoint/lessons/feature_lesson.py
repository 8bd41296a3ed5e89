"""The lesson that an endpoint lacks a feature, such as tools or JSON schemas.

The error `'tools' is not supported` shows that the endpoint lacks the feature `takes_tools`. The
next requests then ask the model to reply in another way, such as JSON. The file `errors.toml`
lists the features, each with the parameters that belong to it.
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.error_tables import Feature, error_tables
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
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
    """Return True if a request uses a feature: schemas, only if it asks for replies by a schema.

    A feature that the endpoint is known to lack is left out of requests.
    """
    if request.mode not in feature.modes:
        return False
    is_known_to_lack = not getattr(request.capabilities, feature.name)
    if is_known_to_lack:
        return False
    return feature.tool_demand in (None, request.tool_demand)
