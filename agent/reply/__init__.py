"""Reads a model's reply: strictly, then by salvage without another call; nothing uncertain is executed."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.reply.reply_parser import SCHEMA, Action, Unusable, action_of, object_schema, tool_arguments

__getattr__ = agent.lazy_face(__name__, __file__)
