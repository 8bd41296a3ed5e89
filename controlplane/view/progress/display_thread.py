"""Draws something again and again from a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def drawing(draw: Callable[[bool], None], every_s: float) -> Iterator[None]:
    """Call `draw` in a thread every few seconds until the block ends.

    `draw` gets True in its last call, which is made when the block has ended.
    """
    block_ended = threading.Event()

    def draw_until_end() -> None:
        is_last = False
        while not is_last:
            is_last = block_ended.wait(every_s)
            draw(is_last)

    thread = threading.Thread(target=draw_until_end, name="plain view", daemon=True)
    thread.start()
    try:
        yield
    finally:
        block_ended.set()
        thread.join()
