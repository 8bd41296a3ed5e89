"""What is sent instead of a request that an endpoint has refused.

If the endpoint answers `'seed' is not supported`, the same request is sent without `seed`. What
the answer shows about the endpoint, that it takes no `seed`, is called a lesson.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.refusal_error import refusal_error
from controlplane.agent.endpoint.lessons.lessons import lesson_of
from controlplane.agent.endpoint.requests.written_request import WrittenRequest


@dataclass(frozen=True, slots=True)
class ReducedRequest:
    """A request without a part that the endpoint has refused."""

    request: WrittenRequest
    notice: str
    """For the user: `the model endpoint http://127.0.0.1:8080 takes no seed; ...`."""


def reduced_request(
    refused: WrittenRequest, refusal: ErrorReply
) -> ReducedRequest | None:
    """Return the refused request without the refused part; None if the refusal names no part.

    Raises `ModelError` if the endpoint refuses tools, but the model must reply by a tool
    call. This affects all trials.
    """
    lesson = lesson_of(refusal, refused)
    if lesson is None:
        return None
    settings = refused.plan.settings
    # The same request, written anew for what the endpoint is now known to accept.
    request = refused.with_capabilities(lesson.capabilities)
    refuses_needed_tools = request.lacks_needed_tools and not refused.lacks_needed_tools
    if refuses_needed_tools:
        raise refusal_error(refusal, settings, affects_all=True)

    notice = f"{settings.shown_name} {lesson.notice}"
    if request.mode is not refused.mode:  # For example, text instead of JSON.
        notice += f"; asking in mode {request.mode} from here on"
    return ReducedRequest(request, f"{notice} {refusal.summary}")
