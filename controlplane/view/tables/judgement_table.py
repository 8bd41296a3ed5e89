"""Prints what a run comes to today: how gates judge its answers, graders score them, scripts run again."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text

from controlplane.journal.journal_reader import Journal
from controlplane.quantity_texts import (
    count_text,
    score_style,
    score_text,
    unscored_text,
)
from controlplane.replay.judged_submissions import Rejudged, tallies, verdict_name
from controlplane.replay.regrading import Rescored
from controlplane.score_scale import mean_over_tasks
from controlplane.terminal_text import say
from controlplane.view.printed_columns import CleanConsole, print_columns

if TYPE_CHECKING:
    from controlplane.replay.verification import Verification

_NAME_WIDTH: Final = 16
"""The number of columns to which names are cut in a narrow window."""
_EFFECT_STYLES: Final = {"stopped": "red", "let through": "yellow"}
_AS_BEFORE: Final = "as before"


def _print_trials(
    heads: Sequence[str], rows: Iterable[tuple[object, ...]], runs: int
) -> None:
    """Print a table about trials. The first cell of a row is the run, told only if there are `runs`.

    The last cell of a row is a note, which is printed below it.
    """
    first = 0 if runs > 1 else 1
    print_columns(
        ("run", "trial", *heads)[first:],
        [row[first:] for row in rows],
        narrowest={"trial": _NAME_WIDTH},
        right_aligned=("step", "score", "before", "after"),
    )


def print_judged(
    submissions: Sequence[Rejudged], *, runs: int, everything: bool
) -> None:
    """Print the submissions that today's gates judge differently, with counts and totals.

    `everything`: print all submissions. A submission is an answer that a script
    submitted. Its effect says what is different today: it is `stopped`, `let through`,
    has `other verdicts`, or is `as before`.
    """
    rows = []
    for item in submissions:
        if everything or item.effect != _AS_BEFORE:
            score = Text(score_text(item.score), style=score_style(item.score))
            effect = Text(item.effect, style=_EFFECT_STYLES.get(item.effect, ""))
            why = _why_text(item)
            rows.append((item.run, item.trial_id, item.step, score, effect, why))
    _print_trials(("step", "score", "today"), rows, runs)

    # For each gate or rule, how many submissions it judges differently today: of the accepted
    # answers that it rejects now, how many the grader found right or wrong, and how many have no score.
    heads = ("stops right", "stops wrong", "stops unscored", "no longer rejects")
    counts = [
        (
            tally.name,
            tally.stops_right,
            tally.stops_wrong,
            tally.stops_unscored,
            tally.rejects_no_more,
        )
        for tally in tallies(submissions)
    ]
    print_columns(("gate", *heads), counts, right_aligned=heads)
    CleanConsole(highlight=False).print(Text(_sums_text(submissions, runs)))


def _why_text(submission: Rejudged) -> str:
    """Return which verdicts changed, or which gates and rules have been switched on or off.

    `citations: accepted → rejected`, or `switched on: citations`.
    """
    if submission.changes:
        return "; ".join(
            f"{verdict_name(change)}: {change.before} → {change.after}"
            for change in submission.changes
        )
    if submission.effect == _AS_BEFORE:
        return ""

    # All verdicts are as before. So the difference is whether an objection counts: a gate that is
    # switched off still judges, and its objection is recorded, but does not reject.
    names = "; ".join(submission.rejected_after or submission.rejected_before)
    switched = "on" if submission.effect == "stopped" else "off"
    return f"switched {switched}: {names}"


_RIGHTNESS: Final = {True: "right", False: "wrong", None: "without a score"}


def _sums_text(submissions: Sequence[Rejudged], runs: int) -> str:
    """Return the totals in one line.

    `9 submissions of 5 trials in 1 run judged: 8 as before (7 right, 1 wrong), ...`
    """
    trials = {(submission.run, submission.trial_id) for submission in submissions}
    by_effect: dict[str, Counter[bool | None]] = {}
    for submission in submissions:
        by_effect.setdefault(submission.effect, Counter())[submission.is_right] += 1
    texts = []
    for effect, counts in by_effect.items():
        shares = [
            f"{counts[is_right]} {text}"
            for is_right, text in _RIGHTNESS.items()
            if counts[is_right]
        ]
        texts.append(f"{counts.total()} {effect} ({', '.join(shares)})")

    judged = count_text(len(submissions), "submission")
    place = f"{count_text(len(trials), 'trial')} in {count_text(runs, 'run')}"
    return f"{judged} of {place} judged: {', '.join(texts)}"


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
    rows = []
    changed = 0
    not_graded = 0
    for trial in trials:
        has_changed = not trial.problem and trial.before != trial.after
        changed += has_changed
        not_graded += bool(trial.problem)
        if everything or trial.problem or has_changed:
            before, after = score_text(trial.before), score_text(trial.after)
            why = trial.problem or "; ".join(trial.details)
            rows.append((trial.run, trial.trial_id, before, after, why))
    _print_trials(("before", "after"), rows, runs)

    text = f"{count_text(len(trials), 'trial')} graded again, {changed} changed"
    if not_graded:
        text += f", {not_graded} not graded"
    means = MeanScores.of(trials)
    before, after = score_text(means.before, 3), score_text(means.after, 3)
    text += f" · mean score {before} before, {after} after"
    reasons = Counter(trial.unscored for trial in trials if trial.unscored)
    if reasons:
        text += f", {unscored_text(dict(reasons.most_common()))}"
    CleanConsole(highlight=False).print(Text(text))


# Whether the scripts of a run did the same as in its journal when they were run again.


def print_verification(
    verification: Verification, journal: Journal, *, as_json: bool
) -> None:
    """Print what differs, and what was compared."""
    if as_json:
        print(json.dumps(_verification_object(verification, journal)))
        return
    for difference in verification.differences:
        say(difference)
    say(_result_text(verification, journal))
    CleanConsole(highlight=False).print(Text(_compared_text(verification)))


def _verification_object(
    verification: Verification, journal: Journal
) -> dict[str, object]:
    from controlplane.replay.verification import compared_fields, signed_only_fields

    return {
        "agrees": not verification.differences,
        **dataclasses.asdict(verification),
        "closed": bool(journal.summary.process.closed),
        "compared": compared_fields(),
        "only_marked": signed_only_fields(),
    }


def _compared_text(verification: Verification) -> str:
    """Return which fields of events were compared, and what protects the others.

    Some fields, such as replies, cannot be computed again. The mark on each line of the
    journal, which is the user's signature, protects them. `unmarked` says which marks are
    missing.
    """
    from controlplane.replay.verification import SIGNED_ONLY_TEXT, compared_fields

    events = []
    for name, fields in compared_fields().items():
        events.append(f"{name} ({', '.join(fields)})")
    rest = "not recomputed; protected only by your signature"
    if verification.unmarked:
        rest = f"not verified, as {verification.unmarked}"
    return f"compared: {', '.join(events)}\n{rest}: {SIGNED_ONLY_TEXT}"


def _result_text(verification: Verification, journal: Journal) -> str:
    """Return `3 trials, 12 steps: everything is as recorded`, and any exceptions."""
    trials = count_text(verification.trials, "trial")
    steps = count_text(verification.steps, "step")
    text = f"{trials}, {steps}: everything is as recorded"
    if verification.differences:
        differing = count_text(len(verification.differences), "step")
        versions = " and ".join(verification.other_versions)
        text += f" except for {differing}, under another version of {versions}"
    if verification.left_out:
        text += f"; not compared: {'; '.join(verification.left_out)}"
    if journal.is_torn:
        text += "; the last line was cut off while it was written"
    elif not journal.summary.process.closed:
        text += "; the journal ends before the run was closed"
    return text
