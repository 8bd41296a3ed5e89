"""A tool without parameters, `look`, and a request that offers it to a model."""

from typing import Any

from controlplane.agent.endpoint import EndpointSettings
from controlplane.agent.model import Message, ModelTool, Reply
from tests.support.endpoint_requests import single_reply_of

LOOK_TOOL = ModelTool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)


def ask_with_tool(url: str, messages: list[Message], **settings: Any) -> Reply:
    """Return the reply to messages, with the tool `look` on offer.

    A model that wants to look replies with a call: `reply.tool_calls[0].name == "look"`. `settings`
    are those of the endpoint, such as `api="responses"`.
    """
    endpoint_settings = EndpointSettings("m", url, **settings)
    return single_reply_of(endpoint_settings, messages, tools=[LOOK_TOOL])
