"""Finds out from a refused request which part of it an endpoint does not support.

Compatible endpoints support different parts of OpenAI's protocol. If an error names a part of the
request, such as `'response_format' is not supported`, `lesson_of` returns the capabilities of the
endpoint without that part. The request can then be sent again without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.error_reply import ErrorReply, Feature, error_tables
from controlplane.agent.model import Capabilities, ReplyMode

UNSUPPORTED_PHRASES: Final = (
    "unsupported",
    "not support",
    "not permitted",
    "unexpected keyword",
    "unknown name",
    "unrecognized",
)
"""Lower-case phrases that say that a parameter is unknown.

Other errors say that a value is wrong, such as `max_tokens must be at most 4096`. Renaming the
parameter would not help there."""

ALWAYS_SENT: Final = frozenset(
    {"model", "messages", "input", "tools", "tool_choice", "response_format", "text"}
)
"""Parameters that cannot simply be left out. Some of them depend on the fields of
`Capabilities`."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one refusal shows about an endpoint."""

    capabilities: Capabilities
    """The capabilities of the endpoint, without the refused part."""
    notice: str
    """The notice for the user, to follow the endpoint's name."""


def lesson_of(
    refusal: ErrorReply, body: Mapping[str, object], mode: ReplyMode, capabilities: Capabilities
) -> Lesson | None:
    """Return what a refusal shows; None if it names no part of the request that can be left out.

    Args:
        refusal: The endpoint's error.
        body: The request that was refused.
        mode: The reply mode of that request.
        capabilities: The known capabilities of the endpoint when the request was sent.
    """
    if not may_refuse_parameter(refusal):
        return None
    refused_names = refusal.refused_parameters()
    features = features_in_use(body, mode, capabilities)
    for name in refused_names:
        name_parts = parts_of_name(name)
        lesson = lesson_about_length(refusal, refused_names, name_parts, body, capabilities)
        if lesson is not None:
            return lesson
        for feature in features:
            if name_parts & feature.parameters:
                without_feature = capabilities.model_copy(update={feature.name: False})
                return Lesson(without_feature, feature.notice)
        for parameter in body:
            is_needed = parameter in ALWAYS_SENT or parameter == capabilities.length_field
            if not is_needed and is_named(parameter, name_parts):
                refused = (*capabilities.refused, parameter)
                without_parameter = capabilities.model_copy(update={"refused": refused})
                notice = f"takes no {parameter}; leaving it out from here on"
                return Lesson(without_parameter, notice)
    return None


def may_refuse_parameter(refusal: ErrorReply) -> bool:
    """Return True if an error may be about a parameter of the request.

    An error with a known meaning, such as a conversation that is too long, may list parameters
    without refusing them. There are two exceptions. Gateways answer 404, as for an unknown model,
    if no provider of the model accepts the parameters. And a server error (500) may contain a
    vendor's known phrase.
    """
    return refusal.meaning.name in ("unknown", "model") or refusal.status == 500


def lesson_about_length(
    refusal: ErrorReply,
    refused_names: list[str],
    name_parts: frozenset[str],
    body: Mapping[str, object],
    capabilities: Capabilities,
) -> Lesson | None:
    """Return the lesson if the parameter that limits the reply's length is refused; else None.

    OpenAI's newer models take `max_completion_tokens` instead of `max_tokens`, so that name is
    tried before the limit is dropped.
    """
    field_name = capabilities.length_field
    replacement = ""
    if field_name == "max_tokens":
        replacement = "max_completion_tokens"
    is_about_length = field_name in name_parts or (replacement and replacement in name_parts)
    if field_name not in body or not is_about_length:
        return None
    is_replacement_offered = replacement in refused_names
    if not is_replacement_offered and not says_unsupported(refusal):
        return None

    notice = f"takes no {field_name}; "
    if replacement:
        notice += f"sending {replacement} from here on"
    else:
        notice += "its replies have no bound from here on"
    return Lesson(capabilities.model_copy(update={"length_field": replacement}), notice)


def says_unsupported(refusal: ErrorReply) -> bool:
    """Return True if an error says that a parameter is unknown, not that its value is wrong."""
    if "unsupported_parameter" in refusal.codes:
        return True
    text = refusal.text.lower()
    return any(phrase in text for phrase in UNSUPPORTED_PHRASES)


def features_in_use(
    body: Mapping[str, object], mode: ReplyMode, capabilities: Capabilities
) -> list[Feature]:
    """Return the features that a request used. Only these can be the cause of its refusal."""
    tool_choice = body.get("tool_choice")
    names_tool = tool_choice not in (None, "required")
    requires_tool = tool_choice == "required"

    features = []
    for feature in error_tables().feature:
        is_used = mode in feature.modes and getattr(capabilities, feature.name)
        if feature.name == "takes_named_tool" and not names_tool:
            is_used = False
        if feature.name == "takes_required_tool" and not requires_tool:
            is_used = False
        if is_used:
            features.append(feature)
    return features


def is_named(parameter: str, name_parts: frozenset[str]) -> bool:
    """Return True if a name in an error means this parameter of the request.

    Errors about `reasoning_effort` also call it `reasoning`.
    """
    return parameter in name_parts or parameter.removesuffix("_effort") in name_parts


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
