"""Writes the report of one or more runs: the pages of `view` frozen into one HTML file that opens offline.

The policy lets the page fetch nothing and run only its one script and style, each named by its hash. It tells the
browser to refuse every string that a script would turn into markup or code.
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
from controlplane.report.run_pages import RunFacts, run_facts, run_page, script_of_page, style_of_page, trial_data
from controlplane.view.display_text import count_text

POLICY: Final = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of a page, without the hashes of its script and style."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report and its counts."""

    html: str
    runs: int
    trials: int


def report_html(paths: Sequence[Path]) -> Report:
    """Return the report of the runs of these journals. Raises `NotAJournal` and `JournalDamaged`."""
    blocks, runs = dict[str, str](), list[RunFacts]()
    for number, path in enumerate(paths):
        with open_journal(path) as journal:
            is_running, summary = is_being_written(path), journal.summary
            if not is_running:
                summary.mark_stopped()
            facts = run_facts(journal, number, {run.label for run in runs}, is_running=is_running)
            # Trials that never began and are shown; a journal may declare thousands.
            left_out = sum(trial.summary.state == WAITING for trial in facts.trials) - 500
            if left_out > 0:  # trials that never began come last
                facts = replace(facts, trials=facts.trials[:-left_out])
                summary.notices.append(f"{count_text(left_out, 'trial')} that never began left out")
            for trial in facts.trials:
                blocks[trial.anchor] = packed(trial_data(facts.label, journal.trials[trial.summary.trial_id]))
        runs.append(facts)
    style, script = style_of_page(), script_of_page()
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style))
    html = run_page(runs, blocks=blocks, policy=POLICY.format(*digests), style=style, script=script)
    return Report(html, len(runs), len(blocks))


def packed(value: object) -> str:
    """Return `value` as JSON, deflated (zlib's format) and in base64."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("ascii"), 6)).decode("ascii")
