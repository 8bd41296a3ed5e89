"""Tells which changes no longer stand at the end of a trial."""

from __future__ import annotations

from gates.facts import TrialFacts
from gates.types.evidence import Change


def is_undone(change: Change, facts: TrialFacts) -> bool:
    """Say whether a file reads as it did at first; of one that was not read whole before, whether what was done
    to it was followed by the opposite: made and deleted, or deleted and put back."""
    touch = facts.evidence.touches.get(change.path)
    if change.action == "execute" or touch is None:
        return False
    actions = facts.changes_at[change.path]
    if not touch.seen or not touch.seen[0].is_proof or not touch.seen[0].is_whole:  # What is empty leaves nothing seen.
        return {"write", "delete"} <= set(actions)
    first = touch.seen[0]
    last = next(
        (each for each in reversed(touch.seen) if not each.is_proof), touch.seen[-1]
    )  # A look at it may be cut.
    return len(actions) > 1 and first.text.strip() == last.text.strip()
