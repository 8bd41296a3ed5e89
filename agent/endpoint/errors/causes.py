"""The exceptions that tell why an HTTP exchange ended without a reply.

OpenAI's library raises an exception that says nothing but "Connection error." Its causes, from
the outermost to the innermost, say more. `Causes.of` finds two of them:

    openai.APIConnectionError    raised by OpenAI's library
    httpx2.ConnectError          raised by the HTTP client that it uses   -> `http_error`
    ConnectionRefusedError       raised by the operating system           -> `root_cause`

The `text` of these causes is `Connection refused`.
"""

from __future__ import annotations

from dataclasses import dataclass

import httpx2


@dataclass(frozen=True, slots=True)
class Causes:
    """The exceptions that tell why an exchange failed."""

    http_error: BaseException
    """The HTTP client's exception, which tells in which phase the exchange failed."""
    root_cause: BaseException
    """The outermost exception of the operating system; without one, the innermost of all."""

    @classmethod
    def of(cls, error: BaseException) -> Causes:
        """Return the causes of an exception of OpenAI's library."""
        chain = chain_of(error)
        http_error = first_of_type(chain, (httpx2.HTTPError, httpx2.InvalidURL))
        root_cause = first_of_type(chain, (OSError,))
        return cls(http_error or error, root_cause or chain[-1])

    @property
    def text(self) -> str:
        """The text of the root cause on one line; if it has none, the name of its type."""
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


def first_of_type(
    exceptions: list[BaseException], types: tuple[type[BaseException], ...]
) -> BaseException | None:
    """Return the first exception of one of these types; None if there is none."""
    for exception in exceptions:
        if isinstance(exception, types):
            return exception
    return None
