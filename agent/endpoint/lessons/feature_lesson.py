"""The lesson that an endpoint lacks a feature, such as tools or JSON schemas.

A feature belongs to some reply modes, the ways in which a model is asked to reply: by a
schema, by a tool call, as JSON or as text. Tools, for example, are used only in one mode.
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.error_tables import Feature, error_tables
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.requests.request_form import RequestForm


def lesson_about_feature(name: RefusedName, form: RequestForm) -> Lesson | None:
    """Return the lesson if a refused name belongs to a feature, such as tools.

    Only a feature that the request uses can be why it was refused.
    """
    for feature in error_tables().features:
        if name.parts & feature.parameters and uses_feature(form, feature):
            # A feature is named like the field of `Capabilities` that says if it is accepted.
            changed = form.capabilities.model_copy(update={feature.name: False})
            return Lesson(changed, feature.notice)
    return None


def uses_feature(form: RequestForm, feature: Feature) -> bool:
    """Return True if a request uses a feature, such as JSON schemas."""
    if form.mode not in feature.modes:
        return False
    # What the request says about tools: nothing (None), that the reply must call some tool
    # (`required`), or that it must call a certain one.
    tool_choice = form.body.get("tool_choice")
    if feature.name == "takes_required_tool" and tool_choice != "required":
        return False
    if feature.name == "takes_named_tool" and tool_choice in (None, "required"):
        return False
    # The request leaves out a feature that the endpoint is known to lack.
    return bool(getattr(form.capabilities, feature.name))
