"""A request in the form that an endpoint accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controlplane.agent.endpoint.error_reply import ErrorReply
from controlplane.agent.endpoint.lessons import Lesson, lesson_of
from controlplane.agent.endpoint.request_body import best_mode, body_of
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Capabilities, Message, ModelRequest, ReplyMode


@dataclass(frozen=True, slots=True)
class RequestForm:
    """A request without the parts that the endpoint is known to refuse."""

    request: ModelRequest
    settings: EndpointSettings
    capabilities: Capabilities
    """The parts of requests that the endpoint accepts, as far as it is known."""
    mode: ReplyMode
    """How the model writes its reply: by a schema, as a tool call, as JSON or as text."""
    body: Mapping[str, object]

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

    def lesson_of(self, refusal: ErrorReply) -> Lesson | None:
        """Return what a refusal of this form shows; None if it shows nothing."""
        return lesson_of(refusal, self.body, self.mode, self.capabilities)

    def after(self, lesson: Lesson) -> RequestForm:
        """Return the form without the part that was refused."""
        return RequestForm.of(self.request, self.settings, lesson.capabilities)

    def lacks_other_mode(self, further: RequestForm) -> bool:
        """Return True if tools were refused, but there is no reply mode without them.

        `further` is the form after the refusal. If its mode is still the same, every
        further request would be refused, too.
        """
        had_tools = self.capabilities.takes_tools
        are_refused = had_tools and not further.capabilities.takes_tools
        return are_refused and further.mode is self.mode

    def small_body(self, probe: Message) -> Mapping[str, object]:
        """Return the body of a small request in this form: the system messages, and a probe."""
        messages = []
        for message in self.request.messages:
            if message["role"] == "system":
                messages.append(message)
        request = replace(self.request, messages=[*messages, probe])
        return body_of(self.settings, request, self.mode, self.capabilities)
