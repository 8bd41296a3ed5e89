"""A server for loans, and what a user has decided about calls of its tools.

For example:

    decisions_in(folder)    ->    ["approved by the user"]
"""

import sys
from pathlib import Path

from controlplane import open_journal
from controlplane.view.trial_pages.trial_pages import pages_of
from tests.support.command import ROOT

LOANS_SERVER = f"loans={sys.executable} {ROOT / 'tests/support/plain_loans.py'}"
"""Its tool `loans.extend` changes something: `extend(number=421)` -> "extended 421"."""


def decisions_in(folder: Path) -> list[str]:
    """Return what the user has decided, as the pages of the only journal say it.

    A page has a part such as `approved by the user: QUESTION`, for which this returns
    `approved by the user`.
    """
    (journal,) = folder.rglob("*.jsonl")
    (trial,) = open_journal(journal).trials.values()
    decisions: list[str] = []
    for page in pages_of(trial):
        for part in page.parts:
            decision, is_decision, _ = part.text.partition(": ")
            if is_decision and decision.endswith(" by the user"):
                decisions.append(decision)
    return decisions
