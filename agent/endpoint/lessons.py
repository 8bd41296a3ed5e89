"""Finds out from a refused request which part of it an endpoint does not support.

Compatible endpoints support different parts of OpenAI's protocol. If an error
names a part of the request, such as `'response_format' is not supported`,
`lesson_of` returns the capabilities of the endpoint without that part. The request
can then be sent again without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.errors.error_meaning import meaning_of
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.error_tables import (
    UNKNOWN,
    UNKNOWN_MODEL,
    Feature,
    error_tables,
)
from controlplane.agent.endpoint.errors.refused_parameters import refused_parameters
from controlplane.agent.endpoint.requests.request_form import RequestForm
from controlplane.agent.model import Capabilities

UNSUPPORTED_PHRASES: Final = (
    "unsupported",
    "not support",
    "not permitted",
    "unexpected keyword",
    "unknown name",
    "unrecognized",
)
"""Lower-case phrases that say that a parameter is unknown.

Without them, its value may be wrong: `max_tokens must be at most 4096`. Another name
would not help there."""

OLD_LENGTH_FIELD: Final = "max_tokens"
NEW_LENGTH_FIELD: Final = "max_completion_tokens"
"""OpenAI's newer models take this parameter instead of the old one."""

ALWAYS_SENT: Final = frozenset(
    {"model", "messages", "input", "tools", "tool_choice", "response_format", "text"}
)
"""Parameters that are never left out. Some of them change if another reply mode is used."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one refusal shows about an endpoint."""

    capabilities: Capabilities
    """The capabilities of the endpoint, without the refused part."""
    notice: str
    """For the user, after the endpoint's name: `takes no seed; leaving it out from here on`."""


def lesson_of(refusal: ErrorReply, form: RequestForm) -> Lesson | None:
    """Return what the refusal of a request shows.

    None if it names no part of the request that can be left out.
    """
    if not may_refuse_parameter(refusal):
        return None
    for name in refused_parameters(refusal):
        name_parts = parts_of_name(name)
        lesson = (
            lesson_about_length(refusal, name_parts, form)
            or lesson_about_feature(name_parts, form)
            or lesson_about_parameter(name_parts, form)
        )
        if lesson is not None:
            return lesson
    return None


def may_refuse_parameter(refusal: ErrorReply) -> bool:
    """Return True if an error may be about a parameter of the request.

    Other errors, such as a too long conversation,
    may list parameters without refusing them.
    """
    meaning = meaning_of(refusal).name
    if meaning == UNKNOWN:
        return True
    # Gateways also answer 404 if no provider of the model accepts the parameters.
    if meaning == UNKNOWN_MODEL:
        return True
    # Some servers fail with 500 at a parameter that they don't know. `refused_parameters` then
    # only accepts known phrases.
    return refusal.status == 500


def lesson_about_length(
    refusal: ErrorReply, name_parts: frozenset[str], form: RequestForm
) -> Lesson | None:
    """Return the lesson if the parameter that limits the reply's length is refused.

    If it is the old parameter, the new one is tried next. If that is refused, too,
    requests have no limit.
    """
    length_field = form.capabilities.length_field
    is_sent = length_field in form.body
    if not is_sent or not refuses_length(refusal, name_parts, length_field):
        return None
    if length_field == OLD_LENGTH_FIELD:
        new_field = NEW_LENGTH_FIELD
        consequence = f"sending {new_field} from here on"
    else:
        new_field = ""
        consequence = "its replies have no bound from here on"
    changed = form.capabilities.model_copy(update={"length_field": new_field})
    return Lesson(changed, f"takes no {length_field}; {consequence}")


def refuses_length(
    refusal: ErrorReply, name_parts: frozenset[str], length_field: str
) -> bool:
    """Return True if an error refuses the parameter that limits the reply's length.

    An error about the old parameter may only offer the new one: `Use
    'max_completion_tokens' instead.`
    """
    if length_field == OLD_LENGTH_FIELD:
        is_named = length_field in name_parts or NEW_LENGTH_FIELD in name_parts
        offers_new_field = NEW_LENGTH_FIELD in refused_parameters(refusal)
        return is_named and (offers_new_field or says_unsupported(refusal))
    return length_field in name_parts and says_unsupported(refusal)


def says_unsupported(refusal: ErrorReply) -> bool:
    """Return True if an error says that a parameter is unknown, not that its value is wrong."""
    if "unsupported_parameter" in refusal.contents.codes:
        return True
    text = refusal.contents.text.lower()
    return any(phrase in text for phrase in UNSUPPORTED_PHRASES)


def lesson_about_feature(
    name_parts: frozenset[str], form: RequestForm
) -> Lesson | None:
    """Return the lesson if a refused name belongs to a feature, such as tools.

    Only a feature that the request uses can be why it was refused.
    """
    for feature in error_tables().features:
        if name_parts & feature.parameters and uses_feature(form, feature):
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


def lesson_about_parameter(
    name_parts: frozenset[str], form: RequestForm
) -> Lesson | None:
    """Return the lesson if a refused name means a parameter that a request can do without."""
    capabilities = form.capabilities
    for parameter in form.body:
        is_needed = parameter in ALWAYS_SENT or parameter == capabilities.length_field
        if not is_needed and means_parameter(parameter, name_parts):
            refused = (*capabilities.refused, parameter)
            changed = capabilities.model_copy(update={"refused": refused})
            return Lesson(changed, f"takes no {parameter}; leaving it out from here on")
    return None


def means_parameter(parameter: str, name_parts: frozenset[str]) -> bool:
    """Return True if a name in an error means this parameter of the request.

    Errors about `reasoning_effort` also call it `reasoning`.
    """
    shorter = parameter.removesuffix("_effort")
    return parameter in name_parts or shorter in name_parts


def parts_of_name(name: str) -> frozenset[str]:
    """Return a name and its parts: `text.format -> {"text.format", "text", "format"}`."""
    dotted = name
    for separator in "/[]":
        dotted = dotted.replace(separator, ".")
    parts = {name}
    for part in dotted.split("."):
        if part:
            parts.add(part)
    return frozenset(parts)
