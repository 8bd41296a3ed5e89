"""Models: the protocol, OpenAI-compatible endpoints, scripted replies, and what a reply means."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.model.connection import SHORTEST_SECRET
    from agent.model.dialect import ReplyMode
    from agent.model.endpoint import Endpoint, EndpointSettings
    from agent.model.model_protocol import Abandoned, Message, Model, ModelError, Reply, RetriesExhausted
    from agent.model.object_finder import REPLY
    from agent.model.reply_parser import Unusable, action_of
    from agent.model.scripted_model import ScriptedModel

_HOMES = {
    "connection": ("SHORTEST_SECRET",),
    "dialect": ("ReplyMode",),
    "endpoint": ("Endpoint", "EndpointSettings"),
    "model_protocol": ("Abandoned", "Message", "Model", "ModelError", "Reply", "RetriesExhausted"),
    "object_finder": ("REPLY",),
    "reply_parser": ("Unusable", "action_of"),
    "scripted_model": ("ScriptedModel",),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
