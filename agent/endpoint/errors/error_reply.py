"""An error with which an endpoint refused a request.

For the status 400 and the body

    {"error": {"message": "the conversation is too long", "code": "context_length_exceeded"}}

its summary is `(400: the conversation is too long [context_length_exceeded])`.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.endpoint.errors.error_contents import ErrorContents


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error with which an endpoint refused a request."""

    status: int
    """The HTTP status, or the status in the body."""
    contents: ErrorContents
    """What the error says, including the errors inside of it."""
    retry_after_s: float | None = None
    """The seconds to wait before the next request, if the endpoint asks for that."""

    @property
    def summary(self) -> str:
        """Status, messages and a code, for the user."""
        words = []
        if self.contents.shown_line:
            words.append(self.contents.shown_line)
        code = self.contents.innermost_code_word
        if code:
            words.append(f"[{code}]")
        if not words:
            return f"({self.status})"
        return f"({self.status}: {' '.join(words)})"
