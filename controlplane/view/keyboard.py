"""Reads single key presses from the terminal, and restores the terminal's settings afterwards."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
from typing import Final

KEY: Final = re.compile(r"\x1b[\[O][^a-zA-Z~]*(?:[a-zA-Z~]|\Z)|.", re.DOTALL)
"""One key: a sequence up to its first letter or tilde, or a character."""


class Keyboard:
    """Reads standard input one key at a time. Ctrl-C still interrupts."""

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        self._pending = ""

    @staticmethod
    def is_available() -> bool:
        """Say whether keys can be read: standard input is a terminal, and this process is in its foreground."""
        try:
            return os.isatty(sys.stdin.fileno()) and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        except (OSError, ValueError, AttributeError):
            return False

    def __enter__(self) -> Keyboard:
        tty.setcbreak(self._file, termios.TCSANOW)
        return self

    def __exit__(self, *failure: object) -> None:
        self.restore()

    def restore(self) -> None:
        """Restore the terminal's settings. May be called from a signal handler, and more than once."""
        termios.tcsetattr(self._file, termios.TCSANOW, self._before)

    def read(self, timeout_s: float) -> str:
        """Return the next key: a character, or the bytes of another key; empty if none comes within `timeout_s`."""
        if not self._pending:
            ready, _, _ = select.select([self._file], [], [], timeout_s)
            if not ready:
                return ""
            self._pending = os.read(self._file, 1024).decode("utf-8", "replace")
        key, self._pending = split_key(self._pending)
        return key


def split_key(typed: str) -> tuple[str, str]:
    """Return the first key of what was typed, and the rest; both empty if it is nothing."""
    key = KEY.match(typed)
    return (key[0], typed[key.end() :]) if key else ("", "")
