"""The answers with which a trial may end.

Most trials end with an answer that the gates accepted. If they accepted none, the trial ends
with the last one that they rejected, or says that it has no answer. If the environment has
ended the trial by itself, the answer is empty.
"""

from __future__ import annotations

from controlplane.agent.events import AnswerSent, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.gates.submission import INTERNAL, OK


def accepted_answer(recorder: Recorder, judged: Judged) -> AnswerSent:
    """Return a submission of the current step that the gates accepted."""
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message=judged.answer,
        outcome=judged.outcome,
        refs=judged.refs,
    )


def rejected_answer(recorder: Recorder, rejected: Judged) -> AnswerSent:
    """Return a rejected submission as the answer, with the rules that rejected it.

    Its citations of files that the trial never accessed are left out.
    """
    evidence = recorder.evidence_log.view()
    accessed_refs = tuple(
        path for path in rejected.refs if evidence.find(path).access is not None
    )
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message=rejected.answer,
        outcome=rejected.outcome,
        refs=accessed_refs,
        fallback=True,
        failed=tuple(verdict.key for verdict in rejected.rejections),
    )


def missing_answer(recorder: Recorder, reason: str) -> AnswerSent:
    """Return an answer that says that none was reached, and why."""
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message=f"No answer was reached: {reason}.",
        outcome=INTERNAL,
        refs=(),
        fallback=True,
    )


def empty_answer(recorder: Recorder) -> AnswerSent:
    """Return the answer of a trial that the environment has ended by itself.

    It says nothing, since the environment has decided. The trial did not fail, so its
    outcome is `OK`.
    """
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message="",
        outcome=OK,
        refs=(),
        ended_by_environment=True,
    )
