"""Compares recorded judgements of submissions with the current ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from controlplane.agent.events import Judged, VerdictRecord
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.pass_rates import PASSED

Effect: TypeAlias = Literal["stopped", "let through", "other verdicts", "as before"]
"""What the current gates change for a submission: they reject one that the run accepted,
accept one that it rejected, decide the same for other reasons, or change nothing."""


@dataclass(frozen=True, slots=True)
class _VerdictChange:
    """A verdict of one gate or rule that differs from the recorded one."""

    gate: int
    """1 to 8; 0 for a rule of a rule set."""
    name: str
    before: str
    """`pass`, `reject`, `not_applicable`, `skipped`, or `absent`."""
    after: str
    """The current result, one of the same words."""
    reason_before: str
    reason_after: str


@dataclass(frozen=True, slots=True)
class Rejudged:
    """The comparison of one submission's recorded judgement with the current one."""

    run: str
    trial_id: str
    task_id: str
    step: int
    number: int
    """`RecordedSubmission.number`."""
    effect: Effect
    score: float | None
    """The grader's score of this answer; None if it
    was not graded, or the score is not told yet."""
    answer: str
    outcome: str
    refs: tuple[str, ...]
    changes: tuple[_VerdictChange, ...]
    rejected_before: tuple[str, ...]
    """The gates and rules that rejected it in the run, as `6 outcome class` or `RULE_SET/RULE`.

    Those whose objection the model overrode are among them.
    """
    rejected_after: tuple[str, ...]
    """The gates and rules that reject it now."""

    @property
    def is_right(self) -> bool | None:
        """True if the grader found the answer right; None without a score."""
        return None if self.score is None else self.score >= PASSED


@dataclass(frozen=True, slots=True)
class RecordedSubmission:
    """A submission with its judgement in the run."""

    number: int
    """The number of the submission among those of its trial that are judged again, from 1."""
    step: int
    """The step in which it was submitted."""
    judged: Judged


def compared(
    trial: RecordedTrial, submission: RecordedSubmission, after: Judged
) -> Rejudged:
    """Return the comparison of a submission's recorded judgement with the current one, `after`."""
    before = submission.judged
    changes = _changes(before.verdicts, after.verdicts)
    summary = trial.summary
    # Only the submission that was sent as the answer has a score.
    sent_answer = (summary.answer, summary.outcome, summary.refs)
    was_graded = (before.answer, before.outcome, before.refs) == sent_answer
    return Rejudged(
        run=trial.journal.run,
        trial_id=summary.trial_id,
        task_id=summary.task_id,
        step=submission.step,
        number=submission.number,
        effect=_effect(before, after, changes),
        score=summary.score if was_graded else None,
        answer=before.answer,
        outcome=before.outcome,
        refs=before.refs,
        changes=changes,
        rejected_before=_verdict_names((*before.rejections, *before.overridden)),
        rejected_after=_verdict_names(after.rejections),
    )


def _effect(before: Judged, after: Judged, changes: Sequence[_VerdictChange]) -> Effect:
    """Return what the current gates change for a submission; `before` is the run's judgement."""
    # In a run, a model can override some objections: it submits the same answer again.
    # Judging again has no model, so every objection rejects. For a fair comparison, an
    # answer that the run accepted over an objection therefore counts as rejected there.
    was_accepted = before.accepted and not before.overridden
    if was_accepted and not after.accepted:
        return "stopped"
    if after.accepted and not was_accepted:
        return "let through"
    return "other verdicts" if changes else "as before"


def _changes(
    before: Sequence[VerdictRecord], after: Sequence[VerdictRecord]
) -> tuple[_VerdictChange, ...]:
    """Return the gates and rules that rejected in one of the two judgements, but not in both."""
    before_by_key = {(verdict.gate, verdict.name): verdict for verdict in before}
    after_by_key = {(verdict.gate, verdict.name): verdict for verdict in after}
    changes: list[_VerdictChange] = []
    # Gates and rules that exist now come first, then those that existed only in the run.
    for key in {**after_by_key, **before_by_key}:
        old = before_by_key.get(key)
        new = after_by_key.get(key)
        if (_result_of(old) == "reject") != (_result_of(new) == "reject"):
            changes.append(_change(key, old, new))
    return tuple(changes)


def _change(
    key: tuple[int, str], old: VerdictRecord | None, new: VerdictRecord | None
) -> _VerdictChange:
    """Return the change of one gate or rule; a verdict is None if there was none."""
    gate, name = key
    return _VerdictChange(
        gate,
        name,
        before=_result_of(old),
        after=_result_of(new),
        reason_before=old.reason if old else "",
        reason_after=new.reason if new else "",
    )


def _result_of(verdict: VerdictRecord | None) -> str:
    """Return the result of a verdict.

    An objection that the model overrode counts as a rejection.
    """
    if verdict is None:
        return "absent"
    return "reject" if verdict.result == "overridden" else verdict.result


def verdict_name(verdict: VerdictRecord | _VerdictChange) -> str:
    """Return the name of a gate or rule: `6 outcome class`, or `RULE_SET/RULE`."""
    return f"{verdict.gate} {verdict.name}" if verdict.gate else verdict.name


def _verdict_names(verdicts: Iterable[VerdictRecord]) -> tuple[str, ...]:
    """Return the names of gates and rules: `("6 outcome class", "ecom/return")`."""
    return tuple(verdict_name(verdict) for verdict in verdicts)


# How often each gate would judge differently now, over all submissions.


@dataclass(frozen=True, slots=True)
class _GateTally:
    """How one gate or rule would judge differently now than in the run.

    A stopped answer is one that was accepted in the run, and that the gate rejects now.
    """

    name: str
    stops_right: int = 0
    """The number of stopped answers that the grader found right."""
    stops_wrong: int = 0
    """The number of stopped answers that the grader found wrong."""
    stops_unscored: int = 0
    """The number of stopped answers without a score."""
    rejects_no_more: int = 0
    """The number of submissions that it rejected in the run, and would not reject now."""


def tallies(submissions: Iterable[Rejudged]) -> tuple[_GateTally, ...]:
    """Return the counts of changed judgements for each gate and rule, sorted by name."""
    tally_by_name: dict[str, _GateTally] = {}

    for submission in submissions:
        if submission.effect == "stopped":
            for name in submission.rejected_after:
                tally = tally_by_name.get(name, _GateTally(name))
                tally_by_name[name] = _with_stop(tally, is_right=submission.is_right)
        for name in set(submission.rejected_before) - set(submission.rejected_after):
            tally = tally_by_name.get(name, _GateTally(name))
            count = tally.rejects_no_more + 1
            tally_by_name[name] = replace(tally, rejects_no_more=count)
    return tuple(tally_by_name[name] for name in sorted(tally_by_name))


def _with_stop(tally: _GateTally, *, is_right: bool | None) -> _GateTally:
    """Return a tally with one more stopped answer."""
    if is_right is None:
        return replace(tally, stops_unscored=tally.stops_unscored + 1)
    if is_right:
        return replace(tally, stops_right=tally.stops_right + 1)
    return replace(tally, stops_wrong=tally.stops_wrong + 1)
