"""Lets a second reader object to an answer that the gates accept, once in a trial.

The gates are rules in code. The second reader is a model, if the user names one
(`--role review=PROFILE`). It looks for what speaks against the answer:

    the gates accept "420 EUR"   -> the reader objects: the answer is rejected after all
    the gates accept "430 EUR"   -> the answer stays accepted; the reader is not asked again
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.second_reader.reviewed_judgement import with_review
from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement, Verdict


@dataclass(slots=True)
class AnswerReview:
    """Asks the second reader about the first accepted submission of one trial."""

    recorder: Recorder
    """Knows which submission this is, and the recorded verdicts of an earlier attempt."""
    policy: GatePolicy
    """May switch the reader's verdicts off: then they are only recorded."""
    history: SubmissionHistory
    """Says if the reader was asked before."""
    ask_reader: AskReader | None = None
    """Sends a request to the reader's model. Set before the first step, if the user names one."""

    def add_to(
        self,
        judgement: Judgement,
        submission: Submission,
        evidence: Evidence,
        case: Case,
    ) -> Judgement:
        """Return an accepting judgement of the gates with the reader's verdict, if there is one.

        It rejects the submission if the reader does. If an earlier attempt at the trial has
        recorded the submission, its verdict counts, and the reader is not asked.
        """

        def ask_reader_now() -> Verdict | None:
            return self._new_verdict(submission, evidence, case)

        step = self.recorder.current_step
        # The submission gets this number in its step. It is not among them yet.
        number = len(step.submissions)
        # The recorded verdict, or else what `ask_reader_now` returns
        verdict = self.recorder.submissions.review(step.number, number, ask_reader_now)
        if verdict is None:
            return judgement
        return with_review(judgement, verdict, self.policy)

    def _new_verdict(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Verdict | None:
        """Ask the reader for its verdict. None if there is no reader, or it was asked before."""
        if self.ask_reader is None or self.history.is_reviewed:
            return None
        return review_of(self.ask_reader, submission, evidence, case)
