"""The picture of a run as text, in a window of 80 columns, and the ids of its trials.

For example:

    drawn_text(run_with_trials(LONG_TRIAL_IDS[:1], started=1))    ->    "━━━─── 0 of 1 · 0:05 ..."
"""

from rich.console import ConsoleDimensions

from controlplane.journal.totals.run_summary import RunSummary
from controlplane.view.progress.live_display import picture
from controlplane.view.progress.run_phase import RunPhase
from tests.support.run_summaries import STARTED_AT_MS

LONG_TRIAL_IDS = [f"some-long-task-family.{number}" for number in range(100)]
"""The ids of trials, so long that they do not fit into narrow windows."""


def drawn_text(summary: RunSummary) -> str:
    """Return the picture of a run, 5 s after its start, in a window of 80 columns."""
    now_ms = STARTED_AT_MS + 5000
    window = ConsoleDimensions(width=80, height=24)
    lines = picture(summary, RunPhase.WORKING, now_ms, window)
    return "\n".join(line.plain for line in lines)
