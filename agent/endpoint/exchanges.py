"""Exchanges with one endpoint: a request's body is sent, and a reply or an error comes back.

If somebody watches, the reply is streamed, so that its text appears as the model writes it. Not
every server can stream:

| request | the endpoint answers | then |
|---|---|---|
| with `"stream": true` | 400, `no stream here` | it is sent again without |
| without | a reply | no later request asks for a stream |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import httpx2

from controlplane.agent.endpoint.connection import Connection
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.replies.stream import StreamedText
from controlplane.agent.endpoint.response_reading import ResponseReader
from controlplane.agent.endpoint.secret_texts import Secrets
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Reply

NO_STREAM_STATUSES: Final = (400, 404, 415, 422, 501)
"""HTTP statuses with which servers refuse to stream."""
STREAMING: Final[Mapping[str, object]] = {
    "stream": True,
    "stream_options": {"include_usage": True},
}
"""The fields of a request's body that ask for a stream."""


class Exchanges:
    """Sends requests to one endpoint, and reads the responses."""

    def __init__(self, settings: EndpointSettings, connection: Connection) -> None:
        self._connection = connection
        self._reader = ResponseReader(settings, Secrets.of(settings))
        self._has_streams = settings.api == "chat"
        """False once the server has refused to stream, or if its protocol has no streams here."""
        self.on_text: Callable[[str], None] | None = None
        """If set, replies are streamed, and this gets their text as it arrives."""

    def reply_to(
        self, body: Mapping[str, object], deadline: float
    ) -> Reply | ErrorReply:
        """Return the reply to a request, or the error with which the endpoint refused it.

        `deadline` is a moment of `time.monotonic`. Raises `ModelError` if the
        connection breaks, or if there is no readable reply by then.
        """
        if self.on_text is not None and self._has_streams:
            # `post_stream` returns when the whole response is there. While it waits, another
            # thread reads the response, and passes its text on.
            take_part = StreamedText(self.on_text).take
            stream_body = {**body, **STREAMING}
            response = self._connection.post_stream(stream_body, deadline, take_part)
            if not refuses_stream(response):
                return self._reader.read_stream(response)
            self._has_streams = False
        return self._reader.read(self._connection.post(body, deadline))


def refuses_stream(response: httpx2.Response) -> bool:
    """Return True if a response says that the server cannot stream: 400, `no stream here`."""
    return response.status_code in NO_STREAM_STATUSES and "stream" in response.text
