"""The first step of the exoskeleton solver, in which code looks at the request first.

For the request "Renew loan l-12", with the functions of a library:

1. A small model describes the request, for the checks (the *intent*): `{"change": true}`.
2. A check says what the trial may change: `Permission(files=True, tools=False)`.
3. The *preflight* checks may answer it: "This loan is not yours." Then the solver's own model,
   which calls tools, is never asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from controlplane.agent.events import StepDone
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.checking.preflight import run_preflight
from controlplane.agent.exoskeleton.checking.request_permission import (
    permission_text,
    request_permission,
)
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.loop.session.trial_session import TrialSession


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """What the first step found out about a request."""

    message_text: str = ""
    """The text for the model's first message."""
    permission: Permission = field(default_factory=Permission)
    """The changes that the request permits: by default, all."""


def take_first_step(
    session: TrialSession, bindings: SolverBindings, helper: HelperModel
) -> CheckedRequest:
    """Take the step, and return what the model may do, and is told.

    If a check answers the request, the trial is over. Without a small model and checks, there
    is no step, and all is permitted.
    """
    has_work = bindings.preflight or bindings.permission or bindings.intent_schema
    if not has_work or session.is_over:  # A resumed trial may be over.
        return CheckedRequest()

    schema, check = bindings.intent_schema, bindings.permission
    with session.step() as step:
        intent = helper.classify(schema) if schema else {}
        permission = request_permission(session, check, intent)
        preflight = run_preflight(session, bindings.preflight, intent)
        state = "checked before the model is asked"
        if preflight.answering_check is not None:
            state = f"answered by {preflight.answering_check}"
        texts = [permission_text(session, check, permission), *preflight.texts]
        step.done = StepDone(
            trial_id=session.trial_id,
            step=step.number,
            state=state,
            output=json.dumps(intent, ensure_ascii=False, default=str)
            if intent
            else "",
            feedback=tuple(text for text in texts if text),
            refunded=True,  # It does not count: the solver's model was not asked.
        )
    # The end of the block has written the summary to the journal. In a resumed trial, it is
    # that of the earlier attempt. So the model gets the same message as there.
    return CheckedRequest("".join(step.summary.feedback), permission)
