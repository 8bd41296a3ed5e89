"""The first step of the exoskeleton solver, in which code looks at the request first.

The solver's model, which calls tools, is asked later. A *check* is a function of the benchmark.
For the request "Renew loan l-12":

1. A small model classifies it: `{"change": true}`.
2. The permission check says what the trial may change: `Permission(files=True, tools=False)`.
3. A preflight check may answer it: "This loan is not yours." Then the model is never asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.events import StepDone
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.checking.request_checks import (
    PreflightResult,
    RequestChecks,
)
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.tools.offered_tools import change_reference
from controlplane.agent.loop.session.trial_session import TrialSession


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """What the first step found out about a request."""

    message_text: str = ""
    """The text for the model's first message."""
    permission: Permission = field(default_factory=Permission)
    """The changes that the request permits: by default, all."""


@dataclass(frozen=True, slots=True)
class FirstStep:
    """The first step of a trial, before the solver's model is asked."""

    session: TrialSession
    bindings: SolverBindings
    """What the benchmark provides: the classifier's schema, and the names of its checks."""

    def take(self, helper: HelperModel) -> CheckedRequest:
        """Take the step, and return what the model may do, and is told.

        If a preflight check answers the request, the trial is over, and the model is not
        asked. Without a classifier and checks, there is no step, and all is permitted.
        """
        session = self.session
        if not self._has_work or session.is_over:  # A resumed trial may be over.
            return CheckedRequest()

        with session.step() as step:
            intent = self._intent(helper)
            checks = RequestChecks(session, intent)
            permission = self._permission(checks)
            preflight = checks.preflight(self.bindings.preflight)
            texts = [self._text_about(permission), *preflight.texts]
            step.done = StepDone(
                trial_id=session.trial_id,
                step=step.number,
                state=state_after(preflight),
                output=intent_text(intent),
                feedback=tuple(text for text in texts if text),
                refunded=True,  # It does not count: the solver's model was not asked.
            )
        # The step was written to the journal, and has the summary that the journal has: in a
        # resumed trial that of the earlier attempt, so that its model gets the same message.
        return CheckedRequest("".join(step.summary.feedback), permission)

    @property
    def _has_work(self) -> bool:
        """True if there is a classifier to ask, or a check to run."""
        bindings = self.bindings
        has_checks = bool(bindings.preflight or bindings.permission)
        return has_checks or bool(bindings.intent_schema)

    def _intent(self, helper: HelperModel) -> Mapping[str, Any]:
        """Return what the classifier, a small model, says about the request; empty without one."""
        schema = self.bindings.intent_schema
        return helper.classify(schema) if schema else {}

    def _permission(self, checks: RequestChecks) -> Permission:
        """Return the changes that the permission check permits; all without such a check."""
        check = self.bindings.permission
        return checks.permission(check) if check else Permission()

    def _text_about(self, permission: Permission) -> str:
        """Return which changing calls are permitted; empty if none is, or nothing is checked.

        Without a check, the system prompt already lists all calls.
        """
        if not self.bindings.permission:
            return ""
        return change_reference(self.session.tool_schema, permission)


def state_after(preflight: PreflightResult) -> str:
    """Return what the step's summary says: `answered by` a check, or that all were run."""
    if preflight.answering_check is not None:
        return f"answered by {preflight.answering_check}"
    return "checked before the model is asked"


def intent_text(intent: Mapping[str, Any]) -> str:
    """Return the classifier's reply as JSON; empty without one."""
    return json.dumps(intent, ensure_ascii=False, default=str) if intent else ""
