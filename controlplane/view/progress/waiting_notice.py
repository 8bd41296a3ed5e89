"""Prints one line to standard error if something takes long to answer."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LONG_S: Final = 2.0
"""Seconds after which the line is printed."""


@contextmanager
def waiting_notice(text: str) -> Iterator[None]:
    """Print `text` if the block takes longer than `LONG_S`."""
    timer = threading.Timer(LONG_S, print, (text,), {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
