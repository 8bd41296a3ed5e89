"""Explains HTTP exchanges that ended without a reply, and what the user can do about it.

The user reads `the model endpoint http://127.0.0.1:8080 cannot be reached (Connection refused);
is the server running, and is OPENAI_BASE_URL right?`
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.broken_exchange import breakage_of
from controlplane.agent.endpoint.errors.causes import Causes
from controlplane.agent.endpoint.secret_texts import Secrets
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import ModelError


def connection_error(
    error: Exception, settings: EndpointSettings, secrets: Secrets
) -> ModelError:
    """Return the error of an exchange that ended without a reply, with a message of one line.

    `error` is the exception of OpenAI's library. Its causes tell what broke. Their text may
    have the endpoint's key, which the user must not see: so `secrets` are removed from it.
    """
    causes = Causes.of(error)
    reason = secrets.removed_from(causes.text)  # `Connection refused`
    breakage = breakage_of(causes, reason, settings.timeout_s)
    text = f"{settings.shown_name} {breakage.text}; {breakage.remedy}"
    # All trials meet the error, because they all use this endpoint.
    return ModelError(text, retryable=breakage.retryable, affects_all=True)
