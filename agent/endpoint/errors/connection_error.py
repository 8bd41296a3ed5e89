"""Explains HTTP exchanges that ended without a reply, and what the user can do about it.

OpenAI's library raises an exception with a chain of causes:

    openai.APIConnectionError    always the same: "Connection error."
    httpx2.ConnectError          the phase in which the exchange failed (`http_error`)
    ConnectionRefusedError       what the operating system says (`root_cause`)

The user reads `the model endpoint http://127.0.0.1:8080 cannot be reached (Connection refused);
is the server running, and is OPENAI_BASE_URL right?`
"""

from __future__ import annotations

from dataclasses import dataclass

import httpx2

from controlplane.agent.endpoint.errors.breakage import breakage_of
from controlplane.agent.endpoint.secret_texts import Secrets
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import ModelError


@dataclass(frozen=True, slots=True)
class Causes:
    """The exceptions that tell why an exchange failed."""

    http_error: BaseException
    """The HTTP client's exception, which tells in which phase the exchange failed."""
    root_cause: BaseException
    """The operating system's exception; without one, the innermost exception."""

    @classmethod
    def of(cls, error: BaseException) -> Causes:
        """Return the causes of an exception of OpenAI's library."""
        exceptions = chain_of(error)
        http_error = error
        for exception in exceptions:
            if isinstance(exception, httpx2.HTTPError | httpx2.InvalidURL):
                http_error = exception
                break
        root_cause = exceptions[-1]
        # The first `OSError` is the one that the HTTP client has met.
        for exception in exceptions:
            if isinstance(exception, OSError):
                root_cause = exception
                break
        return cls(http_error, root_cause)

    @property
    def text(self) -> str:
        """The reason of the failure on one line: `Connection refused`.

        It is the text of the root cause or, without one, the name of its type.
        """
        shown = self.root_cause
        if isinstance(self.http_error, httpx2.ProxyError):
            # Here, the root cause does not mention the proxy.
            shown = self.http_error
        line = " ".join(str(shown).split())
        return line or type(self.root_cause).__name__


def chain_of(error: BaseException) -> list[BaseException]:
    """Return an exception and the exceptions that led to it, the innermost last."""
    chain = [error]
    cause = error.__cause__ or error.__context__
    while cause is not None:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    return chain


def connection_error(
    error: Exception, settings: EndpointSettings, secrets: Secrets
) -> ModelError:
    """Return the error of an exchange that ended without a reply, with a message of one line.

    `error` is the exception of OpenAI's library. Its causes tell what broke. Their text may
    have the endpoint's key, which the user must not see: so `secrets` are removed from it.
    """
    # 1. Find out why the exchange failed: `Connection refused`.
    causes = Causes.of(error)
    reason = secrets.removed_from(causes.text)

    # 2. Say what broke, `cannot be reached (Connection refused)`, and what the user can do.
    breakage = breakage_of(
        causes.http_error, causes.root_cause, reason, settings.timeout_s
    )
    text = f"{settings.shown_name} {breakage.text}; {breakage.remedy}"
    # All trials meet the error, because they all use this endpoint.
    return ModelError(text, retryable=breakage.retryable, affects_all=True)
