"""OpenAI-compatible endpoints as models: requests in two protocols, lessons from refusals, and errors."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.endpoint.endpoint import Endpoint
    from agent.endpoint.request_body import Api, EndpointSettings, ThinkingBack

__getattr__ = agent.lazy_face(__name__, __file__)
