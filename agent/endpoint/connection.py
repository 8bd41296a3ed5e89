"""Sends requests to one endpoint by the client of OpenAI's library.

`post` returns the HTTP response of an endpoint. If there is none, it raises a `ModelError`
that says what the user can do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final

import httpx2

from controlplane.agent.endpoint.bounded_body import TakePart
from controlplane.agent.endpoint.bounded_client import BoundedClient
from controlplane.agent.endpoint.errors.connection_error import connection_error
from controlplane.agent.endpoint.secret_texts import Secrets
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import OPENAI_URL, OutOfTime
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    import openai

MAX_EXCHANGES: Final = 2_000
"""Max requests at a time. Each trial makes one at a time."""
LIST_TIMEOUT_S: Final = 5.0
"""Seconds to wait for the list of models, which is useful but not needed."""


class Connection:
    """A connection to one endpoint of a model, used from the threads of all trials.

    It uses the client of OpenAI's library, `openai`. Importing this takes most of a second, so
    a thread begins with it at once, while the benchmark is prepared. The first request waits
    for the import if need be, and creates the client, which later requests use, too.
    """

    def __init__(self, settings: EndpointSettings) -> None:
        """Begin to import the library, without connecting.

        Raises `ValueError` if the environment variables name a proxy or certificates
        that cannot be used.
        """
        self._settings = settings
        self._secrets = Secrets.of(settings)
        self._http = BoundedClient(exchanges=MAX_EXCHANGES)
        threading.Thread(
            target=import_module, args=("openai",), name="import of openai", daemon=True
        ).start()

    @cached_property
    def _client(self) -> openai.OpenAI:
        """The client of OpenAI's library, created at the first request."""
        import openai

        return openai.OpenAI(
            api_key=self._settings.api_key or "none",
            base_url=self._settings.base_url or OPENAI_URL,
            max_retries=0,  # The caller retries, within the limits of the step and the run.
            http_client=self._http,
            default_headers=dict(self._settings.headers),
        )

    @cached_property
    def _reply_url(self) -> str:
        """The address for replies: `https://api.openai.com/v1/chat/completions`."""
        return str(self._client.base_url.join(self._settings.reply_path))

    def post(self, body: Mapping[str, object], deadline: float) -> httpx2.Response:
        """Send a request for a reply, and return the response, also one with an error status.

        `body` is `{"model": "...", "messages": [...]}`, and `deadline` a moment of
        `time.monotonic`. Without a response it raises `OutOfTime` if the deadline has
        passed, or the `ModelError` of a broken connection.
        """
        import openai

        timeouts = time_limits(self._settings, deadline)
        # This is the library's generic method. The specific ones walk every message,
        # and their types lack fields of compatible servers.
        try:
            return self._client.post(
                self._reply_url,
                body=body,
                cast_to=httpx2.Response,
                options={"timeout": timeouts},
            )
        except openai.APIStatusError as error:
            return error.response  # The library raises this for error statuses.
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            is_timeout = isinstance(error, openai.APITimeoutError)
            if is_timeout and time.monotonic() >= deadline:
                raise out_of_time(self._settings) from None
            raise connection_error(error, self._settings, self._secrets) from None

    def post_stream(
        self, body: Mapping[str, object], deadline: float, take_part: TakePart
    ) -> httpx2.Response:
        """Do what `post` does, and pass each part of the response on as it arrives.

        Parts don't say to which request they belong, so use this for only one at a time.
        """
        with self._http.parts_passed_to(take_part):
            return self.post(body, deadline)

    def list_of_models(self) -> bytes:
        """Return the endpoint's list of models as JSON; empty if it gives none in time."""
        import openai

        models = self._client.models.with_raw_response
        try:
            return models.list(timeout=LIST_TIMEOUT_S).http_response.content
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL):
            return b""

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


def time_limits(settings: EndpointSettings, deadline: float) -> httpx2.Timeout:
    """Return how long a request may take. Raises `OutOfTime` if the deadline has passed."""
    limit_s = min(settings.timeout_s, deadline - time.monotonic())
    if limit_s <= 0:
        raise out_of_time(settings)
    connect_s = min(limit_s, bounds.LONGEST_CONNECT_S)
    return httpx2.Timeout(limit_s, connect=connect_s)


def out_of_time(settings: EndpointSettings) -> OutOfTime:
    """Return the error of a request that was not answered while the trial lasted."""
    msg = f"{settings.shown_name} had not answered when the trial's time was over (--trial-time)"
    return OutOfTime(msg)
