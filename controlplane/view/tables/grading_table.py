"""Prints how today's graders score recorded trials, beside the recorded scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from rich.text import Text

from controlplane.quantity_texts import count_text, score_text, unscored_text
from controlplane.replay.regrading import Rescored
from controlplane.view.printed_columns import CleanConsole, print_columns
from controlplane.view.tables.judgement_table import NAME_WIDTH


@dataclass(frozen=True, slots=True)
class MeanScores:
    """The mean score of trials, as recorded and as graded now; None if there are no scores."""

    before: float | None
    after: float | None
    unscored: int
    """How many of the trials have no score as graded now, though they could be graded."""

    @classmethod
    def of(cls, trials: Sequence[Rescored]) -> MeanScores:
        before = [trial.before for trial in trials if trial.before is not None]
        after = [trial.after for trial in trials if trial.after is not None]
        return cls(
            fmean(before) if before else None,
            fmean(after) if after else None,
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
        heads, rows, narrowest={"trial": NAME_WIDTH}, right_aligned=("before", "after")
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
