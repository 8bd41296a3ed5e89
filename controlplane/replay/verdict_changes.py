"""What today's gates say of recorded submissions that those of the run did not: which answers they stop or let through.

A submission has a score if it is the answer that was graded: same message, outcome and citations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from agent.events import Judged, VerdictRecord
from agent.submission import GateSettings
from controlplane.comparison.repeated_tries import PASSED
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_content import Journal
from controlplane.journal.run_summary import TrialSummary
from controlplane.replay.judged_submissions import JudgedSubmission, submissions_in

Effect: TypeAlias = Literal["stopped", "let through", "other verdicts", "as before"]
EFFECTS: Final[tuple[Effect, ...]] = ("stopped", "let through", "other verdicts", "as before")
NOTHING: Final = "absent"
"""The result of a rule that was not among those that judged."""


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """One gate or rule that says something else today."""

    gate: int
    """1 to 8; 0 for a rule of a pack."""
    name: str
    before: str
    """`pass`, `reject`, `not_applicable`, `skipped`, or `absent`."""
    after: str
    reason_before: str
    reason_after: str


@dataclass(frozen=True, slots=True)
class Rejudged:
    """One submission as it was judged in its run, and as it is today."""

    run: str
    trial_id: str
    task_id: str
    step: int
    number: int
    """Counts the submissions of the trial, from 1."""
    effect: Effect
    score: float | None
    """The grader's score of this very answer; None if it was not graded, or is sealed."""
    answer: str
    outcome: str
    refs: tuple[str, ...]
    changes: tuple[VerdictChange, ...]
    rejected_before: tuple[str, ...]
    """The gates and rules that rejected it then and were switched on, each as `6 outcome class` or `pack/rule`."""
    rejected_after: tuple[str, ...]
    """Those that reject it today."""

    @property
    def is_right(self) -> bool | None:
        """Whether the grader found it right; None if that is not known."""
        return None if self.score is None else self.score >= PASSED


@dataclass(frozen=True, slots=True)
class GateTally:
    """What one gate or rule does today that it did not do then."""

    name: str
    stops_right: int
    stops_wrong: int
    stops_unscored: int
    rejects_no_more: int
    """Submissions that it rejected then and does not today."""


def rejudged(
    journal: Journal, gates: GateSettings, on_diverged: Callable[[ReplayDiverged], None] | None = None
) -> Iterator[Rejudged]:
    """Yield every submission of a journal as it was judged and as `gates` judge it. Raises as `submissions_in` does."""
    for each in submissions_in(journal, gates, on_diverged):
        yield _compared(journal.run, each, journal.summary.trials[each.trial_id])


def _compared(run: str, each: JudgedSubmission, trial: TrialSummary) -> Rejudged:
    before, after = each.recorded, Judged.of(each.judgement, each.submission, after_calls=0)
    changes = tuple(_changes(before.verdicts, after.verdicts))
    effect: Effect = "other verdicts" if changes else "as before"
    # Objections are compared as if each were the first of its rule: under protest an answer goes out in spite of them.
    passed, passes = before.accepted and not before.protests, after.accepted
    if passed != passes:
        effect = "stopped" if passed else "let through"
    was_graded = (before.answer, before.outcome, before.refs) == (trial.answer, trial.outcome, trial.refs)
    return Rejudged(
        run=run,
        trial_id=each.trial_id,
        task_id=each.task_id,
        step=each.step,
        number=each.number,
        effect=effect,
        score=trial.score if was_graded else None,
        answer=before.answer,
        outcome=before.outcome,
        refs=before.refs,
        changes=changes,
        rejected_before=tuple(map(verdict_name, (*before.rejections, *before.protests))),
        rejected_after=tuple(map(verdict_name, after.rejections)),
    )


def _changes(before: Iterable[VerdictRecord], after: Iterable[VerdictRecord]) -> Iterator[VerdictChange]:
    """Yield what rejects now and did not, or no longer rejects."""
    then, now = ({(each.gate, each.name): each for each in verdicts} for verdicts in (before, after))
    for key in dict.fromkeys((*now, *then)):
        results = [_first(each[key].result) if key in each else NOTHING for each in (then, now)]
        reasons = [each[key].reason if key in each else "" for each in (then, now)]
        if results[0] != results[1] and "reject" in results:
            yield VerdictChange(*key, results[0], results[1], reasons[0], reasons[1])


def _first(result: str) -> str:
    """Return a verdict's result as if an objection were the first of its rule."""
    return "reject" if result == "protest" else result


def verdict_name(verdict: VerdictRecord | VerdictChange) -> str:
    """Return a gate's number and name, or `pack/rule`."""
    return f"{verdict.gate} {verdict.name}" if verdict.gate else verdict.name


def tallies(found: Iterable[Rejudged]) -> tuple[GateTally, ...]:
    """Return, for each gate and rule, which accepted answers it stops today, and how often it rejects no more."""
    counts: dict[str, dict[bool | str | None, int]] = {}
    for each in found:
        if each.effect == "stopped":
            for name in each.rejected_after:
                of_gate = counts.setdefault(name, {})
                of_gate[each.is_right] = of_gate.get(each.is_right, 0) + 1
        for name in set(each.rejected_before) - set(each.rejected_after):
            of_gate = counts.setdefault(name, {})
            of_gate["no more"] = of_gate.get("no more", 0) + 1
    return tuple(
        GateTally(name, each.get(True, 0), each.get(False, 0), each.get(None, 0), each.get("no more", 0))
        for name, each in sorted(counts.items())
    )
