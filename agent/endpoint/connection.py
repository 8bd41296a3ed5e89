"""Sends requests to one endpoint, and explains why there is no response.

If nothing answers at `http://127.0.0.1:8080`, `post` raises a `ModelError` that asks the user:
is the server running, and is OPENAI_BASE_URL right?
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

import httpx2

from controlplane.agent.endpoint.bounded_body import TakePart
from controlplane.agent.endpoint.bounded_client import BoundedClient
from controlplane.agent.endpoint.errors.connection_error import connection_error
from controlplane.agent.endpoint.library_client import LibraryClient
from controlplane.agent.endpoint.request_time import out_of_time, time_limits
from controlplane.agent.endpoint.secret_texts import Secrets
from controlplane.agent.endpoint.settings import EndpointSettings

MAX_EXCHANGES: Final = 2_000
"""Max requests at a time. Each trial makes one at a time."""
LIST_TIMEOUT_S: Final = 5.0
"""Seconds to wait for the list of models, which is useful but not needed."""


class Connection:
    """A connection to one endpoint of a model, used from the threads of all trials."""

    def __init__(self, settings: EndpointSettings) -> None:
        """Prepare the client. Raises `ValueError` for an unusable proxy or certificates."""
        self._settings = settings
        self._secrets = Secrets.of(settings)
        self._http = BoundedClient(exchanges=MAX_EXCHANGES)
        self._library = LibraryClient(settings, self._http)

    def post(self, body: Mapping[str, object], deadline: float) -> httpx2.Response:
        """Send a request for a reply, and return the response, also one with an error status.

        Without a response it raises `OutOfTime` if the deadline, a moment of `time.monotonic`,
        has passed, or else the `ModelError` of a broken connection.
        """
        import openai

        timeouts = time_limits(self._settings, deadline)
        try:
            return self._library.post(body, timeouts)
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            is_timeout = isinstance(error, openai.APITimeoutError)
            if is_timeout and time.monotonic() >= deadline:
                raise out_of_time(self._settings) from None
            raise connection_error(error, self._settings, self._secrets) from None

    def post_stream(
        self, body: Mapping[str, object], deadline: float, take_part: TakePart
    ) -> httpx2.Response:
        """Do what `post` does for one request at a time, and pass each part of the response on."""
        with self._http.parts_passed_to(take_part):
            return self.post(body, deadline)

    def list_of_models(self) -> bytes:
        """Return the endpoint's list of models as JSON; empty if it gives none in time."""
        import openai

        models = self._library.client.models.with_raw_response
        try:
            return models.list(timeout=LIST_TIMEOUT_S).http_response.content
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL):
            return b""

    def close(self) -> None:
        """Close the connection."""
        self._http.close()
