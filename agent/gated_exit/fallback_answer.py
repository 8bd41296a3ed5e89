"""The fallback: what is sent if a trial ends, and the gates have accepted none of its answers.

Usually it is the last submission, although the gates rejected it: a rejected answer may still
be right. It loses its citations of files that the trial never accessed:

    submitted "41", citing /fees.md              -> rejected
    submitted "42", citing /fees.md, /made/up    -> rejected
    the time is up                               -> "42", citing /fees.md, is sent

The user may want a text that there is no answer instead (`--fallback internal`).
"""

from __future__ import annotations

from controlplane.agent.events import AnswerSent, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.gated_exit import GatedExit
from controlplane.gates.submission import INTERNAL


def fallback_answer(
    gated_exit: GatedExit, reason: str, *, repeats_last: bool = True
) -> AnswerSent:
    """Return the answer to send for a trial whose submissions were all rejected.

    It is the last submission with an answer. If there is none, or `repeats_last` is false, it
    says that no answer was reached, and the `reason`.
    """
    last = gated_exit.history.last_sendable
    if last is None or not repeats_last:
        return _missing_answer(gated_exit.recorder, reason)
    return _rejected_answer(gated_exit.recorder, last)


def _rejected_answer(recorder: Recorder, rejected: Judged) -> AnswerSent:
    """Return a rejected submission as the answer, with the rules that rejected it."""
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


def _missing_answer(recorder: Recorder, reason: str) -> AnswerSent:
    """Return an answer that says that none was reached, and why."""
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message=f"No answer was reached: {reason}.",
        outcome=INTERNAL,
        refs=(),
        fallback=True,
    )
