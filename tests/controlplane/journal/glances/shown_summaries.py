"""Compares what commands show by a quick summary of a journal, and by a summary of all its events.

    shown_summary(glance_at, path) == shown_summary(summary_of_all_events, path)

A journal is the record of a run, a file with an event in each line. `glance_at` is the product's quick
way to summarize one: it reads only a part of the file, and must lead to the same.
"""

from collections.abc import Callable
from pathlib import Path

from controlplane.errors import ControlPlaneError
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.view.results.run_result_reading import run_result
from controlplane.view.results.trial_result import trial_result
from tests.support.journals.read_events import read_events


def summary_of_all_events(path: Path) -> RunSummary:
    """Return the summary of a run, made slowly, by reading every event of its journal."""
    summary = RunSummary()
    for event in read_events(path):
        fold_event(summary, event)
    return summary


def shown_summary(
    summarize: Callable[[Path], RunSummary], path: Path
) -> dict[str, object]:
    """Return all that commands show of a journal: `{"run_id": "r", "mean_score": 0.8, ...}`.

    `summarize` makes the summary: `glance_at` or `summary_of_all_events`. If it raises an error, return
    that instead: `{"error": NotAJournal, "message": "..."}`.
    """
    try:
        summary = summarize(path)
    except ControlPlaneError as error:
        return {"error": type(error), "message": str(error)}
    trial_states: list[object] = []
    for trial in summary.trials.values():
        trial_states.append(
            (trial.trial_id, trial.state, trial.score, trial.spent, trial.is_over)
        )
    return {
        "run_id": summary.run_id,
        "submitted": summary.submitted,
        "state": summary.state,
        "run_score": summary.run_score,
        "closed": summary.process.closed,
        "last_ms": summary.process.last_ms,
        "trial_states": trial_states,
        "mean_score": summary.trials.mean_score,
        "tokens": summary.spent.tokens,
        "cost_usd": summary.spent.cost_usd,
        # The JSON of `show --json`: of the run, and of each trial.
        "run_result": run_result(summary, Path("r.jsonl")),
        "trial_results": [trial_result(trial) for trial in summary.trials.values()],
        "notices": summary.notices,
    }
