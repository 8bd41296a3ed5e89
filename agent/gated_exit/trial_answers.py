"""The answers with which the work on a trial ends: an accepted one, or an empty one.

Usually the gates have accepted a submission of the solver. Some environments may also end a
trial by themselves, for example when a game is lost. Then they need no answer any more.
(If the work ends in neither way, see `fallback_answer`.)
"""

from __future__ import annotations

from controlplane.agent.events import AnswerSent, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.gates.submission import OK


def accepted_answer(recorder: Recorder, judged: Judged) -> AnswerSent:
    """Return a submission of the current step that the gates accepted."""
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message=judged.answer,
        outcome=judged.outcome,
        refs=judged.refs,
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
