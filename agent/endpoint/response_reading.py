"""Reads the responses of an endpoint: a reply of the model, or an error.

| status | body | outcome |
|---|---|---|
| success, such as 200 | a reply | `Reply` |
| success | an error, as some servers send it: `{"error": {...}}` | `ErrorReply` |
| success | anything else, or a stream that was cut off | raises `BadReply` |
| 300 or higher | any | `ErrorReply` |
"""

from __future__ import annotations

from dataclasses import dataclass

import httpx2

from controlplane.agent.endpoint.body_reading import read_reply_body
from controlplane.agent.endpoint.errors.bad_reply import bad_reply
from controlplane.agent.endpoint.errors.error_reading import read_error_reply
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.replies.streamed_completion import whole_completion
from controlplane.agent.endpoint.secret_texts import Secrets
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Reply


@dataclass(frozen=True, slots=True)
class ResponseReader:
    """Reads the responses of one endpoint.

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
        return self._read_success(response, response.content)

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
        return self._read_success(response, content)

    def _read_error(self, response: httpx2.Response) -> ErrorReply:
        text = self.secrets.removed_from(response.text)
        return read_error_reply(response.status_code, response.headers, text)

    def _read_success(
        self, response: httpx2.Response, content: bytes
    ) -> Reply | ErrorReply:
        text = self.secrets.removed_from(content.decode(errors="replace"))
        sent_bytes = len(response.request.content)
        return read_reply_body(text, response.status_code, sent_bytes, self.settings)
