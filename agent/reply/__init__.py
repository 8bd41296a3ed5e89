"""What a model's reply means: strict rules, salvages without another call, and what is never executed."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.reply.action import SCHEMA, Action, Unusable
    from agent.reply.file_name import REPLY
    from agent.reply.reply_parser import action_of, tool_arguments

_HOMES = {
    "action": ("SCHEMA", "Action", "Unusable"),
    "file_name": ("REPLY",),
    "reply_parser": ("action_of", "tool_arguments"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
