"""Tells which changes no longer stand at the end of a trial."""

from __future__ import annotations

from gates.facts import TrialFacts
from gates.types.evidence import Change


def is_undone(change: Change, facts: TrialFacts) -> bool:
    """Say whether a file is again as it was: it reads as it did at first, or what was made is deleted.

    What was put back must hold every line that was seen of it; of a file of which nothing was seen, nobody can tell.
    """
    touch = facts.evidence.touches.get(change.path)
    if change.action == "execute" or touch is None:
        return False
    actions = facts.changes_at[change.path]
    proven = [each for each in touch.seen if each.is_proof]
    written = [each for each in touch.seen if not each.is_proof]
    if actions[-1] == "delete":
        return actions[0] == "write" and not (touch.seen and touch.seen[0].is_proof)
    if len(actions) == 1 or not proven or touch.seen[0] is not proven[0]:
        return False
    first, last = proven[0], (written or proven)[-1]  # A look at it after it was put back may be cut.
    if first.is_whole and not first.is_excerpt:
        return first.text.strip() == last.text.strip()
    before = touch.seen[: touch.seen.index(written[0])] if written else (first,)
    lines = {line.strip() for each in before for line in each.text.splitlines()} - {""}
    return bool(lines) and lines <= {line.strip() for line in last.text.splitlines()}
