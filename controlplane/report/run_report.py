"""Freezes runs into one HTML file that opens offline.

The file's policy lets the page fetch nothing and run only its one script and style, each named by
its hash. It tells the browser to refuse every string that a script would turn into markup or code.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from controlplane.journal.journal_lines import is_being_written
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_summary import WAITING
from controlplane.report.run_facts import RunFacts, TrialFacts, run_facts
from controlplane.report.run_pages import (
    PageFrame,
    ShownTrials,
    page_title,
    run_page,
    run_page_html,
    script_of_page,
    style_of_page,
)
from controlplane.report.trial_data import trial_data
from controlplane.terminal_text import count_text

POLICY: Final = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of the file, with the hashes of its script and style."""
SHOWN_WAITING_TRIALS: Final = 500
"""Trials that never began and are shown; a journal may declare thousands."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report and its counts."""

    html: str
    runs: int
    trials: int


def report_html(paths: Sequence[Path]) -> Report:
    """Return the report of the runs of these journals.

    Raises `NotAJournal` and `JournalDamaged`.
    """
    runs: list[RunFacts] = []
    trials: list[TrialFacts] = []
    blocks = {}
    for number, path in enumerate(paths):
        with open_journal(path) as journal:
            is_running = is_being_written(path)
            if not is_running:
                journal.summary.mark_stopped()
            labels = {run.label for run in runs}
            run = run_facts(journal, number, labels, is_running=is_running)
            run = _without_most_waiting(run)
            for trial in run.trials:
                data = trial_data(run.label, journal.trials[trial.summary.trial_id])
                blocks[trial.anchor] = packed(data)
        runs.append(run)
        trials += run.trials

    style = style_of_page()
    script = script_of_page()
    frame = PageFrame(
        title=page_title(runs),
        policy=POLICY.format(script=_hash_source(script), style=_hash_source(style)),
        style=style,
        script=script,
        blocks=blocks,
    )
    page = run_page(runs, frame, ShownTrials(trials))
    return Report(run_page_html(page), len(runs), len(blocks))


def _without_most_waiting(run: RunFacts) -> RunFacts:
    """Return a run without most of the trials that never began; a notice says so."""
    waiting = 0
    for trial in run.trials:
        if trial.summary.state == WAITING:
            waiting += 1
    left_out = waiting - SHOWN_WAITING_TRIALS
    if left_out <= 0:
        return run
    run.summary.notices.append(f"{count_text(left_out, 'trial')} that never began left out")
    return replace(run, trials=run.trials[:-left_out])  # trials that never began come last


def _hash_source(text: str) -> str:
    """Return the hash of a script or style as a Content-Security-Policy names it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def packed(value: object) -> str:
    """Return `value` as JSON, deflated (zlib's format) and in base64."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")
