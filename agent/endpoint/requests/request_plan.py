"""What a request says to an endpoint, before it is written in one of the protocols.

The two protocols, chat completions and OpenAI's Responses API, write the same plan in
different fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.json_parts import LENGTH_KEYWORDS
from controlplane.agent.endpoint.requests.offered_tools import (
    OfferedTools,
    offered_tools,
)
from controlplane.agent.endpoint.requests.plain_messages import plain_messages
from controlplane.agent.endpoint.requests.reply_modes import best_mode
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Capabilities, Message, ModelRequest, ReplyMode

SCHEMA_NAME: Final = "action"
"""The name of a request's schema. The protocols demand a name, and models may see it."""


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """What a request says to an endpoint, before it is written in one of the two protocols.

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
        """The temperature; None to leave it to the endpoint.

        A request may set a minimum, so that a model that repeats itself replies differently.
        """
        if self.request.min_temperature is None:
            return self.settings.temperature
        return max(self.settings.temperature or 0.0, self.request.min_temperature)

    @property
    def named_schema(self) -> dict[str, object]:
        """The request's schema with a name, and only with features that the endpoint takes.

        `{"name": "action", "schema": {"type": "object", ...}, "strict": True}`
        """
        schema: object = dict(self.request.schema or {})
        if not self.capabilities.takes_bounds:  # limits on lengths, such as `maxLength`
            schema = without_length_keywords(schema)
        named: dict[str, object] = {"name": SCHEMA_NAME, "schema": schema}
        if self.capabilities.takes_strict:
            named["strict"] = True
        return named


def without_length_keywords(schema: object) -> object:
    """Return a schema, or a part of one, without limits on lengths.

    `{"type": "string", "maxLength": 400}` -> `{"type": "string"}`
    """
    if isinstance(schema, dict):
        remaining = {}
        for name, value in schema.items():
            if name not in LENGTH_KEYWORDS:
                remaining[name] = without_length_keywords(value)
        return remaining
    if isinstance(schema, list):
        return [without_length_keywords(item) for item in schema]
    return schema
