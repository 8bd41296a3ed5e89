"""Models at OpenAI-compatible endpoints: requests in two protocols, replies, and errors."""

from controlplane.agent.endpoint.endpoint import Endpoint, ListedModel
from controlplane.agent.endpoint.requests import chat_message
from controlplane.agent.endpoint.settings import Api, EndpointSettings, ThinkingBack
