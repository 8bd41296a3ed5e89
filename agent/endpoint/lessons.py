"""Finds out from a refused request which part of it an endpoint does not support.

Compatible endpoints support different parts of OpenAI's protocol. If an error
names a part of the request, such as `'response_format' is not supported`,
`lesson_of` returns the capabilities of the endpoint without that part. The request
can then be sent again without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.error_reply import (
    UNKNOWN,
    UNKNOWN_MODEL,
    ErrorReply,
    Feature,
    error_tables,
)
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


def lesson_of(
    refusal: ErrorReply,
    body: Mapping[str, object],
    mode: ReplyMode,
    capabilities: Capabilities,
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
    features = features_in_use(body, mode, capabilities)
    for name in refusal.refused_parameters():
        parts = parts_of_name(name)
        lesson = None
        if capabilities.length_field in body:
            lesson = lesson_about_length(refusal, parts, capabilities)
        if lesson is None:
            lesson = lesson_about_feature(parts, features, capabilities)
        if lesson is None:
            lesson = lesson_about_parameter(parts, body, capabilities)
        if lesson is not None:
            return lesson
    return None


def may_refuse_parameter(refusal: ErrorReply) -> bool:
    """Return True if an error may be about a parameter of the request.

    Other errors, such as a too long conversation,
    may list parameters without refusing them.
    """
    meaning = refusal.meaning.name
    if meaning == UNKNOWN:
        return True
    # Gateways also answer 404 if no provider of the model accepts the parameters.
    if meaning == UNKNOWN_MODEL:
        return True
    # Some servers fail with 500 at a parameter that they don't know. `refused_parameters` then
    # only accepts known phrases.
    return refusal.status == 500


def lesson_about_length(
    refusal: ErrorReply, parts: frozenset[str], capabilities: Capabilities
) -> Lesson | None:
    """Return the lesson if the parameter that limits the reply's length is refused.

    If it is the old parameter, the new one is tried next. If that is refused, too,
    requests have no limit.
    """
    old_field = capabilities.length_field
    if not refuses_length(refusal, parts, old_field):
        return None
    if old_field == OLD_LENGTH_FIELD:
        new_field = NEW_LENGTH_FIELD
        consequence = f"sending {new_field} from here on"
    else:
        new_field = ""
        consequence = "its replies have no bound from here on"
    changed = capabilities.model_copy(update={"length_field": new_field})
    return Lesson(changed, f"takes no {old_field}; {consequence}")


def refuses_length(
    refusal: ErrorReply, parts: frozenset[str], length_field: str
) -> bool:
    """Return True if an error refuses the parameter that limits the reply's length.

    `parts` are a name in the error, and its pieces between dots (see `parts_of_name`).
    An error about the old parameter may only offer the new one: `Use
    'max_completion_tokens' instead.`
    """
    if length_field == OLD_LENGTH_FIELD:
        is_named = length_field in parts or NEW_LENGTH_FIELD in parts
        offers_new_field = NEW_LENGTH_FIELD in refusal.refused_parameters()
        return is_named and (offers_new_field or says_unsupported(refusal))
    return length_field in parts and says_unsupported(refusal)


def says_unsupported(refusal: ErrorReply) -> bool:
    """Return True if an error says that a parameter is unknown, not that its value is wrong."""
    if "unsupported_parameter" in refusal.codes:
        return True
    text = refusal.text.lower()
    return any(phrase in text for phrase in UNSUPPORTED_PHRASES)


def lesson_about_feature(
    parts: frozenset[str], features: Iterable[Feature], capabilities: Capabilities
) -> Lesson | None:
    """Return the lesson if a refused name belongs to a feature, such as tools.

    `parts` are the name and its pieces. The feature is named like the field of
    `capabilities` that the lesson sets to False.
    """
    for feature in features:
        if parts & feature.parameters:
            changed = capabilities.model_copy(update={feature.name: False})
            return Lesson(changed, feature.notice)
    return None


def features_in_use(
    body: Mapping[str, object], mode: ReplyMode, capabilities: Capabilities
) -> list[Feature]:
    """Return the features that a request used. Only these can be why it was refused."""
    # What the request says about tools: nothing (None), that the reply must call some tool
    # (`required`), or that it must call a certain one.
    tool_choice = body.get("tool_choice")
    unused: set[str] = set()
    if tool_choice is None or tool_choice == "required":
        unused.add("takes_named_tool")
    if tool_choice != "required":
        unused.add("takes_required_tool")

    features: list[Feature] = []
    for feature in error_tables().features:
        # The request leaves out a feature that the endpoint is known to lack.
        is_missing = not getattr(capabilities, feature.name)
        if mode in feature.modes and feature.name not in unused and not is_missing:
            features.append(feature)
    return features


def lesson_about_parameter(
    parts: frozenset[str], body: Mapping[str, object], capabilities: Capabilities
) -> Lesson | None:
    """Return the lesson if a refused name means a parameter that a request can do without.

    `parts` are the name and its pieces.
    """
    for parameter in body:
        is_needed = parameter in ALWAYS_SENT or parameter == capabilities.length_field
        if not is_needed and means_parameter(parameter, parts):
            refused = (*capabilities.refused, parameter)
            changed = capabilities.model_copy(update={"refused": refused})
            return Lesson(changed, f"takes no {parameter}; leaving it out from here on")
    return None


def means_parameter(parameter: str, parts: frozenset[str]) -> bool:
    """Return True if a name in an error means this parameter of the request.

    Errors about `reasoning_effort` also call it `reasoning`.
    """
    return parameter in parts or parameter.removesuffix("_effort") in parts


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
