"""Judges recorded submissions with the current gates, and compares the judgements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from controlplane.agent.events import Judged, VerdictRecord, judged_submission
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.second_reader import AskReader, review_of, with_review
from controlplane.agent.trial_gates import GateSettings, judging_modules
from controlplane.errors import ReplayDiverged
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import VERIFY_GATE, Judgement, Verdict
from controlplane.journal.journal_reader import Journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.replay.rerun import (
    ENDED_BY_SANDBOX,
    RerunSettings,
    recording_of,
    replay_isolation,
    run_again,
)
from controlplane.replay.verification import freed_memory
from controlplane.sandbox import ForkServer, Layer, Worker
from controlplane.score_statistics import PASSED

# Compares recorded judgements of submissions with the current ones.

_Effect: TypeAlias = Literal["stopped", "let through", "other verdicts", "as before"]
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
    """`_RecordedSubmission.number`."""
    effect: _Effect
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
class _RecordedSubmission:
    """A submission with its judgement in the run."""

    number: int
    """The number of the submission among those of its trial that are judged again, from 1."""
    step: int
    """The step in which it was submitted."""
    judged: Judged


def _compared(
    trial: RecordedTrial, submission: _RecordedSubmission, after: Judged
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


def _effect(
    before: Judged, after: Judged, changes: Sequence[_VerdictChange]
) -> _Effect:
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
    for gate, name in {**after_by_key, **before_by_key}:
        old = before_by_key.get((gate, name))
        new = after_by_key.get((gate, name))
        change = _VerdictChange(
            gate,
            name,
            before=_result_of(old),
            after=_result_of(new),
            reason_before=old.reason if old else "",
            reason_after=new.reason if new else "",
        )
        if (change.before == "reject") != (change.after == "reject"):
            changes.append(change)
    return tuple(changes)


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


@dataclass(slots=True)
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
                tally = tally_by_name.setdefault(name, _GateTally(name))
                if submission.is_right is None:
                    tally.stops_unscored += 1
                elif submission.is_right:
                    tally.stops_right += 1
                else:
                    tally.stops_wrong += 1
        for name in set(submission.rejected_before) - set(submission.rejected_after):
            tally_by_name.setdefault(name, _GateTally(name)).rejects_no_more += 1
    return tuple(tally_by_name[name] for name in sorted(tally_by_name))


# Judges recorded submissions anew.
#
# This shows which answers a change of the gates would stop or let through. Scripts of
# each trial run again, and their calls get the recorded results. If a submission is the
# answer that was graded (same message, outcome and citations), it has the grader's score.

# Judges a recorded submission whose `verify` the run never called.
#
# A script submits an answer with a function `verify`, which gate 7 calls to test the answer. When gates judge
# anew, that function cannot be called, and without one, gate 7 would reject. So the gate gets a `verify`
# that approves. Its verdict says nothing about the script's function, so it is then replaced.

_NOT_ASKED: Final = "its verify was not asked then, so what it says is not known"
"""The reason in a skipped verdict of gate 7."""


def _answer_like_sound_verify(is_blank: bool) -> tuple[bool, str]:
    """Answer gate 7 as a sound `verify` would: approve the submission, reject a blank answer.

    The gate asks about a blank answer, too, because a `verify` that approves it checks
    nothing. Returns whether it approves, and an error text, which is empty.
    """
    return not is_blank, ""


# The current gates, as they judge the submissions of a recorded trial.
#
# Gates are the checks that accept or reject a submission, the answer that a script proposes. To
# see what a change of the gates would have changed in a run, the scripts of its trials run
# again, and `_CurrentGates` judges what they submit.


@dataclass(frozen=True)  # `super()` does not work in a dataclass with slots
class _CurrentGates(GateSettings):
    """The gates for the rerun of one trial. They collect how they judge its submissions.

    They differ from the gates of a run in three ways:

    - Each submission is judged as if it were the first. A run accepts a second
      submission despite a rule that only asks the model to reconsider. Here that rule
      rejects it again.
    - Gate 7 calls a script's own `verify`, which may make calls to the environment.
      Their results are recorded only if the run called `verify`, too. Otherwise the
      gate is skipped.
    - The second reader, a model that reads accepted answers, reads every submission that was
      accepted in the run and still is.
    """

    trial: RecordedTrial = field(kw_only=True)
    recorded: Iterator[_RecordedSubmission] = field(kw_only=True)
    """The submissions of the trial in order. `judge` takes the next one each time."""
    ask: AskReader | None = None
    """Asks the second reader; None without one."""
    rejudged: list[Rejudged] = field(default_factory=list)
    """How they judged the submissions so far. Who has taken them clears the list."""

    def judge(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        earlier_objections: Mapping[str, Sequence[str]],
    ) -> Judgement:
        """Judge the next submission. The rerun calls this when the script submits it.

        `earlier_objections` are the objections to earlier submissions. A run judges later
        submissions more mildly because of them. Here each is judged without them.
        """
        recorded = next(self.recorded, None)
        if recorded is None:
            # The script submits more often than in the run, which the rerun reports as a
            # difference. There is no recorded judgement to compare with.
            return super().judge(worker, submission, evidence, case, earlier_objections)

        # Gate 7 calls `verify`. If the run did not call it, no results of its calls are recorded.
        was_skipped = any(
            verdict.gate == VERIFY_GATE and verdict.result == "skipped"
            for verdict in recorded.judged.verdicts
        )
        if submission.probe is not None and was_skipped:
            approving_probe = submission.probe._replace(ask=_answer_like_sound_verify)
            submission_to_judge = replace(submission, probe=approving_probe)
            judgement = super().judge(worker, submission_to_judge, evidence, case, {})
            verdicts: list[Verdict] = []
            for verdict in judgement.verdicts:
                if verdict.gate == VERIFY_GATE and verdict.result == "pass":
                    verdict = replace(verdict, result="skipped", reason=_NOT_ASKED)
                verdicts.append(verdict)
            judgement = replace(judgement, verdicts=tuple(verdicts))
        else:
            judgement = super().judge(worker, submission, evidence, case, {})

        if self.ask is not None and recorded.judged.accepted and judgement.accepted:
            review = review_of(self.ask, submission, evidence, case)
            judgement = with_review(judgement, review, self.policy)
        # The comparison does not use the number of calls before the submission.
        judged = judged_submission(judgement, submission, after_calls=0)
        self.rejudged.append(_compared(self.trial, recorded, judged))
        return judgement


def rejudged(
    journal: Journal,
    gates: GateSettings,
    on_diverged: Callable[[ReplayDiverged], None] | None = None,
    *,
    ask: AskReader | None = None,
) -> Iterator[Rejudged]:
    """Yield each submission of a journal with its recorded judgement and that of `gates`.

    If the sandbox ended a step, its submissions are omitted, because how far the step
    got depends on the machine. With `ask`, a second reader checks accepted answers.

    Raises `UsageError` if a layer of the sandbox is missing or a rule set is unknown.
    Raises `ReplayDiverged` if a script makes different calls than in the run. If
    `on_diverged` is given, it is called with that error instead, and the rest of the
    trial is omitted.
    """
    isolation = replay_isolation()
    with (
        ForkServer(judging_modules(gates.rule_sets)) as server,
        freed_memory() as free,
    ):
        for trial in journal.trials.values():
            try:
                yield from _rejudged_trial(trial, server, gates, isolation, ask)
            except ReplayDiverged as error:
                if on_diverged is None:
                    raise
                on_diverged(error)
            free()


def _rejudged_trial(
    trial: RecordedTrial,
    server: ForkServer,
    gates: GateSettings,
    isolation: frozenset[Layer],
    ask: AskReader | None,
) -> Iterator[Rejudged]:
    """Run a trial again, and yield its submissions, judged anew; none if it never started.

    A submission is an answer that a script proposes. `gates` are the checks that accept or
    reject it, and `ask` asks a second reader about an accepted one. Raises `ReplayDiverged` if a
    step makes different calls than in the run.
    """
    recording = recording_of(trial, server, isolation)
    if recording is None:
        return
    current_gates = _CurrentGates(
        gates.policy,
        gates.rule_sets,
        trial=trial,
        recorded=_submissions_to_judge(recording.record),
        ask=ask,
    )
    # Each round runs one step again. If its script submits an answer, the rerun asks
    # `current_gates`, which keep what they decide.
    settings = RerunSettings(current_gates, isolation=isolation)
    for differences in run_again(recording, server, settings):
        for difference in differences:
            if difference.is_in_calls:  # Its submissions may then differ, too.
                msg = (
                    f"trial {trial.trial_id}, step {difference.step}: "
                    f"recorded {difference.recorded}, now {difference.now}"
                )
                raise ReplayDiverged(msg)
        yield from current_gates.rejudged
        current_gates.rejudged.clear()


def _submissions_to_judge(record: TrialRecord) -> Iterator[_RecordedSubmission]:
    """Yield the submissions of the steps that run again, in order.

    A step that the sandbox ended, such as one that ran out of time, does not run again.
    """
    number = 0
    for step in record.step_summaries:
        if step.ending in ENDED_BY_SANDBOX:
            continue
        for judged in step.verdicts:
            number += 1
            yield _RecordedSubmission(number, step.step, judged)
