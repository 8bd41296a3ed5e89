"""The lesson that an endpoint does not take the parameter that limits a reply's length.

OpenAI has renamed it: newer models refuse `max_tokens` and take `max_completion_tokens`. So the
request is sent again with the new name. If an endpoint refuses that, too, no limit is sent.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.refused_parameters import refused_parameters
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.lessons.unknown_parameter import says_unknown
from controlplane.agent.endpoint.requests.written_request import WrittenRequest

OLD_LENGTH_FIELD: Final = "max_tokens"
NEW_LENGTH_FIELD: Final = "max_completion_tokens"


def lesson_about_length(
    refusal: ErrorReply, name: RefusedName, request: WrittenRequest
) -> Lesson | None:
    """Return the lesson if the parameter that limits the reply's length is refused.

    `name` is one of the names in the error `refusal`:

    | the request has | the error | the lesson |
    |---|---|---|
    | `max_tokens` | `'max_tokens' is not supported` | send `max_completion_tokens` |
    | `max_tokens` | `Use 'max_completion_tokens'` | the same |
    | `max_tokens` | `'max_tokens' must be at most 4096` | None: only its value is refused |
    | `max_output_tokens` | `'max_output_tokens' is not supported` | send no limit |
    """
    field = request.capabilities.length_field
    if field not in request.body:
        return None
    if field == OLD_LENGTH_FIELD:
        if not _refuses_old_field(refusal, name):
            return None
        next_field = NEW_LENGTH_FIELD
        consequence = f"sending {NEW_LENGTH_FIELD} from here on"
    else:
        if field not in name.parts or not says_unknown(refusal):
            return None
        next_field = ""  # no limit
        consequence = "its replies have no bound from here on"
    changed = request.capabilities.model_copy(update={"length_field": next_field})
    return Lesson(changed, f"takes no {field}; {consequence}")


def _refuses_old_field(refusal: ErrorReply, name: RefusedName) -> bool:
    """Return True if an error refuses `max_tokens`, or offers `max_completion_tokens` for it."""
    is_about_length = OLD_LENGTH_FIELD in name.parts or NEW_LENGTH_FIELD in name.parts
    if not is_about_length:
        return False
    offers_new_field = NEW_LENGTH_FIELD in refused_parameters(refusal)
    return offers_new_field or says_unknown(refusal)
