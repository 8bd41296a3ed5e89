"""Runs the benchmark's checks of a request, before the model is asked.

A permission check decides what the trial may change. A preflight check may answer the
request itself: it may, for example, refuse to close a loan of another user.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from controlplane.agent.exoskeleton.answer.answer_references import references_of
from controlplane.agent.exoskeleton.checking.check_answer import submit_check_answer
from controlplane.agent.exoskeleton.checks import CheckValue, Permission
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox.interface import CallError, Plain


@dataclass(frozen=True, slots=True)
class PreflightResult:
    """What the preflight checks of a request have led to."""

    texts: tuple[str, ...]
    """The texts of the checks for the model's first message."""
    answering_check: str | None = None
    """The check whose answer the gates (rules for answers) have accepted; None if no check has
    answered."""


@dataclass(frozen=True, slots=True)
class RequestChecks:
    """Runs the benchmark's checks of one request, before the solver's model is asked.

    Each is a function of the environment, and may read files. A permission check decides what
    the trial may change. A preflight check may answer the request itself.
    """

    session: TrialSession
    """Makes the calls of the checks, and submits their answers."""
    intent: Mapping[str, Any] = field(default_factory=dict)
    """What the classifier, a model, says about the request; empty without one."""

    def permission(self, check: str) -> Permission:
        """Run the permission check of this name, and return the changes that it permits.

        If the check returns no usable value, everything is permitted.
        """
        try:
            return Permission.model_validate(self._result_of(check).get("value", {}))
        except ValidationError:
            return Permission()

    def preflight(self, checks: Sequence[str]) -> PreflightResult:
        """Run the checks of these names in order, until one has an answer that the gates accept.

        A check without an `outcome` has no answer. It may have a `context`, a text for the
        model. A check whose value cannot be used is left out.
        """
        texts: list[str] = []
        for check in checks:
            result = self._result_of(check)
            value = _check_value(result)
            if value is None:
                continue
            if value.context:
                texts.append(value.context)
            if value.outcome and submit_check_answer(
                self.session, value, references_of(result)
            ):
                return PreflightResult(tuple(texts), answering_check=check)
        return PreflightResult(tuple(texts))

    def _result_of(self, check: str) -> dict[str, Plain]:
        """Run a check and return its result; empty if the check cannot read its files."""
        arguments: dict[str, Plain] = {
            "request": self.session.instruction,
            "intent": json.dumps(self.intent, default=str),
        }
        try:
            return self.session.call(check, arguments)
        except CallError:
            return {}


def _check_value(result: Mapping[str, Plain]) -> CheckValue | None:
    """Return the value in the result of a preflight check; None if it cannot be used.

    {"value": {"outcome": "OUTCOME_OK", "message": "Renewed."}} -> CheckValue(...)
    """
    try:
        return CheckValue.model_validate(result.get("value", {}))
    except ValidationError:
        return None
