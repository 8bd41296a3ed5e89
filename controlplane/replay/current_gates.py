"""The current gates, as they judge the submissions of a recorded trial.

Gates are the checks that accept or reject a submission, the answer that a script proposes. To
see what a change of the gates would have changed in a run, the scripts of its trials run
again, and `CurrentGates` judges what they submit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.events import Judged
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.second_reader.reviewed_judgement import with_review
from controlplane.agent.submission import GateSettings
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import VERIFY_GATE, Judgement, Verdict
from controlplane.replay.judgement_comparison import RecordedSubmission
from controlplane.sandbox import Worker

NOT_ASKED: Final = "its verify was not asked then, so what it says is not known"
"""The reason in a skipped verdict of gate 7. That gate tests the function
`verify`, which a script submits with its answer to check the answer."""


@dataclass(frozen=True, slots=True)
class NewJudgement:
    """A recorded submission, and how the current gates judge it."""

    submission: RecordedSubmission
    judged: Judged


@dataclass(frozen=True)  # `super()` does not work in a dataclass with slots
class CurrentGates(GateSettings):
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
    _new_judgements: list[NewJudgement] = field(default_factory=list)
    """Those since the last `take_new_judgements`."""

    def take_new_judgements(self) -> list[NewJudgement]:
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
        judged = Judged.of(judgement, submission, after_calls=0)
        self._new_judgements.append(NewJudgement(recorded, judged))
        return judgement


# A submission whose `verify` was not called in the run. The script's function cannot be
# called, and without one, gate 7 would reject the submission. So the gate gets a `verify` that
# approves, and lets the submission pass. Its verdict says nothing about the script's function,
# so it is then replaced.


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
    """Return a judgement in which gate 7 is skipped instead of passed."""
    verdicts: list[Verdict] = []
    for verdict in judgement.verdicts:
        if verdict.gate == VERIFY_GATE and verdict.result == "pass":
            verdict = replace(verdict, result="skipped", reason=NOT_ASKED)
        verdicts.append(verdict)
    return replace(judgement, verdicts=tuple(verdicts))
