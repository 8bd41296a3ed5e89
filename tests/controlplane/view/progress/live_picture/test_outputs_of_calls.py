"""The picture of a run shows the last line that a running call has printed.

A call may run for minutes, such as `make`: "CC main.o". When it ends, its output goes away.
"""

from controlplane.agent.events import CallOutput
from controlplane.journal.totals.run_folding import fold_event
from tests.controlplane.view.progress.live_picture.drawn_runs import (
    LONG_TRIAL_IDS,
    drawn_text,
)
from tests.support.run_summaries import run_with_trials


def test_the_picture_shows_the_last_line_that_a_running_call_printed() -> None:
    summary = run_with_trials([LONG_TRIAL_IDS[0]], started=1)

    fold_event(
        summary, CallOutput(trial_id=LONG_TRIAL_IDS[0], text="configuring\nCC main.o\n")
    )
    text_during_call = drawn_text(summary)
    fold_event(summary, CallOutput(trial_id=LONG_TRIAL_IDS[0], text=""))
    text_after_call = drawn_text(summary)

    assert "CC main.o" in text_during_call
    assert "CC main.o" not in text_after_call
