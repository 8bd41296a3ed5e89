"""A request in the form that an endpoint accepts."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.endpoint.request_body import best_mode, body_of
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Capabilities, ModelRequest, ReplyMode


@dataclass(frozen=True, slots=True)
class RequestForm:
    """A request without the parts that the endpoint is known to refuse."""

    request: ModelRequest
    settings: EndpointSettings
    capabilities: Capabilities
    """The parts of requests that the endpoint accepts, as far as it is known."""
    mode: ReplyMode
    """How the model writes its reply: by a schema, as a tool call, as JSON or as text."""
    body: dict[str, object]

    @classmethod
    def of(
        cls,
        request: ModelRequest,
        settings: EndpointSettings,
        capabilities: Capabilities,
    ) -> RequestForm:
        """Return the form in the best mode that the capabilities allow."""
        mode = best_mode(request, settings.reply_mode, capabilities)
        body = body_of(settings, request, mode, capabilities)
        return cls(request, settings, capabilities, mode, body)

    def with_capabilities(self, capabilities: Capabilities) -> RequestForm:
        """Return the same request for an endpoint that accepts less."""
        return RequestForm.of(self.request, self.settings, capabilities)

    def body_for(self, request: ModelRequest) -> dict[str, object]:
        """Return the body of another request in this form."""
        return body_of(self.settings, request, self.mode, self.capabilities)

    @property
    def needs_refused_tools(self) -> bool:
        """True if the request needs tools, but the endpoint takes none."""
        return self.mode is ReplyMode.TOOL and not self.capabilities.takes_tools
