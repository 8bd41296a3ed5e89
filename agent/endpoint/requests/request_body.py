"""Builds the body of a request, in the endpoint's protocol and without refused parts.

For an endpoint that has refused `seed` before:

    {"model": "gpt-5-mini", "messages": [...], "temperature": 0.2, "max_tokens": 4000}
"""

from __future__ import annotations

from controlplane.agent.endpoint.requests.chat_request import chat_fields
from controlplane.agent.endpoint.requests.request_plan import RequestPlan
from controlplane.agent.endpoint.requests.responses_request import responses_fields


def body_of(plan: RequestPlan) -> dict[str, object]:
    """Return the whole body of a request.

    Fields that the endpoint has refused are left out. So are empty ones, unless the user
    has set them (`settings.body`).
    """
    settings = plan.settings
    body = chat_fields(plan) if settings.api == "chat" else responses_fields(plan)
    body["model"] = settings.model
    body["temperature"] = plan.temperature
    body["top_p"] = settings.top_p
    body["seed"] = settings.seed
    length_field = plan.capabilities.length_field  # such as `max_tokens`, or empty
    if length_field:
        body[length_field] = settings.max_output_tokens
    if plan.request.tools:
        body["parallel_tool_calls"] = True
    body |= settings.body

    sent: dict[str, object] = {}
    for name, value in body.items():
        is_refused = name in plan.capabilities.refused
        is_set_by_user = name in settings.body
        if not is_refused and (is_set_by_user or not is_empty(value)):
            sent[name] = value
    return sent


def is_empty(value: object) -> bool:
    """Return True for a field without a value: None, an empty text or list."""
    return value is None or value == "" or value == []
