"""Says what is waited for, in one line on standard error, once that takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LONG_S: Final = 2.0
"""Seconds after which a wait is long; a shorter one is not told."""


@contextmanager
def waiting_notice(what: str) -> Iterator[None]:
    """Say `what` is waited for, once that takes long."""
    told = threading.Timer(LONG_S, print, (what,), {"file": sys.stderr, "flush": True})
    told.daemon = True
    told.start()
    try:
        yield
    finally:
        told.cancel()
