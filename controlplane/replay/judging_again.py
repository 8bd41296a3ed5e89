"""The current gates, as they judge the submissions of a recorded trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.events import Judged
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.submission import GateSettings
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import (
    VERIFY_GATE,
    Case,
    Judgement,
    Submission,
    Verdict,
)
from controlplane.replay.judgement_comparison import RecordedSubmission
from controlplane.sandbox import Worker

NOT_ASKED: Final = "its verify was not asked then, so what it says is not known"
"""The reason in a skipped verdict of gate 7. That gate tests the function
`verify`, which a script submits with its answer to check the answer."""


@dataclass(frozen=True, slots=True)
class JudgedAgain:
    """A recorded submission, and how the current gates judge it."""

    submission: RecordedSubmission
    judgement: Judged


@dataclass(frozen=True)  # without slots, with which `super()` does not work
class JudgingAgain(GateSettings):
    """The current gates, as they judge the submissions of one trial that runs again.

    Gates are the checks that accept or reject a submission, the answer that a script
    proposes. These differ from the gates of a run in three ways:

    - Each submission is judged as if it were the first. A run accepts a second
      submission despite a rule that only asks the model to reconsider. Here that rule
      rejects it again.
    - Gate 7 calls a script's own `verify`, which may make calls to the environment.
      Their results are recorded only if the run called `verify`, too. Otherwise the
      gate is skipped.
    - The second reader reads every submission that was accepted in the run and still is.
    """

    recorded: Iterator[RecordedSubmission] = field(kw_only=True)
    """The submissions of the trial that the rerun has not reached yet, in order."""
    ask: AskReader | None = None
    """Asks a model to check accepted answers as a second reader; None without one."""
    _judged: list[JudgedAgain] = field(default_factory=list)
    """The submissions that were judged since the last `take_judged`."""

    def take_judged(self) -> list[JudgedAgain]:
        """Return the submissions that were judged since the last call, in order."""
        judged = list(self._judged)
        self._judged.clear()
        return judged

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
            # The script submits more often than in the run. The rerun reports that as a difference.
            return super().judge(worker, submission, evidence, case, earlier_objections)

        has_verify = submission.probe is not None
        skips_verify = has_verify and not _asked_verify(recorded.judged)
        to_judge = submission
        if skips_verify:
            to_judge = _with_approving_verify(submission)
        judgement = super().judge(worker, to_judge, evidence, case, {})
        if skips_verify:
            judgement = _without_verdict_of_verify(judgement)

        if self.ask is not None and recorded.judged.accepted and judgement.accepted:
            review = review_of(self.ask, submission, evidence, case)
            judgement = self.add_review(judgement, review)
        # The comparison does not use the number of calls before the submission.
        judged = Judged.of(judgement, submission, after_calls=0)
        self._judged.append(JudgedAgain(recorded, judged))
        return judgement


def _with_approving_verify(submission: Submission) -> Submission:
    """Return a submission whose `verify` approves it, without calling the script's."""
    assert submission.probe is not None
    approving_probe = submission.probe._replace(ask=_answer_like_sound_verify)
    return replace(submission, probe=approving_probe)


def _without_verdict_of_verify(judgement: Judgement) -> Judgement:
    """Return a judgement in which gate 7 is skipped instead of passed."""
    verdicts: list[Verdict] = []
    for verdict in judgement.verdicts:
        if verdict.gate == VERIFY_GATE and verdict.result == "pass":
            verdict = replace(verdict, result="skipped", reason=NOT_ASKED)
        verdicts.append(verdict)
    return replace(judgement, verdicts=tuple(verdicts))


def _asked_verify(recorded: Judged) -> bool:
    """Return False if the run skipped gate 7, so that it never called the script's `verify`."""
    for verdict in recorded.verdicts:
        if verdict.gate == VERIFY_GATE and verdict.result == "skipped":
            return False
    return True


def _answer_like_sound_verify(is_blank: bool) -> tuple[bool, str]:
    """Answer gate 7 as a sound `verify` would: approve the submission, reject a blank answer.

    The gate asks about a blank answer, too, because a `verify` that approves it checks
    nothing. Returns whether it approves, and an error text, which is empty.
    """
    return not is_blank, ""
