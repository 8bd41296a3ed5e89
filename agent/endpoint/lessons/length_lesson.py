"""The lesson that an endpoint does not take the parameter that limits a reply's length.

OpenAI has renamed it: newer models refuse `max_tokens` and take `max_completion_tokens`. So the
request is sent again with the new name. If an endpoint refuses that, too, no limit is sent.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.lessons.lesson import Lesson
from controlplane.agent.endpoint.lessons.refused_name import RefusedName
from controlplane.agent.endpoint.lessons.unknown_parameter import says_unknown
from controlplane.agent.endpoint.requests.written_request import WrittenRequest

OLD_FIELD: Final = "max_tokens"
NEW_FIELD: Final = "max_completion_tokens"


def lesson_about_length(
    refusal: ErrorReply, name: RefusedName, request: WrittenRequest
) -> Lesson | None:
    """Return the lesson if the parameter that limits the reply's length is refused.

    `name` is one of the names in the error `refusal`. For a request with `max_tokens`:

    | the error | `name` | the lesson |
    |---|---|---|
    | `'max_tokens' is not supported` | `max_tokens` | send `max_completion_tokens` |
    | `Use 'max_completion_tokens'` | `max_completion_tokens` | the same |
    | `'max_tokens' must be at most 4096` | `max_tokens` | None: only its value is refused |
    """
    field = request.capabilities.length_field
    if field not in request.body:
        return None
    is_unknown = field in name.parts and says_unknown(refusal)
    is_new_name_offered = field == OLD_FIELD and NEW_FIELD in name.parts
    if not (is_unknown or is_new_name_offered):
        return None

    if field == OLD_FIELD:
        next_field = NEW_FIELD
        consequence = f"sending {NEW_FIELD} from here on"
    else:
        next_field = ""  # no limit
        consequence = "its replies have no bound from here on"
    changed = request.capabilities.model_copy(update={"length_field": next_field})
    return Lesson(changed, f"takes no {field}; {consequence}")
