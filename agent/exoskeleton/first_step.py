"""The first step of the exoskeleton solver, before its model is asked.

A helper model may classify the request, and checks of the benchmark run. A check may
answer the request by itself: then the solver's model is never asked. Otherwise the
check may add a text to the model's first message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from controlplane.agent.events import StepDone
from controlplane.agent.exoskeleton.assembly import references_of, submit_answer
from controlplane.agent.exoskeleton.bindings import Part, SolverBindings
from controlplane.agent.exoskeleton.checks import CheckValue, Permission
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.offered_tools import change_reference
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox.interface import CallError, Effect, Operation, Plain


@dataclass(slots=True)
class FirstStep:
    """Runs the classifier, a helper model, and the benchmark's checks, if they are on."""

    session: TrialSession
    parts: frozenset[str]
    """The parts of the solver that are switched on, such as `Part.CLASSIFIER`."""
    bindings: SolverBindings
    """What the benchmark provides: the classifier's schema, and the names of its checks."""
    intent: Mapping[str, Any] = field(default_factory=dict)
    """The classifier's reply, which the checks get; empty without one."""
    context: list[str] = field(default_factory=list)
    """The texts for the model's first message."""
    allowed: Permission = field(default_factory=Permission)
    """The changes that the request permits. Without a check that decides, it permits all."""

    def take_step(self, helper: HelperModel) -> str:
        """Take the step, and return the text for the model's first message.

        Without a classifier and checks, do nothing, and return an empty text.
        """
        session = self.session
        schema = self.bindings.intent_schema if Part.CLASSIFIER in self.parts else None
        checks = self.bindings.preflight if Part.PREFLIGHT in self.parts else ()
        permission_check = self.bindings.permission
        has_work = bool(schema or checks or permission_check)
        if not has_work or session.is_over:  # A resumed trial may be over.
            return ""

        with session.step() as step:
            if schema:
                self.intent = helper.ask("classify", schema, "classify_request")
            if permission_check:
                self._find_permission(permission_check)
            answering_check = self._run_until_answered(checks)
            step.done = self._done(step.number, answering_check)
        # The recorded step has the texts. In a resumed trial, these are the earlier ones,
        # so that the message stays the same.
        assert session.steps.last is not None
        return "".join(session.steps.last.feedback)

    def _done(self, number: int, answering_check: str) -> StepDone:
        """Return the step for the journal."""
        state = "checked before the model is asked"
        if answering_check:
            state = f"answered by {answering_check}"
        output = ""
        if self.intent:
            output = json.dumps(self.intent, ensure_ascii=False, default=str)
        return StepDone(
            trial_id=self.session.trial.trial_id,
            step=number,
            state=state,
            output=output,
            feedback=tuple(self.context),
            refunded=True,  # It does not count as a step: the solver's model was not asked.
        )

    def _find_permission(self, check: str) -> None:
        """Set the changes that the request permits, and tell the model the calls for them.

        If the check returns no usable value, everything stays permitted.
        """
        with suppress(ValidationError):
            value = self._result_of(check).get("value", {})
            self.allowed = Permission.model_validate(value)
        reference = change_reference(self.session.tool_schema, self.allowed)
        if reference:
            self.context.append(reference)

    def _run_until_answered(self, checks: Sequence[str]) -> str:
        """Run the checks until one of them answers. Return its name; empty if none answers."""
        for check in checks:
            result = self._result_of(check)
            try:
                value = CheckValue.model_validate(result.get("value", {}))
            except ValidationError:
                continue
            if value.context:
                self.context.append(value.context)
            if value.outcome and self._submit(value, result):
                return check
        return ""

    def _submit(self, value: CheckValue, result: Mapping[str, Plain]) -> bool:
        """Delete the files that a check names, and submit its answer.

        Return True if the gates accept it. If a file cannot be deleted, nothing is submitted.
        """
        try:
            if value.delete and not self._delete(value.delete):
                return False
            answer = Completion(
                message=value.message,
                outcome=value.outcome,
                records=references_of(result),
            )
            return submit_answer(self.session, answer).accepted
        except CallError:
            return False

    def _delete(self, paths: Sequence[str]) -> bool:
        """Delete files. Return False if the environment cannot."""
        deletion = self._deleting_operation()
        if deletion is None:
            return False
        for path in paths:
            self.session.call(deletion.name, {deletion.subject: path})
        return True

    def _deleting_operation(self) -> Operation | None:
        """Return the environment's first operation that deletes a file; None if it has none."""
        for operation in self.session.tool_schema.operations:
            if operation.effect is Effect.DELETES:
                return operation
        return None

    def _result_of(self, check: str) -> dict[str, Plain]:
        """Run a check and return its result; empty if the check cannot read its files."""
        intent = json.dumps(self.intent, default=str)
        arguments: dict[str, Plain] = {
            "request": self.session.instruction,
            "intent": intent,
        }
        try:
            return self.session.call(check, arguments)
        except CallError:
            return {}
