"""A run where no picture can be drawn: few plain lines, written as they come, for logs and for pipes."""

from __future__ import annotations

import contextlib
import sys
import threading
from typing import TYPE_CHECKING, Final

from agent.events import now_ms
from controlplane.view.display_text import age_text, clock_text, count_text, one_line, tokens_text
from controlplane.view.progress.run_frame import time_left_s
from controlplane.view.progress.run_phase import RunPhase, phase_of

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run

TICK_S: Final = 0.5
EVERY_S: Final = 15.0
"""Seconds after which a line comes although less than a tenth of the trials has ended since the last one."""
NOTICES: Final = 3
"""Notices that are told at a time; of more, how many."""
PHASES: Final = {
    RunPhase.STOPPING: "stopping after the running steps; a second Ctrl-C stops at once",
    RunPhase.FINISHING: "stopping after the running trials; a second Ctrl-C stops at once",
    RunPhase.PAUSING: str(RunPhase.PAUSING),
    RunPhase.SCORING: str(RunPhase.SCORING),
}
"""The phases that are told when they begin."""


class PlainDisplay:
    """Tells of a run on standard error, a line for about each tenth of it."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._told_over = run.summary.over
        self._told_at_ms = 0
        self._told_notices = run.summary.earlier_notices
        self._told_phase = RunPhase.STARTING
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, name="plain view", daemon=True)

    def start(self) -> None:
        """Begin to tell."""
        self._thread.start()

    def stop(self) -> None:
        """Tell what is left to tell, and end."""
        self._done.set()
        self._thread.join()

    def _work(self) -> None:
        while True:
            is_last = self._done.wait(TICK_S)
            self._tell()
            if is_last:
                return

    def _tell(self) -> None:
        summary, phase, now = self._run.summary, phase_of(self._run), now_ms()
        if phase is not RunPhase.STARTING and self._told_at_ms == 0:
            self._told_at_ms = now
            already = f", {self._told_over} of them over already" if self._told_over else ""
            _say(f"run {self._run.journal.path.stem}: {count_text(len(summary.trials), 'trial')}{already}")
        self._tell_notices()
        self._tell_progress(now, phase)
        if phase is not self._told_phase and phase in PHASES:
            _say(PHASES[phase])
        self._told_phase = phase

    def _tell_notices(self) -> None:
        notices = self._run.summary.notices[self._told_notices :]
        self._told_notices += len(notices)
        for each in notices[:NOTICES]:
            _say(f"notice: {one_line(each)}")
        if len(notices) > NOTICES:
            _say(f"notice: {len(notices) - NOTICES} more of that kind")

    def _tell_progress(self, now: int, phase: RunPhase) -> None:
        summary = self._run.summary
        over, total = summary.over, len(summary.trials)
        grown = over - self._told_over
        is_due = grown * 10 >= total or now - self._told_at_ms >= EVERY_S * 1000 or over == total
        if not total or not (grown or summary.running) or not is_due:
            return
        self._told_over, self._told_at_ms = over, now
        parts = [f"{over} of {count_text(total, 'trial')} over after {clock_text((now - summary.began_ms) / 1000)}"]
        left = time_left_s(summary, now) if phase is RunPhase.WORKING else None
        parts += [f"about {age_text(max(left, 1))} left"] if left is not None else []
        parts += [f"{len(summary.running)} running"] if summary.running else []
        mean = summary.mean_score
        parts += [f"mean score {mean:.3f}"] if mean is not None else []
        parts += [tokens_text(summary.tokens)] if summary.tokens else []
        parts += [throttle_status] if (throttle_status := self._run.throttle_status) else []
        _say(", ".join(parts))


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # nobody reads any more; the run goes on
        print(text, file=sys.stderr, flush=True)
