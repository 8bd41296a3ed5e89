"""The second stage: checks that can answer before the model is asked, in the order of the bindings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from agent.exoskeleton.answering import submit_answer
from agent.exoskeleton.bindings import CheckValue, Permission, SolverBindings
from agent.findings.ordered_answer import reasons_of
from agent.loop.trial_session import TrialSession
from sandbox.interface import CallError, Effect, Plain, error_codes


@dataclass(slots=True)
class Preflight:
    """The checks of one trial."""

    session: TrialSession
    bindings: SolverBindings
    intent: Mapping[str, Any] = field(default_factory=dict)
    """What the classifier said."""
    context: list[str] = field(default_factory=list)
    """What the model should know."""

    allowed: Permission = field(default_factory=Permission)
    """What the request may change."""

    def find_permission(self) -> None:
        """Find out what the request may change; everything if nothing says it."""
        found = self._found(self.bindings.permission) if self.bindings.permission else None
        with suppress(ValidationError):
            self.allowed = Permission.model_validate(found["value"] if found else {})

    def answer(self) -> str:
        """Go through the checks until one answers, and return its name; an empty string if none does."""
        for name in self.bindings.preflight:
            found = self._found(name)
            try:
                value = CheckValue.model_validate(found["value"] if found else {})
            except ValidationError:
                continue
            if value.context:
                self.context.append(value.context)
            if value.outcome and found and self._answered(value, found):
                return name
        return ""

    def _found(self, name: str) -> dict[str, Plain] | None:
        """Return the finding of a check; None if it cannot read what it needs."""
        arguments: dict[str, Plain] = {"request": self.session.instruction, "intent": json.dumps(dict(self.intent))}
        try:
            return self.session.call(name, arguments)
        except CallError:
            return None

    def _answered(self, value: CheckValue, found: Mapping[str, Plain]) -> bool:
        """Make the changes of a check and submit its answer; say whether it left the trial."""
        try:
            for path in value.delete:
                self._delete(path)
            return submit_answer(self.session, value.message, value.outcome, reasons_of(found)).accepted
        except CallError:
            return False

    def _delete(self, path: str) -> None:
        """Delete a file. Raises `CallError`."""
        deletes = next((each for each in self.session.surface.operations if each.effect is Effect.DELETES), None)
        if deletes is None:
            msg = "nothing is declared that deletes"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        self.session.call(deletes.name, {deletes.subject: path})
