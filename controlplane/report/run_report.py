"""Freezes runs into one HTML file that opens offline.

The file's policy lets the page fetch nothing and run only its one script and style,
each named by its hash. By "trusted types", the browser also refuses to take any text for
markup or code, even if the script passes it on.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from controlplane.journal.journal_files import is_being_written
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.totals.trial_summary import WAITING
from controlplane.report.page_templates import (
    PackedTrial,
    PageFrame,
    script_of_page,
    style_of_page,
)
from controlplane.report.run_pages import (
    RunPage,
    ShownRun,
    ShownTrial,
    page_title,
    shown_run,
)
from controlplane.report.trial_data import trial_json

_POLICY: Final = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of the file, with the hashes of its script and style."""
_SHOWN_WAITING_TRIALS: Final = 500
"""The largest number of shown trials that never began. A journal may declare thousands."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report as pieces of HTML, with the number of its runs and trials.

    Each piece is made when the iterator reaches it, so that a large report is never in
    memory as a whole.
    """

    pieces: Iterator[str]
    runs: int
    trials: int


def run_report(paths: Sequence[Path]) -> Report:
    """Return the report of the runs of these journals.

    Raises `NotAJournal` and `JournalDamaged`. The iterator of its pieces also raises
    `JournalDamaged`.
    """
    runs: list[ShownRun] = []
    trials: list[ShownTrial] = []
    journals: list[Journal] = []
    for number, path in enumerate(paths):
        journal = open_journal(path)
        journals.append(journal)
        is_running = is_being_written(path)
        if not is_running:  # Its open trials no longer run.
            journal.summary.trials.mark_stopped()
        labels = {run.label for run in runs}
        run = shown_run(journal, number, labels, is_running=is_running)
        run = _without_most_waiting(run)
        runs.append(run)
        trials += run.trials

    style = style_of_page()
    script = script_of_page()
    frame = PageFrame(
        title=page_title(runs),
        policy=_POLICY.format(script=_hash_source(script), style=_hash_source(style)),
        style=style,
        script=script,
        blocks=_packed_trials(journals, runs),
    )
    page = RunPage(frame, runs, trials)
    return Report(page.html(), len(runs), len(trials))


def _packed_trials(
    journals: Sequence[Journal], runs: Sequence[ShownRun]
) -> Iterator[PackedTrial]:
    """Yield the data of one trial after another. Each is read when the page needs it.

    The caller writes each one to the file before the next is read. Each journal is closed
    after its last trial.
    """
    for journal, run in zip(journals, runs, strict=True):
        for trial in run.trials:
            recorded = journal.trials[trial.facts.trial_id]
            yield PackedTrial(trial.anchor, _packed(trial_json(run.label, recorded)))
        journal.close()


def _without_most_waiting(run: ShownRun) -> ShownRun:
    """Return a run without most of the trials that never began."""
    waiting = [trial for trial in run.trials if trial.facts.state == WAITING]
    left_out = len(waiting) - _SHOWN_WAITING_TRIALS
    if left_out <= 0:
        return run
    # They stand last, as the worst trials come first.
    return replace(run, trials=run.trials[:-left_out], left_out=left_out)


def _hash_source(text: str) -> str:
    """Return the hash of a script or style as a Content-Security-Policy names it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _packed(texts: Iterable[str]) -> str:
    """Return these texts, one after another, deflated (zlib's format) and in base64."""
    compressor = zlib.compressobj(level=6)
    pieces = [compressor.compress(text.encode("ascii")) for text in texts]
    pieces.append(compressor.flush())
    return base64.b64encode(b"".join(pieces)).decode("ascii")
