"""The last lines of the live picture of a run: a bar with its progress, and its phase or latest notice."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from controlplane.journal.totals.remaining_time import remaining_s
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.quantity_texts import age_text, clock_text, count_text
from controlplane.terminal_text import one_line
from controlplane.view.progress.run_phase import RunPhase

FIGURES_WIDTH: Final = 45
"""The largest width of the figures after the progress bar, in columns."""
WIDEST_BAR: Final = 40
NARROWEST_BAR: Final = 10


def progress_line(summary: RunSummary, phase: RunPhase, at_ms: int, width: int) -> Text:
    """Return a progress bar with the number of ended trials, the elapsed and the remaining time.

    `━━━━━━━──────── 20 of 40 · 3:10 · about 4 min left`, in a terminal of `width` columns.
    """
    total = len(summary.trials)
    elapsed_s = (
        (at_ms - summary.process.began_ms) / 1000 if summary.process.began_ms else 0
    )
    figures = f" {summary.trials.over} of {total} · {clock_text(elapsed_s)}"
    left_s = (
        remaining_s(summary.trials.copied(), at_ms)
        if phase is RunPhase.WORKING
        else None
    )
    if left_s is not None:
        figures += f" · about {age_text(max(left_s, 1))} left"

    bar_width = min(width - FIGURES_WIDTH, WIDEST_BAR)
    bar_width = max(bar_width, NARROWEST_BAR)
    done_width = bar_width * summary.trials.over // total if total else 0
    bar = Text("━" * done_width, style="green")
    bar.append("─" * (bar_width - done_width), style="dim")
    return bar.append(figures, style="default")


def last_line(summary: RunSummary, phase: RunPhase) -> Text:
    """Return the phase of the run, or the latest notice since the run was resumed."""
    style = "dim" if phase is RunPhase.WORKING else "bold"
    return Text(_last_text(summary, phase), style=style)


def _last_text(summary: RunSummary, phase: RunPhase) -> str:
    """Return the text of the last line: `2 notices, the latest: …`, or `stopping`."""
    notices = summary.notices[summary.earlier_notices :]
    if not notices:
        return str(phase)
    latest = one_line(notices[-1])
    if phase is RunPhase.WORKING:
        return f"{count_text(len(notices), 'notice')}, the latest: {latest}"
    if phase in (RunPhase.SUBMITTING, RunPhase.SCORING):
        return f"{phase}: {latest}"
    return str(phase)
