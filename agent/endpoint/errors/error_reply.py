"""The replies with which endpoints refuse requests, by an HTTP status or inside of a body.

{"error": {"message": "the conversation is too long", "code": "context_length_exceeded"}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controlplane.agent.endpoint.errors.error_contents import ErrorContents, contents_of
from controlplane.agent.endpoint.errors.error_text import json_document
from controlplane.agent.endpoint.json_parts import objects_of
from controlplane.agent.retry.retry_after import retry_after_s
from controlplane.sandbox.interface import bounds


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
        """Status, messages and a code: `(400: too long [context_length_exceeded])`."""
        words = []
        if self.contents.shown_line:
            words.append(self.contents.shown_line)
        code = self.contents.innermost_code_word
        if code:
            words.append(f"[{code}]")
        if not words:
            return f"({self.status})"
        return f"({self.status}: {' '.join(words)})"


def read_error_reply(status: int, headers: Mapping[str, str], body: str) -> ErrorReply:
    """Return the error in a reply whose HTTP status says that the request failed.

    | body | messages |
    |---|---|
    | `{"error": {"message": "too long"}}` | `too long` |
    | of an unknown form | the start of the body |
    | none, of a redirect | the address to which it leads |
    """
    contents = contents_of(body or headers.get("location", ""))
    if not contents.messages:
        contents = replace(contents, messages=(body[: bounds.MOST_REFUSAL_CHARS],))
    return ErrorReply(status, contents, retry_after_s(headers))


def read_error_inside(body: str) -> ErrorReply | None:
    """Return the error in a body that came with status 200; None if the body has no error.

    Gateways send such bodies: `{"error": {"code": 429, "message": "too many requests"}}`.
    """
    document = json_document(body)
    if not isinstance(document, dict):
        return None
    error = error_in(document)
    if not error:
        return None

    contents = contents_of({"error": error})
    says_something = bool(contents.messages or contents.codes)
    is_completion = bool(document.get("choices"))
    if is_completion and not says_something:
        return None  # It is a good reply with `"error": {"message": ""}`.
    return ErrorReply(status_in(contents.codes), contents)


def error_in(document: Mapping[str, object]) -> object:
    """Return the error in a decoded body; None if there is none.

    {"error": {"code": 429}}                -> {"code": 429}
    {"choices": [{"error": {"code": 429}}]} -> {"code": 429}
    {"object": "error", "code": 429}        -> the body itself
    """
    if document.get("error"):
        return document["error"]
    choices = objects_of(document.get("choices"))
    if choices and choices[0].get("error"):
        return choices[0]["error"]
    return document if document.get("object") == "error" else None


def status_in(codes: tuple[str, ...]) -> int:
    """Return the first HTTP error status among codes.

    Without one, return 400 for an invalid request, and 500 for any other error.
    """
    for code in codes:
        is_status = len(code) == 3 and code.isdecimal() and code[0] in "45"
        if is_status:
            return int(code)
    return 400 if "invalid_request_error" in codes else 500
