"""Judges recorded submissions with the current gates, and compares the judgements with
the recorded ones.

This shows which answers a change of the gates would stop or let through. Scripts of
each trial run again, and their calls get the recorded results. If a submission is the
answer that was graded (same message, outcome and citations), it has the grader's score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from controlplane.agent.events import Judged, VerdictRecord
from controlplane.agent.evidence import Difference
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.submission import GateSettings, judging_modules
from controlplane.errors import ReplayDiverged
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import (
    VERIFY_GATE,
    Case,
    Judgement,
    Submission,
    Verdict,
)
from controlplane.journal.journal_reader import Journal, RecordedTrial
from controlplane.replay.rerun import ENDED_BY_SANDBOX, RerunSettings, run_again
from controlplane.replay.trial_memory import TrialMemory
from controlplane.replay.verification import recording_of, replay_isolation
from controlplane.sandbox import ForkServer, Layer, Worker
from controlplane.score_statistics import PASSED

# --- Results ---

Effect: TypeAlias = Literal["stopped", "let through", "other verdicts", "as before"]


@dataclass(frozen=True, slots=True)
class VerdictChange:
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
    """The number of the submission in its trial, from 1."""
    effect: Effect
    score: float | None
    """The grader's score of this answer; None if it was not graded, or the score is not
    told yet."""
    answer: str
    outcome: str
    refs: tuple[str, ...]
    changes: tuple[VerdictChange, ...]
    rejected_before: tuple[str, ...]
    """The gates and rules that rejected it in the run, as `6 outcome class` or
    `RULE_SET/RULE`."""
    rejected_after: tuple[str, ...]

    @property
    def is_right(self) -> bool | None:
        """True if the grader found the answer right; None without a score."""
        return None if self.score is None else self.score >= PASSED


@dataclass(frozen=True, slots=True)
class GateTally:
    """Counts the changed judgements of one gate or rule."""

    name: str
    stops_right: int = 0
    """Accepted answers that it would stop now although the grader found them right."""
    stops_wrong: int = 0
    """Accepted answers that it would stop now, and that the grader found wrong."""
    stops_unscored: int = 0
    """Accepted answers that it would stop now, and that have no score."""
    rejects_no_more: int = 0
    """Submissions that it rejected in the run, and would not reject now."""


def tallies(submissions: Iterable[Rejudged]) -> tuple[GateTally, ...]:
    """Return the counts of changed judgements for each gate and rule, sorted by
    name."""
    tally_by_name: dict[str, GateTally] = {}

    for submission in submissions:
        if submission.effect == "stopped":
            for name in submission.rejected_after:
                tally = tally_by_name.get(name, GateTally(name))
                tally_by_name[name] = _with_stop(tally, is_right=submission.is_right)
        for name in set(submission.rejected_before) - set(submission.rejected_after):
            tally = tally_by_name.get(name, GateTally(name))
            count = tally.rejects_no_more + 1
            tally_by_name[name] = replace(tally, rejects_no_more=count)
    return tuple(tally_by_name[name] for name in sorted(tally_by_name))


def _with_stop(tally: GateTally, *, is_right: bool | None) -> GateTally:
    """Return a tally with one more stopped answer."""
    if is_right is None:
        return replace(tally, stops_unscored=tally.stops_unscored + 1)
    if is_right:
        return replace(tally, stops_right=tally.stops_right + 1)
    return replace(tally, stops_wrong=tally.stops_wrong + 1)


# --- Judging again ---

NOT_ASKED: Final = "its verify was not asked then, so what it says is not known"
"""The reason in a skipped verdict of gate 7. That gate tests the function `verify`
which a script submits to check its own answer."""


@dataclass(frozen=True, slots=True)
class _RecordedSubmission:
    """A submission with its judgement in the run."""

    step: int
    """The step in which it was submitted."""
    judged: Judged


@dataclass(frozen=True)  # without slots, with which `super()` does not work
class _JudgingAgain(GateSettings):
    """The current gates, which record how they judge the submissions of one trial.

    While the trial runs again, `judge` is called for each submission. There are three
    differences from the gates of a run:

    - Each submission is judged as if it were the first. A run accepts a second
      submission despite a rule that only asks the model to reconsider. Here that rule
      rejects it again.
    - Gate 7 calls a script's own `verify`, which may make calls to the environment.
      Their results are recorded only if the run called `verify`, too. Otherwise the
      gate is skipped.
    - The second reader reads every submission that was accepted in the run, and still
      is.
    """

    recorded: Sequence[_RecordedSubmission] = field(kw_only=True)
    """The submissions of the trial, in order."""
    judgements: list[Judged] = field(default_factory=list)
    """The current judgements of the submissions that the rerun has reached so far, in
    order."""
    ask: AskReader | None = None
    """Asks a model to check accepted answers as a second reader; None without one."""

    def judge(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        put: Mapping[str, Sequence[str]],
    ) -> Judgement:
        """Judge the next submission, and record the judgement.

        `put` holds the objections to earlier submissions. A run judges later ones more
        mildly because of them, so they are not used here.
        """
        number = len(self.judgements)
        if number >= len(self.recorded):
            # The script submits more often than in the run. The rerun reports that as a
            # difference.
            return super().judge(worker, submission, evidence, case, put)

        recorded = self.recorded[number].judged
        has_verify = (
            submission.probe is not None
        )  # `probe` calls the script's `verify`.
        if has_verify and not _asked_verify(recorded):
            judgement = self._judge_without_verify(worker, submission, evidence, case)
        else:
            judgement = self._judge_as_first(worker, submission, evidence, case)

        if self.ask is not None and recorded.accepted and judgement.accepted:
            review = review_of(self.ask, submission, evidence, case)
            judgement = self.reviewed(judgement, review)
        # `after_calls` counts the calls before the submission. It is not compared, so
        # any will do.
        self.judgements.append(Judged.of(judgement, submission, after_calls=0))
        return judgement

    def _judge_as_first(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
    ) -> Judgement:
        """Judge a submission as if it were the first of its trial."""
        no_objections: Mapping[str, Sequence[str]] = {}
        return super().judge(worker, submission, evidence, case, no_objections)

    def _judge_without_verify(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
    ) -> Judgement:
        """Judge a submission whose `verify` was not called in the run.

        The judgement assumes that `verify` approves, and the verdict of gate 7 becomes
        "skipped".
        """
        assert submission.probe is not None
        approving_probe = submission.probe._replace(ask=_answer_like_sound_verify)
        submission = replace(submission, probe=approving_probe)
        judgement = self._judge_as_first(worker, submission, evidence, case)
        verdicts: list[Verdict] = []
        for verdict in judgement.verdicts:
            if verdict.gate == VERIFY_GATE and verdict.result == "pass":
                verdict = replace(verdict, result="skipped", reason=NOT_ASKED)
            verdicts.append(verdict)
        return replace(judgement, verdicts=tuple(verdicts))


def _asked_verify(recorded: Judged) -> bool:
    """Return False if the run skipped gate 7, so that it never called the script's
    `verify`."""
    for verdict in recorded.verdicts:
        if verdict.gate == VERIFY_GATE and verdict.result == "skipped":
            return False
    return True


def _answer_like_sound_verify(is_blank: bool) -> tuple[bool, str]:
    """Stand in for a script's `verify`: approve the submission, and reject a blank
    answer.

    Gate 7 asks about a blank answer, too, because a `verify` that approves it checks
    nothing. The second value of the result is an error text, which is empty.
    """
    return not is_blank, ""


def rejudged(
    journal: Journal,
    gates: GateSettings,
    on_diverged: Callable[[ReplayDiverged], None] | None = None,
    *,
    ask: AskReader | None = None,
) -> Iterator[Rejudged]:
    """Yield each submission of a journal with its recorded judgement and that of
    `gates`.

    If the sandbox ended a step, its submissions are omitted, because how far the step
    got depends on the machine. With `ask`, a second reader checks accepted answers.

    Raises `UsageError` if a layer of the sandbox is missing or a rule set is unknown.
    Raises `ReplayDiverged` if a script makes different calls than in the run. If
    `on_diverged` is given, it is called with that error instead, and the rest of the
    trial is omitted.
    """
    isolation = replay_isolation()
    memory = TrialMemory(journal)
    with ForkServer(judging_modules(gates.rule_sets)) as server:
        for trial in journal.trials.values():
            try:
                yield from _rejudged_trial(trial, server, gates, isolation, ask)
            except ReplayDiverged as error:
                if on_diverged is None:
                    raise
                on_diverged(error)
            memory.free()  # Python would free the objects of this trial much later.


def _rejudged_trial(
    trial: RecordedTrial,
    server: ForkServer,
    gates: GateSettings,
    isolation: frozenset[Layer],
    ask: AskReader | None,
) -> Iterator[Rejudged]:
    """Run a trial again, and yield the submissions of each step. Yield none if it never
    started.

    Raises `ReplayDiverged` if a step makes different calls than in the run.
    """
    recording = recording_of(trial, server, isolation)
    if recording is None:
        return
    submissions: list[_RecordedSubmission] = []
    for step in recording.record.steps:
        if step.ending not in ENDED_BY_SANDBOX:
            for judged in step.verdicts:
                submissions.append(_RecordedSubmission(step.step, judged))

    gates_again = _JudgingAgain(
        gates.policy, gates.rule_sets, recorded=submissions, ask=ask
    )
    settings = RerunSettings(gates_again, isolation=isolation)
    yielded = 0
    # Each round runs one step again. Meanwhile `gates_again` judges the step's
    # submissions, and appends the judgements to its list.
    for differences in run_again(recording, server, settings):
        _refuse_other_calls(trial, differences)
        judgements_of_step = gates_again.judgements[yielded:]
        for judgement in judgements_of_step:
            submission = submissions[yielded]
            yielded += 1
            yield _compared(trial, yielded, submission, judgement)


def _refuse_other_calls(
    trial: RecordedTrial, differences: Sequence[Difference]
) -> None:
    """Raise `ReplayDiverged` if a step made other calls than recorded.

    Its submissions may then differ, too.
    """
    for difference in differences:
        is_of_calls = difference.field.startswith(
            "calls"
        )  # `calls`, or a field of one call
        if is_of_calls:
            msg = (
                f"trial {trial.trial_id}, step {difference.step}: "
                f"recorded {difference.recorded}, now {difference.now}"
            )
            raise ReplayDiverged(msg)


# --- Comparing two judgements ---


def _compared(
    trial: RecordedTrial, number: int, submission: _RecordedSubmission, after: Judged
) -> Rejudged:
    """Return the comparison of a submission's recorded judgement with the current one,
    `after`.

    `number` is that of the submission in its trial, from 1.
    """
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
        number=number,
        effect=_effect(before, after, changes),
        score=summary.score if was_graded else None,
        answer=before.answer,
        outcome=before.outcome,
        refs=before.refs,
        changes=changes,
        rejected_before=_verdict_names((*before.rejections, *before.overridden)),
        rejected_after=_verdict_names(after.rejections),
    )


def _effect(before: Judged, after: Judged, changes: Sequence[VerdictChange]) -> Effect:
    """Return what the current gates change for a submission."""
    # In a run, a model can override some objections by submitting again. Here every
    # objection rejects. So an objection that was overridden in the run counts as a
    # rejection, too.
    was_accepted = before.accepted and not before.overridden
    if was_accepted and not after.accepted:
        return "stopped"
    if after.accepted and not was_accepted:
        return "let through"
    return "other verdicts" if changes else "as before"


def _changes(
    before: Sequence[VerdictRecord], after: Sequence[VerdictRecord]
) -> tuple[VerdictChange, ...]:
    """Return the gates and rules that rejected in one of the two judgements, but not in
    both."""
    before_by_key = {(verdict.gate, verdict.name): verdict for verdict in before}
    after_by_key = {(verdict.gate, verdict.name): verdict for verdict in after}
    changes: list[VerdictChange] = []
    # Gates and rules that exist now come first, then those that existed only in the
    # run.
    for gate, name in {**after_by_key, **before_by_key}:
        verdict_before = before_by_key.get((gate, name))
        verdict_after = after_by_key.get((gate, name))
        result_before = _result_of(verdict_before)
        result_after = _result_of(verdict_after)
        was_rejected = result_before == "reject"
        is_rejected = result_after == "reject"
        if was_rejected != is_rejected:
            reason_before = verdict_before.reason if verdict_before else ""
            reason_after = verdict_after.reason if verdict_after else ""
            changes.append(
                VerdictChange(
                    gate, name, result_before, result_after, reason_before, reason_after
                )
            )
    return tuple(changes)


def _result_of(verdict: VerdictRecord | None) -> str:
    """Return the result of a verdict. An objection that the model overrode counts as a
    rejection."""
    if verdict is None:
        return "absent"
    return "reject" if verdict.result == "overridden" else verdict.result


def verdict_name(verdict: VerdictRecord | VerdictChange) -> str:
    """Return the name of a gate or rule: `6 outcome class`, or `RULE_SET/RULE`."""
    return f"{verdict.gate} {verdict.name}" if verdict.gate else verdict.name


def _verdict_names(verdicts: Iterable[VerdictRecord]) -> tuple[str, ...]:
    return tuple(verdict_name(verdict) for verdict in verdicts)
