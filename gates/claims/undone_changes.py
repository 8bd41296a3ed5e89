"""Tells which changes no longer stand at the end of a trial."""

from __future__ import annotations

from gates.facts import TrialFacts
from gates.types.evidence import Change


def is_undone(change: Change, facts: TrialFacts) -> bool:
    """Say whether a file that was written reads as it did at first, or was made by the script and is gone."""
    touch = facts.evidence.touches.get(change.path)
    if change.action == "execute" or touch is None or not touch.seen:
        return False
    first, last = touch.seen[0], touch.seen[-1]
    actions = facts.changes_at[change.path]
    if not first.is_proof:
        return "delete" in actions
    return len(actions) > 1 and first.text.strip() == last.text.strip()
