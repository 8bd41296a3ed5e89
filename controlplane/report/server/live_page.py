"""The page of one or several runs, as the server shows it while their journals grow."""

from __future__ import annotations

import json
from dataclasses import replace

from controlplane.report.page_frame import PageFrame
from controlplane.report.run_facts import RunFacts, run_facts
from controlplane.report.run_pages import (
    ShownTrials,
    page_title,
    run_page,
    run_page_html,
)
from controlplane.report.server.addressed_runs import journal_of
from controlplane.report.server.run_row import has_words
from controlplane.report.server.watched_run import WatchedRun
from controlplane.sandbox.interface import bounds


def live_page_html(
    runs: list[WatchedRun], source: str, words: str, versions: list[int]
) -> str:
    """Return the page of these runs, with the trials whose texts contain `words`.

    `versions` are written into the page. Its script compares them with those of the
    event stream, to learn whether the page is out of date.
    """
    shown_runs: list[RunFacts] = []
    # Each run needs a label that no earlier one has: two runs may have the same name.
    for number, run in enumerate(runs):
        labels = {facts.label for facts in shown_runs}
        shown_runs.append(_facts(run, number, labels))
    frame = PageFrame(
        title=page_title(shown_runs),
        source=source,
        events=f"{source}/events",
        version=json.dumps(versions),
    )
    return run_page_html(run_page(shown_runs, frame, _trials_with(shown_runs, words)))


def _facts(run: WatchedRun, number: int, labels: set[str]) -> RunFacts:
    """Return what the page shows of a run. `labels` are the names that earlier runs have."""
    facts = run_facts(journal_of(run), number, labels, is_running=run.is_running)
    if not run.has_more:
        return facts
    return replace(facts, status=f"{run.read_share:.0%} of the journal is read.")


def _trials_with(runs: list[RunFacts], words: str) -> ShownTrials:
    """Return the trials whose texts contain `words`, as many as a page shows."""
    fitting = []
    for run in runs:
        for trial in run.trials:
            if has_words(words, trial.summary.instruction, trial.summary.task_id):
                fitting.append(trial)
    shown = fitting[: bounds.SHOWN_PAGE_ROWS]
    return ShownTrials(shown, left_out=len(fitting) - len(shown), found=words)
