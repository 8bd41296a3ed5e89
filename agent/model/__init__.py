"""Models: the protocol, scripted replies, a cache of replies."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.model.capabilities import Capabilities
    from agent.model.model_protocol import (
        TRY,
        Abandoned,
        Message,
        Model,
        ModelError,
        OutOfBudget,
        Reply,
        ReplyMode,
        RetriesExhausted,
        Tool,
        ToolCall,
    )
    from agent.model.model_request import AnsweringModel, ModelRequest
    from agent.model.priced_model import PricedModel, public_price
    from agent.model.reply_cache import CachedModel
    from agent.model.role_models import RoleModels
    from agent.model.scripted_model import ScriptedModel

_HOMES = {
    "capabilities": ("Capabilities",),
    "model_protocol": (
        "TRY",
        "Abandoned",
        "Message",
        "Model",
        "ModelError",
        "OutOfBudget",
        "Reply",
        "ReplyMode",
        "RetriesExhausted",
        "Tool",
        "ToolCall",
    ),
    "model_request": ("AnsweringModel", "ModelRequest"),
    "priced_model": ("PricedModel", "public_price"),
    "reply_cache": ("CachedModel",),
    "role_models": ("RoleModels",),
    "scripted_model": ("ScriptedModel",),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
