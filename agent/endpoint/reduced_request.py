"""What is sent instead of a request that an endpoint has refused."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.endpoint.errors.error_meaning import refusal_error
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.lessons.lessons import lesson_of
from controlplane.agent.endpoint.requests.request_form import RequestForm


@dataclass(frozen=True, slots=True)
class ReducedRequest:
    """A request without a part that the endpoint has refused."""

    form: RequestForm
    notice: str
    """What is left out, for the user."""


def reduced_request(refused: RequestForm, refusal: ErrorReply) -> ReducedRequest | None:
    """Return a refused request without the refused part; None if this part is unknown.

    Raises `ModelError` if the endpoint refuses tools, but the request needs them: every
    trial meets this.
    """
    lesson = lesson_of(refusal, refused)
    if lesson is None:
        return None
    settings = refused.plan.settings
    reduced = refused.with_capabilities(lesson.capabilities)
    if reduced.needs_refused_tools and not refused.needs_refused_tools:
        raise refusal_error(refusal, settings, is_met_by_all=True)

    notice = f"{settings.shown_name} {lesson.notice}"
    if reduced.mode is not refused.mode:
        notice += f"; asking in mode {reduced.mode} from here on"
    return ReducedRequest(reduced, f"{notice} {refusal.summary}")
