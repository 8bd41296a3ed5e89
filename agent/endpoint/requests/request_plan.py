"""What a request says to an endpoint, before it is written in one of the protocols.

The two protocols, chat completions and OpenAI's Responses API, write the same plan in
different fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.endpoint.requests.named_schema import named_schema
from controlplane.agent.endpoint.requests.offered_tools import (
    OfferedTools,
    offered_tools,
)
from controlplane.agent.endpoint.requests.plain_messages import plain_messages
from controlplane.agent.endpoint.requests.reply_modes import best_mode
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Capabilities, Message, ModelRequest, ReplyMode


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """What one request says to an endpoint.

    If an endpoint has refused tools, the plan of a request that offers some has the mode `json`
    instead of `tool`, and the earlier calls of its conversation are texts.
    """

    request: ModelRequest
    """What the product wants to know: the messages, the schema of the reply, the tools."""
    settings: EndpointSettings
    """What the user has set for the endpoint, such as the temperature."""
    capabilities: Capabilities
    """The parts of requests that the endpoint accepts, as far as it is known."""
    mode: ReplyMode
    """How the model writes its reply: by a schema, as a tool call, as JSON or as text."""

    @classmethod
    def of(
        cls,
        request: ModelRequest,
        settings: EndpointSettings,
        capabilities: Capabilities,
    ) -> RequestPlan:
        """Return the plan in the best mode that the capabilities allow."""
        mode = best_mode(request, settings.reply_mode, capabilities)
        return cls(request, settings, capabilities, mode)

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation. Unless the model is asked for tool calls, earlier calls are texts."""
        if self.mode is ReplyMode.TOOL:
            return self.request.messages
        return plain_messages(self.request.messages)

    @property
    def tools(self) -> OfferedTools:
        """The tools that the model may call."""
        return offered_tools(self.request, self.mode, self.capabilities)

    @property
    def temperature(self) -> float | None:
        """The temperature; None to leave it to the endpoint."""
        if self.request.min_temperature is None:
            return self.settings.temperature
        # A model that repeats itself replies differently at a higher temperature.
        return max(self.settings.temperature or 0.0, self.request.min_temperature)

    @property
    def named_schema(self) -> dict[str, object]:
        """The request's schema with a name: `{"name": "action", "schema": {...}}`."""
        return named_schema(self.request.schema, self.capabilities)
