"""Judges recorded submissions with the current gates, and compares the judgements.

This shows which answers a change of the gates would stop or let through. Scripts of
each trial run again, and their calls get the recorded results. If a submission is the
answer that was graded (same message, outcome and citations), it has the grader's score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.events import Judged, judged_submission
from controlplane.agent.evidence import Difference
from controlplane.agent.judging import GateSettings, judging_modules
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.second_reader import AskReader, review_of, with_review
from controlplane.errors import ReplayDiverged
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import VERIFY_GATE, Judgement, Verdict
from controlplane.journal.journal_reader import Journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.replay.judgement_comparison import (
    RecordedSubmission,
    Rejudged,
    compared,
)
from controlplane.replay.rerun import run_again
from controlplane.replay.verification import TrialMemory
from controlplane.replay.verified_recording import (
    ENDED_BY_SANDBOX,
    RerunSettings,
    recording_of,
    replay_isolation,
)
from controlplane.sandbox import ForkServer, Layer, Worker

# Judges a recorded submission whose `verify` the run never called.
#
# A script submits an answer with a function `verify`, which gate 7 calls to test the answer. When gates judge
# anew, that function cannot be called, and without one, gate 7 would reject. So the gate gets a `verify`
# that approves. Its verdict says nothing about the script's function, so it is then replaced.

_NOT_ASKED: Final = "its verify was not asked then, so what it says is not known"
"""The reason in a skipped verdict of gate 7."""


def _asked_verify(recorded: Judged) -> bool:
    """Return False if the run skipped gate 7, so that it never called the script's `verify`."""
    for verdict in recorded.verdicts:
        if verdict.gate == VERIFY_GATE and verdict.result == "skipped":
            return False
    return True


def _with_approving_verify(submission: Submission) -> Submission:
    """Return a submission whose `verify` approves it, without calling the script's."""
    assert submission.probe is not None
    approving_probe = submission.probe._replace(ask=_answer_like_sound_verify)
    return replace(submission, probe=approving_probe)


def _answer_like_sound_verify(is_blank: bool) -> tuple[bool, str]:
    """Answer gate 7 as a sound `verify` would: approve the submission, reject a blank answer.

    The gate asks about a blank answer, too, because a `verify` that approves it checks
    nothing. Returns whether it approves, and an error text, which is empty.
    """
    return not is_blank, ""


def _with_verify_skipped(judgement: Judgement) -> Judgement:
    """Return a judgement in which gate 7 is skipped instead of passed: what it says is not known."""
    verdicts: list[Verdict] = []
    for verdict in judgement.verdicts:
        if verdict.gate == VERIFY_GATE and verdict.result == "pass":
            verdict = replace(verdict, result="skipped", reason=_NOT_ASKED)
        verdicts.append(verdict)
    return replace(judgement, verdicts=tuple(verdicts))


# The current gates, as they judge the submissions of a recorded trial.
#
# Gates are the checks that accept or reject a submission, the answer that a script proposes. To
# see what a change of the gates would have changed in a run, the scripts of its trials run
# again, and `_CurrentGates` judges what they submit.


@dataclass(frozen=True, slots=True)
class _NewJudgement:
    """A recorded submission, and how the current gates judge it."""

    submission: RecordedSubmission
    judged: Judged


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

    recorded: Iterator[RecordedSubmission] = field(kw_only=True)
    """The submissions of the trial in order. `judge` takes the next one each time."""
    ask: AskReader | None = None
    """Asks the second reader; None without one."""
    _new_judgements: list[_NewJudgement] = field(default_factory=list)
    """Those since the last `take_new_judgements`."""

    def take_new_judgements(self) -> list[_NewJudgement]:
        """Return the judgements since the last call, in order."""
        judgements = list(self._new_judgements)
        self._new_judgements.clear()
        return judgements

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
        has_verify = submission.probe is not None
        if has_verify and not _asked_verify(recorded.judged):
            submission_to_judge = _with_approving_verify(submission)
            judgement = super().judge(worker, submission_to_judge, evidence, case, {})
            judgement = _with_verify_skipped(judgement)
        else:
            judgement = super().judge(worker, submission, evidence, case, {})

        if self.ask is not None and recorded.judged.accepted and judgement.accepted:
            review = review_of(self.ask, submission, evidence, case)
            judgement = with_review(judgement, review, self.policy)
        # The comparison does not use the number of calls before the submission.
        judged = judged_submission(judgement, submission, after_calls=0)
        self._new_judgements.append(_NewJudgement(recorded, judged))
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
        recorded=_submissions_to_judge(recording.record),
        ask=ask,
    )
    # Each round runs one step again. If its script submits an answer, the rerun asks
    # `current_gates`, which keep what they decide.
    settings = RerunSettings(current_gates, isolation=isolation)
    for differences in run_again(recording, server, settings):
        _refuse_other_calls(trial, differences)
        for new in current_gates.take_new_judgements():
            yield compared(trial, new.submission, new.judged)


def _submissions_to_judge(record: TrialRecord) -> Iterator[RecordedSubmission]:
    """Yield the submissions of the steps that run again, in order.

    A step that the sandbox ended, such as one that ran out of time, does not run again.
    """
    number = 0
    for step in record.step_summaries:
        if step.ending in ENDED_BY_SANDBOX:
            continue
        for judged in step.verdicts:
            number += 1
            yield RecordedSubmission(number, step.step, judged)


def _refuse_other_calls(
    trial: RecordedTrial, differences: Sequence[Difference]
) -> None:
    """Raise `ReplayDiverged` if a step made other calls than recorded.

    Its submissions may then differ, too.
    """
    for difference in differences:
        if difference.is_in_calls:
            msg = (
                f"trial {trial.trial_id}, step {difference.step}: "
                f"recorded {difference.recorded}, now {difference.now}"
            )
            raise ReplayDiverged(msg)
