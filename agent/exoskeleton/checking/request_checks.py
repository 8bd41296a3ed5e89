"""Runs the benchmark's checks of a request, which may read files of the environment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from controlplane.agent.exoskeleton.checking.check_answer import submit_check_answer
from controlplane.agent.exoskeleton.checks import CheckValue, Permission
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox.interface import CallError, Plain


@dataclass(frozen=True, slots=True)
class ChecksEnd:
    """What the checks of a request have led to."""

    answering_check: str = ""
    """The check that answered the request; empty if none did."""
    texts: tuple[str, ...] = ()
    """The texts of the checks for the model's first message."""


@dataclass(frozen=True, slots=True)
class RequestChecks:
    """The checks of one request. Each is a function that the environment declares."""

    session: TrialSession
    intent: Mapping[str, Any] = field(default_factory=dict)
    """What the classifier, a model, says about the request; empty without one."""

    def permission(self, check: str) -> Permission:
        """Return the changes that the request permits, as a check decides.

        If the check returns no usable value, everything is permitted.
        """
        try:
            return Permission.model_validate(self._result_of(check).get("value", {}))
        except ValidationError:
            return Permission()

    def run_until_answered(self, checks: Sequence[str]) -> ChecksEnd:
        """Run checks in order, until one of them answers the request."""
        texts: list[str] = []
        for check in checks:
            result = self._result_of(check)
            try:
                value = CheckValue.model_validate(result.get("value", {}))
            except ValidationError:
                continue
            if value.context:
                texts.append(value.context)
            if value.outcome and submit_check_answer(self.session, value, result):
                return ChecksEnd(check, tuple(texts))
        return ChecksEnd("", tuple(texts))

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
