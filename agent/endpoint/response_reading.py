"""Reads the responses of an endpoint: a reply of the model, or an error.

Keys and passwords are removed first, because the texts of errors are shown and recorded.
"""

from __future__ import annotations

from dataclasses import dataclass

import httpx2

from controlplane.agent.endpoint.errors.bad_reply import bad_reply
from controlplane.agent.endpoint.errors.error_reply import (
    ErrorReply,
    read_error_inside,
    read_error_reply,
)
from controlplane.agent.endpoint.replies.reply_body import reply_of
from controlplane.agent.endpoint.replies.streamed_completion import whole_completion
from controlplane.agent.endpoint.replies.usage_estimates import usage_with_estimates
from controlplane.agent.endpoint.secret_texts import Secrets
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Reply


@dataclass(frozen=True, slots=True)
class ResponseReader:
    """Reads the responses of one endpoint: replies of the model, and errors.

    | status | body | outcome |
    |---|---|---|
    | success, such as 200 | a reply | `Reply` |
    | success | an error, as some servers send it: `{"error": {...}}` | `ErrorReply` |
    | success | anything else, or a stream that was cut off | raises `BadReply` |
    | 300 or higher | any | `ErrorReply` |

    Keys and passwords are removed first, because the texts are shown and recorded.
    """

    settings: EndpointSettings
    """Says in which protocol the endpoint replies."""
    secrets: Secrets
    """The keys and passwords that requests to the endpoint contain."""

    def read(self, response: httpx2.Response) -> Reply | ErrorReply:
        """Return the reply or the error in a response."""
        if response.status_code >= 300:
            return self._read_error(response)
        return self._read_reply(response, response.content)

    def read_stream(self, response: httpx2.Response) -> Reply | ErrorReply:
        """Return the reply or the error in the response to a request for a stream.

        The stream has ended: its parts are joined here to a whole reply. Some servers send a
        whole reply at once.
        """
        if response.status_code >= 300:
            return self._read_error(response)
        try:
            content = whole_completion(response.content)
        except ValueError as error:  # The stream was cut off.
            text = self.secrets.removed_from(response.text)
            fault = str(error)
            raise bad_reply(response.status_code, text, fault, self.settings) from None
        return self._read_reply(response, content)

    def _read_error(self, response: httpx2.Response) -> ErrorReply:
        """Return the error of a response with another status than success."""
        text = self.secrets.removed_from(response.text)
        return read_error_reply(response.status_code, response.headers, text)

    def _read_reply(
        self, response: httpx2.Response, content: bytes
    ) -> Reply | ErrorReply:
        """Return the reply in the body of a response with a success status.

        Some servers send an error with such a status: `200` and `{"error": {...}}`.
        """
        text = self.secrets.removed_from(content.decode(errors="replace"))
        # Parsing takes long, so only a text with this word is parsed to look for an error.
        if "error" in text:
            refusal = read_error_inside(text)
            if refusal is not None:
                return refusal

        settings = self.settings
        try:
            # `thinking_back`: how much of the thinking goes back with the next request.
            reply = reply_of(text.encode(), settings.api, settings.thinking_back)
        except ValueError as error:
            fault = str(error)
            raise bad_reply(response.status_code, text, fault, settings) from None

        sent_bytes = len(response.request.content)
        usage = usage_with_estimates(reply, sent_bytes, settings.max_output_tokens)
        return reply.model_copy(update={"usage": usage})
