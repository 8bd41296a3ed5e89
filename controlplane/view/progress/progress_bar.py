"""Shows that long work goes on: a bar on standard error where that is a terminal, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

LONG_S: Final = 0.5
"""Seconds after which work is long; shorter work shows nothing."""


@contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that is told how much of how much is done, and shows it once that takes long."""
    console = Console(stderr=True, highlight=False)
    progress = Progress(
        TextColumn(f"{doing}:"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_interactive,
    )
    task = progress.add_task(doing, total=None)
    began = time.monotonic()

    def tell(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)
        if not progress.live.is_started and time.monotonic() - began > LONG_S:
            progress.start()

    try:
        yield tell
    finally:
        progress.stop()
