"""A request as it is sent to an endpoint: what it says (the plan), and its body.

The plan chooses the reply mode, the messages and the tools. The body is the plan, written
in the endpoint's protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from controlplane.agent.endpoint.requests.request_body import body_of
from controlplane.agent.endpoint.requests.request_plan import RequestPlan
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Capabilities, Message, ModelRequest, ReplyMode


@dataclass(frozen=True, slots=True)
class WrittenRequest:
    """A request with its body, without the parts that the endpoint is known to refuse."""

    plan: RequestPlan
    """The request, and in which mode the model is asked for its reply."""
    body: dict[str, object]
    """The plan as it is sent."""

    @classmethod
    def of(
        cls,
        request: ModelRequest,
        settings: EndpointSettings,
        capabilities: Capabilities,
    ) -> WrittenRequest:
        """Write a request in the best mode that the capabilities allow."""
        plan = RequestPlan.of(request, settings, capabilities)
        return cls(plan, body_of(plan))

    @property
    def capabilities(self) -> Capabilities:
        """The parts of requests that the endpoint accepts, as far as it is known."""
        return self.plan.capabilities

    @property
    def mode(self) -> ReplyMode:
        """How the model writes its reply: by a schema, as a tool call, as JSON or as text."""
        return self.plan.mode

    def with_capabilities(self, capabilities: Capabilities) -> WrittenRequest:
        """Return the same request for an endpoint that accepts less, perhaps in another mode."""
        return WrittenRequest.of(self.plan.request, self.plan.settings, capabilities)

    def with_messages(self, messages: Sequence[Message]) -> WrittenRequest:
        """Return this request with other messages, in the same mode."""
        request = replace(self.plan.request, messages=messages)
        plan = replace(self.plan, request=request)
        return WrittenRequest(plan, body_of(plan))

    @property
    def lacks_needed_tools(self) -> bool:
        """True if the model must reply by a tool call, but the endpoint takes no tools.

        A request that has tools but no schema has no other mode, and a user may prefer this one.
        """
        return self.mode is ReplyMode.TOOL and not self.capabilities.takes_tools
