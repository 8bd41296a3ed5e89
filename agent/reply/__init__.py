"""Reads a model's reply: JSON first, then repairs of form without another call; nothing uncertain is executed."""

from agent.reply.reply_parser import PROSE, SCHEMA, Action, Unusable, action_call, action_of, without_thoughts
