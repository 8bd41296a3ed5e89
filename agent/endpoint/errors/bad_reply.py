"""Explains replies with a success status that do not fit the protocol.

An address without its `/v1` may answer with status 200 and an HTML page. The user reads: `the model
endpoint http://127.0.0.1:8080 answered 200 with something other than a chat completion (...): ...;
is OPENAI_BASE_URL the address of the API, with its /v1?`
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.errors.error_reading import read_error_reply
from controlplane.agent.endpoint.replies.reply_document import REQUIRED_FIELD
from controlplane.agent.endpoint.settings import Api, EndpointSettings
from controlplane.agent.model import BadReply

STOP_STREAMING: Final = (
    "the server streams, which was not asked for: switch streaming off there"
)
CHECK_PATH: Final = "is OPENAI_BASE_URL the address of the API, with its /v1?"


def bad_reply(
    status: int, text: str, fault: str, settings: EndpointSettings
) -> BadReply:
    """Return the error for a reply that does not fit its protocol.

    Args:
        status: The HTTP status.
        text: The body.
        fault: What is wrong with the body, such as `it has no choices`.
        settings: The endpoint and its protocol.
    """
    expected = "chat completion" if settings.api == "chat" else "response"
    message = f"{settings.shown_name} answered {status} with something other than a "
    message += f"{expected} ({fault}): {shown_body(status, text)}"
    has_protocol = is_from_protocol(text, settings.api)
    if text.startswith(("data:", "event:")):
        message += f"; {STOP_STREAMING}"
    elif not has_protocol:
        message += f"; {CHECK_PATH}"

    # A server that does not speak the protocol answers all trials like this. Otherwise,
    # only this conversation has got a reply without a usable choice.
    return BadReply(message, retryable=True, affects_all=not has_protocol)


def shown_body(status: int, text: str) -> str:
    """Return what the user sees of a body: its messages if it is an error, else its start."""
    if not text.strip():
        return "an empty body"
    as_error = read_error_reply(status, {}, text)
    return repr(as_error.contents.shown_line)


def is_from_protocol(text: str, api: Api) -> bool:
    """Return True if a body looks like one of the protocol: `{"choices": ...` for chat."""
    is_object = text.lstrip("\ufeff \n").startswith("{")
    return is_object and f'"{REQUIRED_FIELD[api]}"' in text
