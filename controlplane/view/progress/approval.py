"""Asks the user on the terminal to approve a call that is held back."""

from __future__ import annotations

import contextlib
import sys
import threading
from typing import Final

import click

from controlplane.terminal_text import say

PROMPT: Final = threading.Lock()
"""Held while a question waits for the user. Nothing else is drawn meanwhile."""
_CLEAR_LINE: Final = "\r\x1b[K"


def approve_on_terminal(message: str) -> bool | None:
    """Ask the user about a call. Return None if there is no terminal.

    If several trials ask at once, the user is asked one question after the other.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    with PROMPT, contextlib.suppress(click.Abort):
        click.echo(_CLEAR_LINE, nl=False, err=True)
        say(message, err=True)
        return click.confirm("Send it?", default=False, err=True)
    return False
