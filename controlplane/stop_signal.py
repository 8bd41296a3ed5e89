"""The signal that stops a run. It can be cleared, and tells listeners each time it changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

Listener: TypeAlias = Callable[[bool], None]


class StopSignal(threading.Event):
    """An event with listeners. Used from many threads at once."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call `listener` with True whenever the signal is set and with False whenever it is cleared; at once if it is
        set already."""
        self._listeners.append(listener)
        if self.is_set():
            listener(True)

    def set(self) -> None:
        """Set the signal, wake everyone who waits for it, and tell the listeners."""
        super().set()
        for each in self._listeners:
            each(True)

    def clear(self) -> None:
        """Clear the signal and tell the listeners."""
        super().clear()
        for each in self._listeners:
            each(False)
