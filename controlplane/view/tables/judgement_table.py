"""Prints how today's gates judge recorded submissions, beside the recorded judgement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple
from typing import Final

from rich.text import Text

from controlplane.quantity_texts import count_text, score_style, score_text
from controlplane.replay.gate_tallies import tallies
from controlplane.replay.judgement_comparison import Rejudged, verdict_name
from controlplane.view.clean_console import CleanConsole
from controlplane.view.printed_columns import print_columns

NAME_WIDTH: Final = 16
"""The number of columns to which names are cut in a narrow window."""
EFFECT_STYLES: Final = {"stopped": "red", "let through": "yellow"}
AS_BEFORE: Final = "as before"


def print_judged(
    submissions: Sequence[Rejudged], *, runs: int, everything: bool
) -> None:
    """Print the submissions that today's gates judge differently, with counts and totals.

    `everything`: print all submissions. A submission is an answer that a script
    submitted. Its effect says what is different today: it is `stopped`, `let through`,
    has `other verdicts`, or is `as before`.
    """
    heads = ["trial", "step", "score", "today"]
    if runs > 1:
        heads.insert(0, "run")
    rows = []  # With one more cell than heads: the note that is printed below the row.
    for submission in submissions:
        if not everything and submission.effect == AS_BEFORE:
            continue
        row: list[object] = [
            submission.trial_id,
            submission.step,
            Text(score_text(submission.score), style=score_style(submission.score)),
            Text(submission.effect, style=EFFECT_STYLES.get(submission.effect, "")),
            _why_text(submission),
        ]
        if runs > 1:
            row.insert(0, submission.run)
        rows.append(row)
    print_columns(
        heads, rows, narrowest={"trial": NAME_WIDTH}, right_aligned=("step", "score")
    )

    counts = ("stops right", "stops wrong", "stops unscored", "no longer rejects")
    tally_rows = [astuple(tally) for tally in tallies(submissions)]
    print_columns(("gate", *counts), tally_rows, right_aligned=counts)
    CleanConsole(highlight=False).print(Text(_sums_text(submissions, runs)))


def _why_text(submission: Rejudged) -> str:
    """Return which verdicts changed, or which gates and rules have been switched on or off."""
    if submission.changes:
        changes = []
        for change in submission.changes:
            changes.append(f"{verdict_name(change)}: {change.before} → {change.after}")
        return "; ".join(changes)
    if submission.effect == AS_BEFORE:
        return ""
    names = submission.rejected_after or submission.rejected_before
    switched = "on" if submission.effect == "stopped" else "off"
    return f"switched {switched}: {'; '.join(names)}"


def _sums_text(submissions: Sequence[Rejudged], runs: int) -> str:
    """Return the totals in one line.

    `9 submissions of 5 trials in 1 run judged: 8 as before (7 right, 1 wrong), ...`
    """
    trials = {(submission.run, submission.trial_id) for submission in submissions}
    by_effect: dict[str, Counter[str]] = {}
    for submission in submissions:
        rightness = _rightness_text(submission.is_right)
        by_effect.setdefault(submission.effect, Counter())[rightness] += 1
    texts = []
    for effect, counts in by_effect.items():
        shares = []
        for rightness in ("right", "wrong", "without a score"):
            if counts[rightness]:
                shares.append(f"{counts[rightness]} {rightness}")
        texts.append(f"{counts.total()} {effect} ({', '.join(shares)})")

    judged = count_text(len(submissions), "submission")
    place = f"{count_text(len(trials), 'trial')} in {count_text(runs, 'run')}"
    return f"{judged} of {place} judged: {', '.join(texts)}"


def _rightness_text(is_right: bool | None) -> str:
    if is_right is None:
        return "without a score"
    return "right" if is_right else "wrong"
