"""The first step of the exoskeleton solver, before its model is asked.

A helper model may classify the request, and checks of the benchmark run. A check may
answer the request by itself: then the solver's model is never asked. Otherwise the
check may add a text to the model's first message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.events import StepDone
from controlplane.agent.exoskeleton.bindings import Part, SolverBindings
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
    """The first step of a trial, before the solver's model is asked.

    A classifier (a small model) may say what the request is about. Then checks of the
    benchmark run: one *permission check* decides what the trial may change, and *preflight
    checks* may answer the request themselves.
    """

    session: TrialSession
    parts: frozenset[str]
    """The parts of the solver that are switched on, such as `Part.CLASSIFIER`."""
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

        texts: list[str] = []  # for the model's first message
        permission = Permission()
        with session.step() as step:
            # 1. Ask the classifier what the request is about.
            intent: Mapping[str, Any] = {}
            if self._intent_schema:
                intent = helper.classify(self._intent_schema)

            # 2. Run the checks, first the one that decides what may be changed.
            checks = RequestChecks(session, intent)
            if self.bindings.permission:
                permission = checks.permission(self.bindings.permission)
                texts.append(change_reference(session.tool_schema, permission))
            preflight = checks.preflight(self._preflight_checks)
            texts += preflight.texts

            # 3. Set the summary of the step. The end of this block writes it to the journal.
            step.done = StepDone(
                trial_id=session.trial.trial_id,
                step=step.number,
                state=state_after(preflight),
                output=intent_text(intent),
                feedback=tuple(text for text in texts if text),
                refunded=True,  # It does not count: the solver's model was not asked.
            )
        # A resumed trial has to begin its conversation with the same message as before. So take
        # the texts of the recorded step, which may be that of the earlier attempt.
        recorded_step = session.steps.last
        assert recorded_step is not None
        return CheckedRequest("".join(recorded_step.feedback), permission)

    @property
    def _has_work(self) -> bool:
        """True if there is a classifier to ask, or a check to run."""
        has_checks = bool(self._preflight_checks or self.bindings.permission)
        return has_checks or bool(self._intent_schema)

    @property
    def _intent_schema(self) -> Mapping[str, object] | None:
        """The JSON schema of the classifier's reply; None if no classifier is asked."""
        return self.bindings.intent_schema if Part.CLASSIFIER in self.parts else None

    @property
    def _preflight_checks(self) -> tuple[str, ...]:
        """The names of the checks that may answer the request; empty if they are off."""
        return self.bindings.preflight if Part.PREFLIGHT in self.parts else ()


def state_after(preflight: PreflightResult) -> str:
    """Return what the step's summary says: `answered by` a check, or that all were run."""
    if preflight.answering_check:
        return f"answered by {preflight.answering_check}"
    return "checked before the model is asked"


def intent_text(intent: Mapping[str, Any]) -> str:
    """Return the classifier's reply as JSON; empty without one."""
    return json.dumps(intent, ensure_ascii=False, default=str) if intent else ""
