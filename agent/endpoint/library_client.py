"""The client of OpenAI's library, `openai`, which is imported while other work is done.

Importing the library takes most of a second. So a thread begins with it at once, while the
benchmark is prepared. The first request waits for the import if need be, and creates the client,
which later requests use, too.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import httpx2

from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import OPENAI_URL

if TYPE_CHECKING:
    import openai


class LibraryClient:
    """Sends requests for replies by the client of OpenAI's library."""

    def __init__(self, settings: EndpointSettings, http: httpx2.Client) -> None:
        """Begin to import the library, without connecting. `http` will send the requests."""
        self._settings = settings
        self._http = http
        threading.Thread(
            target=import_module, args=("openai",), name="import of openai", daemon=True
        ).start()

    @cached_property
    def client(self) -> openai.OpenAI:
        """The client, created at the first request."""
        import openai

        return openai.OpenAI(
            api_key=self._settings.api_key or "none",
            base_url=self._settings.base_url or OPENAI_URL,
            max_retries=0,  # The caller retries, within the limits of the step and the run.
            http_client=self._http,
            default_headers=dict(self._settings.headers),
        )

    @cached_property
    def reply_url(self) -> str:
        """The address for replies: `https://api.openai.com/v1/chat/completions`."""
        return str(self.client.base_url.join(self._settings.reply_path))

    def post(
        self, body: Mapping[str, object], timeouts: httpx2.Timeout
    ) -> httpx2.Response:
        """Send a request for a reply, and return the response, also one with an error status.

        Raises exceptions of the library or of the HTTP client if there is no response.
        """
        import openai

        # This is the library's generic method. The specific ones walk every message,
        # and their types lack fields of compatible servers.
        try:
            return self.client.post(
                self.reply_url,
                body=body,
                cast_to=httpx2.Response,
                options={"timeout": timeouts},
            )
        except openai.APIStatusError as error:
            return error.response  # The library raises this for error statuses.
