"""The summary of a trial's first step, in which checks run before the model is asked.

StepDone(
    step=1,
    state="answered by owner_check",   # or "checked before the model is asked"
    output='{"change": true}',         # how a small model describes the request
    feedback=(),                       # texts of the checks for the model's first message
    refunded=True,
)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.agent.events import StepDone
from controlplane.agent.loop.session.trial_session import TrialSession


def summary_of_checks(
    session: TrialSession,
    intent: Mapping[str, Any],
    answering_check: str | None,
    texts: Sequence[str],
) -> StepDone:
    """Return what the journal says about the current step.

    `intent` describes the request; it is empty without a small model. `answering_check` is
    the check that has answered the request, if one has.
    """
    state = "checked before the model is asked"
    if answering_check is not None:
        state = f"answered by {answering_check}"
    output = ""
    if intent:
        output = json.dumps(intent, ensure_ascii=False, default=str)
    return StepDone(
        trial_id=session.trial_id,
        step=session.recorder.current_step.number,
        state=state,
        output=output,
        feedback=tuple(texts),
        refunded=True,  # It does not count: the solver's model was not asked.
    )
