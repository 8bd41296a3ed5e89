"""Stopped runs with some trials of each kind.

For example:

    stopped_run(right=1, left_open=2)    ->    a summary with the trials right-0, open-0 and open-1
"""

from controlplane.journal.run_events import TrialLeftOpen
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from tests.support.run_summaries import end_trial, run_with_trials


def stopped_run(
    *,
    right: int = 0,
    half_right: int = 0,
    hidden: int = 0,
    left_open: int = 0,
    not_started: int = 0,
) -> RunSummary:
    """Return a stopped run with this many trials of each kind: `right-0`, `open-0`, `open-1`.

    The scores of the `hidden` ones are not known yet.
    """
    right_ids = [f"right-{number}" for number in range(right)]
    half_right_ids = [f"half-{number}" for number in range(half_right)]
    hidden_ids = [f"hidden-{number}" for number in range(hidden)]
    open_ids = [f"open-{number}" for number in range(left_open)]
    waiting_ids = [f"waiting-{number}" for number in range(not_started)]
    started_ids = [*right_ids, *half_right_ids, *open_ids, *hidden_ids]

    summary = run_with_trials([*started_ids, *waiting_ids], started=len(started_ids))
    for trial_id in right_ids:
        end_trial(summary, trial_id, score=1.0)
    for trial_id in half_right_ids:
        end_trial(summary, trial_id, score=0.5)
    for trial_id in hidden_ids:
        end_trial(summary, trial_id, score=None)
    for trial_id in open_ids:
        fold_event(summary, TrialLeftOpen(trial_id=trial_id, reason="interrupted"))
    return summary
