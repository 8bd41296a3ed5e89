"""The first step of the exoskeleton solver, in which code looks at the request first.

For the request "Renew loan l-12", with the functions of a library:

1. A small model describes the request, for the checks (the *intent*): `{"change": true}`.
2. A check says what the trial may change: `Permission(files=True, tools=False)`.
3. The *preflight* checks may answer it: "This loan is not yours." Then the solver's own model,
   which calls tools, is never asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.checking.checks_summary import summary_of_checks
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

    with session.step() as step:
        intent: Mapping[str, Any] = {}
        if bindings.intent_schema:
            intent = helper.classify(bindings.intent_schema)
        permission = request_permission(session, bindings.permission, intent)
        preflight = run_preflight(session, bindings.preflight, intent)
        told_permission = permission_text(session, bindings.permission, permission)
        texts = [text for text in (told_permission, *preflight.texts) if text]
        # `preflight.answering_check` is the check that has answered the request; None if none has.
        step.done = summary_of_checks(session, intent, preflight.answering_check, texts)

    # When the block ends, the step's summary is in the journal. If a killed process has written
    # it before, `step.summary` is that one, so the model gets the same message again.
    return CheckedRequest("".join(step.summary.feedback), permission)
