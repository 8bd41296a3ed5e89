"""Shows a progress bar for long work on standard error, if that is a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console

LONG_S: Final = 0.5
"""Seconds after which the bar appears."""


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a progress callback `(done, total)`."""
    console = Console(stderr=True, highlight=False)
    if not console.is_interactive:
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    progress = Progress(
        TextColumn(f"{label}:"),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = progress.add_task(label, total=None)
    began = time.monotonic()

    def on_progress(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)
        if not progress.live.is_started and time.monotonic() - began > LONG_S:
            progress.start()

    try:
        yield on_progress
    finally:
        progress.stop()
