"""The current gates, as they judge the submissions of a recorded trial.

Gates are the checks that accept or reject a submission, the answer that a script proposes. To
see what a change of the gates would have changed in a run, the scripts of its trials run
again, and `CurrentGates` judges what they submit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from controlplane.agent.events import Judged, judged_submission
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.second_reader.reviewed_judgement import with_review
from controlplane.agent.submission import GateSettings
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement
from controlplane.replay.judgement_comparison import RecordedSubmission
from controlplane.replay.uncalled_verify import (
    asked_verify,
    with_approving_verify,
    with_verify_skipped,
)
from controlplane.sandbox import Worker


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

        # Gate 7 calls `verify`. If the run did not call it, no results of its calls are recorded.
        has_verify = submission.probe is not None
        if has_verify and not asked_verify(recorded.judged):
            submission_to_judge = with_approving_verify(submission)
            judgement = super().judge(worker, submission_to_judge, evidence, case, {})
            judgement = with_verify_skipped(judgement)
        else:
            judgement = super().judge(worker, submission, evidence, case, {})

        if self.ask is not None and recorded.judged.accepted and judgement.accepted:
            review = review_of(self.ask, submission, evidence, case)
            judgement = with_review(judgement, review, self.policy)
        # The comparison does not use the number of calls before the submission.
        judged = judged_submission(judgement, submission, after_calls=0)
        self._new_judgements.append(NewJudgement(recorded, judged))
        return judgement
