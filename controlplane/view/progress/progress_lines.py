"""Lines about how far a run is: `6 of 12 trials over after 0:40, about 40 s left, …`."""

from __future__ import annotations

from typing import Final

from controlplane.journal.totals.remaining_time import remaining_s
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.quantity_texts import age_text, clock_text, count_text, figure_texts
from controlplane.view.progress.run_phase import RunPhase

LINE_AT_LEAST_EVERY_MS: Final = 15_000
"""There is a line at least this often, even if few trials have ended."""


class ProgressLines:
    """Decides when a line is due: after each tenth of the trials, or after some time."""

    def __init__(self, trials_over: int) -> None:
        self.told_over = trials_over
        """The number of trials that are over, as the user knows it."""
        self.told_at_ms = 0
        """When the user was last told."""

    def note_told(self, now: int) -> None:
        """Record that the user was told about the run in another way.

        `now` is the present time in milliseconds since 1970, here and below.
        """
        self.told_at_ms = now

    def is_due(self, summary: RunSummary, now: int) -> bool:
        """Return True if a line is due. Without a running or newly ended trial, none is."""
        trials = summary.trials
        newly_over = trials.over - self.told_over
        has_news = newly_over > 0 or trials.running
        if not trials or not has_news:
            return False
        is_a_tenth = newly_over * 10 >= len(trials)
        is_late = now - self.told_at_ms >= LINE_AT_LEAST_EVERY_MS
        all_are_over = trials.over == len(trials)
        return is_a_tenth or is_late or all_are_over

    def next_line(self, summary: RunSummary, phase: RunPhase, now: int) -> str:
        """Return a line for the user about the run as it is now."""
        trials = summary.trials
        self.told_over = trials.over
        self.told_at_ms = now
        elapsed = clock_text((now - summary.process.began_ms) / 1000)
        total = count_text(len(trials), "trial")
        parts = [f"{trials.over} of {total} over after {elapsed}"]
        if phase is RunPhase.WORKING:
            time_left_s = remaining_s(trials.copied(), now)
            if time_left_s is not None:
                parts.append(f"about {age_text(max(time_left_s, 1))} left")
        parts.extend(figure_texts(summary))
        return ", ".join(parts)
