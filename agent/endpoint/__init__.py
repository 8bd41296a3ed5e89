"""OpenAI-compatible endpoints as models: requests in two protocols, replies, errors, lessons."""

from controlplane.agent.endpoint.endpoint import Endpoint
from controlplane.agent.endpoint.request_body import chat_message
from controlplane.agent.endpoint.settings import Api, EndpointSettings, ThinkingBack
