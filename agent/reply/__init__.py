"""Reads a model's reply: strictly, then by salvage without another call; nothing uncertain is executed."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.reply.action import SCHEMA, Action, Unusable
    from agent.reply.reply_parser import action_of, tool_arguments

__getattr__ = agent.lazy_face(__name__, __file__)
