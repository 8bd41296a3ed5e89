"""The exception for a request that an endpoint has refused, with a message for the user.

    too many requests (429: slow down) at the model endpoint http://127.0.0.1:8080, which asks
    to wait 7 s; if it lasts, lower --concurrency

The message begins with what happened, because tables cut long messages.
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.error_meaning import meaning_of
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import ModelError


def refusal_error(
    refusal: ErrorReply, settings: EndpointSettings, *, affects_all: bool = False
) -> ModelError:
    """Return the exception for a refused request.

    Args:
        refusal: The endpoint's error.
        settings: The endpoint and the model, which the message names.
        affects_all: True if it is known that all trials meet this error, even if its
            meaning does not say so.
    """
    meaning = meaning_of(refusal)
    text = meaning.message.format(model=settings.model)
    text += f" {refusal.summary} at {settings.shown_name}"
    if refusal.retry_after_s is not None and meaning.retryable:
        text += f", which asks to wait {refusal.retry_after_s:g} s"
    if meaning.remedy:
        text += f"; {meaning.remedy}"
    return ModelError(
        text,
        retryable=meaning.retryable,
        affects_all=meaning.affects_all or affects_all,
        retry_after_s=refusal.retry_after_s,
    )
