"""A model at an OpenAI-compatible endpoint.

`Endpoint.reply_to` sends one request and returns the reply. What the endpoint refuses is left out
from then on. Every failure is a `ModelError` with one line that never contains the API key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controlplane.agent.endpoint.capability_memory import (
    CapabilityMemory,
    untested_capabilities,
)
from controlplane.agent.endpoint.connection import Connection
from controlplane.agent.endpoint.exchanges import Exchanges
from controlplane.agent.endpoint.listed_model import ListedModel, listed_models
from controlplane.agent.endpoint.negotiation import negotiate
from controlplane.agent.endpoint.refusal_diagnosis import PROBE
from controlplane.agent.endpoint.requests.written_request import WrittenRequest
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Capabilities, Model, ModelRequest, Reply


class Endpoint(Model):
    """A model at an endpoint, created once for a run and used from the threads of its trials."""

    def __init__(
        self, settings: EndpointSettings, capabilities: Capabilities | None = None
    ) -> None:
        """Prepare the client without connecting.

        `capabilities` were learned by earlier requests, such as those of an interrupted run.
        Raises `ValueError` if the environment names a proxy or certificates that are unusable.
        """
        self.name = settings.model
        self._settings = settings
        self._memory = CapabilityMemory(capabilities or untested_capabilities(settings))
        self._connection = Connection(settings)
        self._exchanges = Exchanges(settings, self._connection)

    def stream_to(self, on_text: Callable[[str], None]) -> None:
        """Let `on_text` get the text of replies as it arrives. Texts of several trials mix."""
        self._exchanges.on_text = on_text

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply. Raises `ModelError`.

        If the endpoint refuses a parameter, the request is sent again without it. The reply then
        has a notice for the user: `takes no seed; leaving it out from here on`.
        """
        known = self._memory.known  # which parameters the endpoint takes, so far
        first_request = WrittenRequest.of(request, self._settings, known)
        accepted = negotiate(first_request, self._exchanges)

        written, notices = accepted.written, accepted.notices
        reply = accepted.reply.model_copy(update={"reply_mode": str(written.mode)})
        learned = written.capabilities
        # If another thread has changed what is known since, nothing is kept, so the notice is
        # dropped. A later request is refused for the same parameter, and has the notice.
        if notices and self._memory.keep_learned(learned, since=known):
            return reply.model_copy(update={"notices": notices, "learned": learned})
        return reply

    def check(self, schema: Mapping[str, object]) -> Reply:
        """Return the reply to a harmless message, for diagnosis. Raises `ModelError`."""
        return self.complete([PROBE], role="check", schema=schema)

    def listed_models(self) -> tuple[ListedModel, ...]:
        """Return the models that the endpoint lists; empty if it lists none in time."""
        return listed_models(self._connection.list_of_models())

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()
