"""OpenAI-compatible endpoints as models: requests in two protocols, lessons from refusals, and errors."""

from agent.endpoint.endpoint import Endpoint
from agent.endpoint.request_body import Api, EndpointSettings, ThinkingBack, chat_message
