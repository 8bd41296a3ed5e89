"""Decodes the body of a reply, and refuses a body that is not a reply.

An address that is not an endpoint's answers with a page, or with other JSON:

| body | protocol | result |
|---|---|---|
| `{"choices": [...]}` | chat completions | the decoded object |
| `{"hello": 1}` | chat completions | `ValueError`: it has no choices |
| `{"choices": [...]}` | Responses API | `ValueError`: it has no output |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.agent.endpoint.settings import Api
from controlplane.sandbox.interface import parse_json

REQUIRED_FIELD: Final[Mapping[Api, str]] = {"chat": "choices", "responses": "output"}
"""The field that a reply must have, by protocol."""


def reply_document(content: bytes, api: Api) -> dict[str, Any]:
    """Return the decoded body. Bytes that are not UTF-8 become U+FFFD.

    Raises `ValueError` with one line if the body is not a reply.
    """
    document = parse_json(content.decode("utf-8-sig", errors="replace"))
    if not isinstance(document, dict) or REQUIRED_FIELD[api] not in document:
        msg = f"it has no {REQUIRED_FIELD[api]}"
        raise ValueError(msg)
    return document
