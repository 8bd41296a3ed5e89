"""A model at an OpenAI-compatible endpoint.

`Endpoint.reply_to` sends one request and returns the reply. If the endpoint refuses a
part of the request, it sends the request again without that part, and remembers the
refusal. Every failure is a `ModelError` whose message is one line and never contains a
key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controlplane.agent.endpoint.capability_memory import (
    CapabilityMemory,
    untested_capabilities,
)
from controlplane.agent.endpoint.connection import Connection
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.exchanges import Exchanges
from controlplane.agent.endpoint.listed_model import ListedModel, listed_models
from controlplane.agent.endpoint.reduced_request import reduced_request
from controlplane.agent.endpoint.refusal_diagnosis import PROBE, diagnose_refusal
from controlplane.agent.endpoint.requests.written_request import WrittenRequest
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Capabilities, Model, ModelRequest, Reply


class Endpoint(Model):
    """A model at an OpenAI-compatible endpoint.

    Created once for a run, and used from the threads of all its trials.
    """

    def __init__(
        self, settings: EndpointSettings, capabilities: Capabilities | None = None
    ) -> None:
        """Prepare the client without connecting.

        `capabilities` were learned by earlier requests, such as those of an interrupted run.

        Raises `ValueError` if the environment variables name a proxy or certificates
        that cannot be used.
        """
        self.name = settings.model
        self._settings = settings
        self._memory = CapabilityMemory(capabilities or untested_capabilities(settings))
        self._connection = Connection(settings)
        self._exchanges = Exchanges(settings, self._connection)

    @property
    def on_text(self) -> Callable[[str], None] | None:
        """If set, replies are streamed, and this gets their text as it arrives.

        It must stay None if several trials run, because their texts would mix.
        """
        return self._exchanges.on_text

    @on_text.setter
    def on_text(self, on_text: Callable[[str], None] | None) -> None:
        self._exchanges.on_text = on_text

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply. Raises `ModelError`.

        If the endpoint refuses a part of the request, ask again without that part, and
        remember this for later requests. The reply then has a notice for the user (`takes no
        seed; leaving it out from here on`), and the capabilities that were learned: which
        parts the endpoint takes.
        """
        # A written request lacks the parts that the endpoint is known to refuse.
        known = self._memory.known
        written = WrittenRequest.of(request, self._settings, known)
        notices: list[str] = []
        outcome = self._exchanges.reply_to(written.body, request.deadline)
        while isinstance(outcome, ErrorReply):
            reduced = reduced_request(written, outcome)
            if reduced is None:  # No part can be left out.
                raise diagnose_refusal(outcome, written, self._exchanges)
            notices.append(reduced.notice)
            written = reduced.request
            outcome = self._exchanges.reply_to(written.body, request.deadline)

        fields: dict[str, object] = {"reply_mode": str(written.mode)}
        has_learned = bool(notices)
        if has_learned and self._memory.keep_learned(written.capabilities, since=known):
            fields["notices"] = tuple(notices)
            fields["learned"] = written.capabilities
        return outcome.model_copy(update=fields)

    def check(self, schema: Mapping[str, object]) -> Reply:
        """Return the reply to a harmless request, for diagnosis. Raises `ModelError`."""
        return self.complete([PROBE], "check", schema)

    def listed_models(self) -> tuple[ListedModel, ...]:
        """Return the models that the endpoint lists; empty if it lists none in time."""
        return listed_models(self._connection.list_of_models())

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()
