"""OpenAI-compatible endpoints as models: requests in two protocols, replies, errors, lessons."""

from controlplane.agent.endpoint.endpoint import Endpoint
from controlplane.agent.endpoint.protocols import Api, EndpointSettings, ThinkingBack, chat_message
