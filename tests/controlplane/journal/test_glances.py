"""A glance at a journal, which reads less than all of it.

`glance_at(path)` returns the summary of a run (its trials, scores and costs) without reading all of
its journal. It has to give the result, or the error, of reading every event.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.view.results.run_result_reading import run_result
from controlplane.view.results.trial_result import trial_result
from tests.controlplane.journal import changed_journals, rewritten_journals
from tests.support.journals.read_events import read_events
from tests.support.recorded_run import RecordedRun


def summary_of_all_events(path: Path) -> RunSummary:
    """Return the summary of a run, made by reading every event of its journal."""
    summary = RunSummary()
    for event in read_events(path):
        fold_event(summary, event)
    return summary


def shown_summary(
    summarize: Callable[[Path], RunSummary], path: Path
) -> dict[str, object]:
    """Return all that commands show of a journal by its summary, or the error instead.

    `summarize` makes the summary: `glance_at` or `summary_of_all_events`.
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


@pytest.mark.parametrize(
    "change",
    [
        changed_journals.unchanged,
        changed_journals.first_half,
        changed_journals.last_line_torn,
        changed_journals.without_last_line_feed,
        changed_journals.without_sixth_line,
        changed_journals.time_of_tenth_line_changed,
        changed_journals.time_of_first_line_changed,
        changed_journals.other_text_behind_fourth_line,
        changed_journals.other_text_without_line_feed_behind_fourth_line,
        changed_journals.first_line_torn,
        changed_journals.a_letter,
        changed_journals.other_json,
        changed_journals.nothing,
        rewritten_journals.new_chain_without_marks,
        rewritten_journals.new_chain_without_first_event,
        rewritten_journals.other_version,
        rewritten_journals.unknown_field_in_last_event,
    ],
)
def test_a_glance_at_a_journal_shows_what_reading_all_of_it_shows(
    change: Callable[[list[bytes]], bytes],
    recorded: RecordedRun,
    tmp_path: Path,
) -> None:
    """`recorded` is a finished run of 25 trials."""
    lines = recorded.journal.read_bytes().splitlines(keepends=True)
    changed_path = tmp_path / "changed.jsonl"
    changed_path.write_bytes(change(lines))

    glance = shown_summary(glance_at, changed_path)

    assert glance == shown_summary(summary_of_all_events, changed_path)
