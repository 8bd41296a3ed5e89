"""The phase in which a run is, as displays of its progress name it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

from controlplane.journal.totals.run_summary import RunSummary, remaining_s
from controlplane.quantity_texts import age_text, clock_text

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run

# Draws something again and again from a thread of its own.


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


class RunPhase(StrEnum):
    """A phase of a run. Its value is a text for the user, the last line of the display."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; the rest can be resumed"
    STOPPING = "stopping after the running steps; a second Ctrl-C stops at once"
    PAUSING = "pausing after the running steps: the run cannot continue for now"
    FAILING = "stopping: the run cannot continue"
    SUBMITTING = "submitting the run"
    SCORING = "submitted; waiting for the scores"
    OVER = "the scores are in"


def time_texts(summary: RunSummary, phase: RunPhase, at_ms: int) -> list[str]:
    """Return how long a run has taken and, if that can be told, how long it still takes.

    `["3:10", "about 4 min left"]`
    """
    began_ms = summary.process.began_ms or at_ms
    texts = [clock_text((at_ms - began_ms) / 1000)]
    if phase is RunPhase.WORKING:
        left_s = remaining_s(summary.trials.copied(), at_ms)
        if left_s is not None:
            texts.append(f"about {age_text(max(left_s, 1))} left")
    return texts


def phase_of(run: Run) -> RunPhase:
    """Return the present phase of a run."""
    summary = run.summary
    controls = run.controls
    if not summary.trials:
        return RunPhase.STARTING
    if summary.submitted:
        if summary.state == "evaluated":
            return RunPhase.OVER
        return RunPhase.SCORING
    if run.paused:
        return RunPhase.PAUSING
    if controls.stop.is_set():
        if controls.interrupted.is_set():
            return RunPhase.STOPPING
        return RunPhase.FAILING
    if not summary.trials.left:
        return RunPhase.SUBMITTING
    return RunPhase.WORKING
