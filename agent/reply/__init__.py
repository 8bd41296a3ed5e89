"""Reads a model's reply: strict rules, salvages without another call, and what is never executed."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.reply.action import SCHEMA, Action, Unusable
    from agent.reply.file_name import REPLY
    from agent.reply.reply_parser import action_of, tool_arguments

_HOMES = {
    "action": ("SCHEMA", "Action", "Unusable"),
    "file_name": ("REPLY",),
    "reply_parser": ("action_of", "tool_arguments"),
}
__getattr__ = agent.lazy_face(__name__, _HOMES)
