"""Reads the body of a response with a success status: a reply of the model, or an error.

| body | outcome |
|---|---|
| `{"choices": [{"message": {"content": "yes"}}]}` | `Reply` |
| `{"error": {"message": "busy"}}`, as some servers send it with the status 200 | `ErrorReply` |
| anything else | raises `BadReply` |
"""

from __future__ import annotations

from controlplane.agent.endpoint.errors.bad_reply import bad_reply
from controlplane.agent.endpoint.errors.error_reading import read_error_inside
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.replies.reply_body import reply_of
from controlplane.agent.endpoint.replies.usage_estimates import usage_with_estimates
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Reply


def read_reply_body(
    text: str, status: int, sent_bytes: int, settings: EndpointSettings
) -> Reply | ErrorReply:
    """Return the reply or the error in the text of a body, from which secrets are removed.

    `sent_bytes` is the length of the request, by which its tokens are estimated if the endpoint
    does not count them.
    """
    # Parsing takes long, so only a text with this word is parsed to look for an error.
    if "error" in text:
        refusal = read_error_inside(text)
        if refusal is not None:
            return refusal

    try:
        # `thinking_back`: how much of the thinking goes back with the next request.
        reply = reply_of(text.encode(), settings.api, settings.thinking_back)
    except ValueError as error:
        raise bad_reply(status, text, str(error), settings) from None

    usage = usage_with_estimates(reply, sent_bytes, settings.max_output_tokens)
    return reply.model_copy(update={"usage": usage})
