"""OpenAI-compatible endpoints as models: requests in two protocols, lessons from refusals, and errors."""

from agent.endpoint.endpoint import Endpoint
from agent.endpoint.protocols import Api, EndpointSettings, ThinkingBack, chat_message
