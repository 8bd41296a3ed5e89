"""The lesson that an endpoint does not take the parameter that limits a reply's length.

OpenAI has renamed it: newer models refuse `max_tokens` and take `max_completion_tokens`.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.refused_parameters import refused_parameters
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.requests.written_request import WrittenRequest

UNSUPPORTED_PHRASES: Final = (
    "unsupported",
    "not support",
    "not permitted",
    "unexpected keyword",
    "unknown name",
    "unrecognized",
)
"""Lower-case phrases that say that a parameter is unknown.

An error without such a phrase may be about the value: `max_tokens must be at most 4096`.
Then another name for the parameter would not help."""

OLD_LENGTH_FIELD: Final = "max_tokens"
NEW_LENGTH_FIELD: Final = "max_completion_tokens"
"""OpenAI's newer models take this parameter instead of the old one."""


def lesson_about_length(
    refusal: ErrorReply, name: RefusedName, request: WrittenRequest
) -> Lesson | None:
    """Return the lesson if the parameter that limits the reply's length is refused.

    If it is the old parameter, the new one is tried next. If that is refused, too, requests
    have no limit. `name` is one of the names in the error about `request`.
    """
    length_field = request.capabilities.length_field
    is_sent = length_field in request.body
    if not is_sent or not refuses_length(refusal, name, length_field):
        return None
    if length_field == OLD_LENGTH_FIELD:
        new_field = NEW_LENGTH_FIELD
        consequence = f"sending {new_field} from here on"
    else:
        new_field = ""
        consequence = "its replies have no bound from here on"
    changed = request.capabilities.model_copy(update={"length_field": new_field})
    return Lesson(changed, f"takes no {length_field}; {consequence}")


def refuses_length(refusal: ErrorReply, name: RefusedName, length_field: str) -> bool:
    """Return True if an error refuses `length_field`, the parameter that limits the length.

    | error about `max_tokens`            | refuses              |
    |-------------------------------------|----------------------|
    | `'max_tokens' is not supported`     | the parameter        |
    | `Use 'max_completion_tokens'`       | the parameter        |
    | `'max_tokens' must be at most 4096` | only its value       |
    """
    names_of_field = {length_field}
    is_unknown = says_unsupported(refusal)
    if length_field == OLD_LENGTH_FIELD:
        # An error about the old parameter may only offer the new one.
        names_of_field.add(NEW_LENGTH_FIELD)
        offers_new_field = NEW_LENGTH_FIELD in refused_parameters(refusal)
        is_unknown = is_unknown or offers_new_field
    return is_unknown and not names_of_field.isdisjoint(name.parts)


def says_unsupported(refusal: ErrorReply) -> bool:
    """Return True if an error says that a parameter is unknown, not that its value is wrong."""
    if "unsupported_parameter" in refusal.contents.codes:
        return True
    text = refusal.contents.text.lower()
    return any(phrase in text for phrase in UNSUPPORTED_PHRASES)
