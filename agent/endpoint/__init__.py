"""OpenAI-compatible endpoints as models: requests in two protocols, what is learned from refusals, and errors."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.endpoint.endpoint import Endpoint
    from agent.endpoint.endpoint_settings import Api, EndpointSettings, ThinkingBack

_HOMES = {
    "endpoint": ("Endpoint",),
    "endpoint_settings": ("Api", "EndpointSettings", "ThinkingBack"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
