"""The reply modes in the order in which a model is asked in them, until it succeeds in one.

A *reply mode* is a way to write an action, such as a script to run: JSON that fits a schema, the
arguments of a tool call, any JSON, or text. Each is easier for a model than the one before:

    mode_after("schema")   -> ReplyMode.TOOL
    mode_after("text")     -> None: there is no easier one
"""

from __future__ import annotations

import itertools
from typing import Final

from controlplane.agent.model import ReplyMode

MODES: Final = (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)


def mode_after(mode: str) -> ReplyMode | None:
    """Return the reply mode to try after this one: `tool` after `schema`, None after the last.

    The mode is that of a recorded reply. If it is unknown or empty, no other is tried.
    """
    for tried_mode, next_mode in itertools.pairwise(MODES):
        if mode == tried_mode:
            return next_mode
    return None
