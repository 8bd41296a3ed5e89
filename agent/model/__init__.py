"""Models: the protocol, scripted replies, a cache of replies."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.model.model_protocol import (
        TRY,
        Abandoned,
        AnsweringModel,
        Capabilities,
        Message,
        Model,
        ModelError,
        ModelRequest,
        OutOfBudget,
        Reply,
        ReplyMode,
        RetriesExhausted,
        Tool,
        ToolCall,
    )
    from agent.model.scripted_model import ScriptedModel
    from agent.model.wrapped_models import CachedModel, PricedModel, RoleModels, public_price

_HOMES = {
    "model_protocol": (
        "TRY",
        "Abandoned",
        "AnsweringModel",
        "Capabilities",
        "Message",
        "Model",
        "ModelError",
        "ModelRequest",
        "OutOfBudget",
        "Reply",
        "ReplyMode",
        "RetriesExhausted",
        "Tool",
        "ToolCall",
    ),
    "scripted_model": ("ScriptedModel",),
    "wrapped_models": ("CachedModel", "PricedModel", "RoleModels", "public_price"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
