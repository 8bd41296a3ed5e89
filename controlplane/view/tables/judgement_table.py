"""Prints how today's gates judge recorded submissions, and today's graders score recorded trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from controlplane.quantity_texts import (
    count_text,
    score_style,
    score_text,
    unscored_text,
)
from controlplane.replay.judged_submissions import Rejudged, tallies, verdict_name
from controlplane.replay.regrading import Rescored
from controlplane.score_scale import mean_over_tasks
from controlplane.view.printed_columns import CleanConsole, print_columns

_NAME_WIDTH: Final = 16
"""The number of columns to which names are cut in a narrow window."""
_EFFECT_STYLES: Final = {"stopped": "red", "let through": "yellow"}
_AS_BEFORE: Final = "as before"


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
        if not everything and submission.effect == _AS_BEFORE:
            continue
        row: list[object] = [
            submission.trial_id,
            submission.step,
            Text(score_text(submission.score), style=score_style(submission.score)),
            Text(submission.effect, style=_EFFECT_STYLES.get(submission.effect, "")),
            _why_text(submission),
        ]
        if runs > 1:
            row.insert(0, submission.run)
        rows.append(row)
    print_columns(
        heads, rows, narrowest={"trial": _NAME_WIDTH}, right_aligned=("step", "score")
    )

    _print_tallies(submissions)
    CleanConsole(highlight=False).print(Text(_sums_text(submissions, runs)))


def _print_tallies(submissions: Sequence[Rejudged]) -> None:
    """Print for each gate or rule how many submissions it judges differently today.

    | head | what is counted |
    |---|---|
    | stops right | answers that were accepted, and that it rejects now: the grader found them right |
    | stops wrong | the same, but the grader found them wrong |
    | stops unscored | the same, but they have no score |
    | no longer rejects | submissions that it rejected, and would not reject now |
    """
    counts = ("stops right", "stops wrong", "stops unscored", "no longer rejects")
    rows = []
    for tally in tallies(submissions):
        row = (
            tally.name,
            tally.stops_right,
            tally.stops_wrong,
            tally.stops_unscored,
            tally.rejects_no_more,
        )
        rows.append(row)
    print_columns(("gate", *counts), rows, right_aligned=counts)


def _why_text(submission: Rejudged) -> str:
    """Return which verdicts changed, or which gates and rules have been switched on or off.

    `citations: accepted → rejected`, or `switched on: citations`.
    """
    if submission.changes:
        changes = []
        for change in submission.changes:
            changes.append(f"{verdict_name(change)}: {change.before} → {change.after}")
        return "; ".join(changes)
    if submission.effect == _AS_BEFORE:
        return ""

    # All verdicts are as before. So the difference is whether an objection counts: a gate that is
    # switched off still judges, and its objection is recorded, but does not reject.
    names = "; ".join(submission.rejected_after or submission.rejected_before)
    if submission.effect == "stopped":
        return f"switched on: {names}"
    return f"switched off: {names}"


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


@dataclass(frozen=True, slots=True)
class MeanScores:
    """The mean score over tasks, as recorded and as graded now; None if there are no scores."""

    before: float | None
    after: float | None
    unscored: int
    """How many of the trials have no score as graded now, though they could be graded."""

    @classmethod
    def of(cls, trials: Sequence[Rescored]) -> MeanScores:
        return cls(
            mean_over_tasks((trial.task_id, trial.before) for trial in trials),
            mean_over_tasks((trial.task_id, trial.after) for trial in trials),
            sum(bool(trial.unscored) for trial in trials),
        )


def print_graded(trials: Sequence[Rescored], *, runs: int, everything: bool) -> None:
    """Print the trials whose score changed or is missing, and the mean scores.

    `everything`: print all trials.
    """
    heads = ["trial", "before", "after"]
    if runs > 1:
        heads.insert(0, "run")
    rows = []  # With one more cell than heads: the note that is printed below the row.
    for trial in trials:
        if not everything and not trial.problem and trial.before == trial.after:
            continue
        why = trial.problem or "; ".join(trial.details)
        row = [trial.trial_id, score_text(trial.before), score_text(trial.after), why]
        if runs > 1:
            row.insert(0, trial.run)
        rows.append(row)
    print_columns(
        heads, rows, narrowest={"trial": _NAME_WIDTH}, right_aligned=("before", "after")
    )
    CleanConsole(highlight=False).print(Text(_graded_text(trials)))


def _graded_text(trials: Sequence[Rescored]) -> str:
    """Return how many trials were graded again, how many scores changed, and the means."""
    changed = 0
    not_graded = 0
    for trial in trials:
        if trial.problem:
            not_graded += 1
        elif trial.before != trial.after:
            changed += 1
    text = f"{count_text(len(trials), 'trial')} graded again, {changed} changed"
    if not_graded:
        text += f", {not_graded} not graded"
    means = MeanScores.of(trials)
    before = score_text(means.before, 3)
    after = score_text(means.after, 3)
    text += f" · mean score {before} before, {after} after"
    reasons = Counter(trial.unscored for trial in trials if trial.unscored)
    unscored = unscored_text(dict(reasons.most_common()))
    return f"{text}, {unscored}" if unscored else text
