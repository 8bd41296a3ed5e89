"""Reads the errors in the responses of endpoints: by their HTTP status, or inside of their bodies.

| status and body | error |
|---|---|
| 400, `{"error": {"message": "too long"}}` | 400: `too long` |
| 502, a text of an unknown form | 502: the start of the body |
| 301, without a body | 301: the address to which it leads |
| 200, `{"error": {"code": 429, "message": "busy"}}`, as gateways send it | 429: `busy` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from controlplane.agent.endpoint.errors.error_collection import contents_of
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.error_text import json_document
from controlplane.agent.endpoint.json_parts import objects_of
from controlplane.agent.retry.retry_after import retry_after_s
from controlplane.sandbox.interface import bounds


def read_error_reply(status: int, headers: Mapping[str, str], body: str) -> ErrorReply:
    """Return the error in a reply whose HTTP status says that the request failed."""
    contents = contents_of(body or headers.get("location", ""))
    if not contents.messages:
        contents = replace(contents, messages=(body[: bounds.MOST_REFUSAL_CHARS],))
    return ErrorReply(status, contents, retry_after_s(headers))


def read_error_inside(body: str) -> ErrorReply | None:
    """Return the error in a body that came with status 200; None if the body has no error."""
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
    """Return the first HTTP error status among codes; without one, 400 or 500."""
    for code in codes:
        is_status = len(code) == 3 and code.isdecimal() and code[0] in "45"
        if is_status:
            return int(code)
    return 400 if "invalid_request_error" in codes else 500
