"""The work before the model is asked, as one step that costs nothing of the budget; any solver may borrow it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from agent.exoskeleton.assembly import submit_answer
from agent.exoskeleton.bindings import CheckValue, Part, Permission, SolverBindings
from agent.exoskeleton.helper_model import HelperModel, helper_of
from agent.exoskeleton.offered_tools import described_fields, properties_of
from agent.findings.finding_turns import reasons_of
from agent.loop.prompt_texts import Prompts
from agent.loop.trial_session import TrialSession
from agent.loop.turn_loop import BorrowedStages, PatientModel
from agent.model.model_protocol import Message
from sandbox.interface import CallError, Effect, Plain, bound_arguments, error_codes

CLASSIFY = "classify"
_KINDS = {"boolean": bool, "string": str}


@dataclass(slots=True)
class FirstStep:
    """Classifier and checks of one trial, if they are switched on."""

    session: TrialSession
    parts: frozenset[str]
    bindings: SolverBindings
    intent: Mapping[str, Any] = field(default_factory=dict)
    """The fields that the classifier returned."""
    context: list[str] = field(default_factory=list)
    """Texts for the model from checks."""
    allowed: Permission = field(default_factory=Permission)
    """The changes that the request allows."""
    offers: Callable[[Permission], str] = lambda _: ""
    """Returns the text for the model on the allowed changes."""

    @property
    def has_classifier(self) -> bool:
        """True if the classifier is asked."""
        return Part.CLASSIFIER in self.parts and self.bindings.intent_schema is not None

    @property
    def has_checks(self) -> bool:
        """True if checks may answer."""
        return Part.PREFLIGHT in self.parts and bool(self.bindings.preflight)

    def _classify(self, helper: HelperModel) -> dict[str, Any]:
        """Classify the request; return the fields that the reply has, in their types. A failure leaves fields out."""
        schema = self.bindings.intent_schema
        if schema is None or not self.has_classifier:
            return {}
        prompts = helper.prompts
        messages: list[Message] = [
            {"role": "system", "content": prompts.filled("classify", fields=described_fields(schema))},
            {"role": "user", "content": prompts.filled("classify_request", instruction=self.session.instruction)},
        ]
        return _said_fields(helper.ask(messages, CLASSIFY, schema), properties_of(schema))

    def take_step(self, helper: HelperModel) -> str:
        """Take the step; return the text for the model."""
        session = self.session
        if not session.has_record and session.is_over:
            return ""
        with session.step() as fields:
            self.intent = self._classify(helper)
            self._find_permission()
            answered = self._answer() if self.has_checks else ""
            fields["state"] = f"answered by {answered}" if answered else "checked before the model is asked"
            fields["output"] = json.dumps(self.intent, ensure_ascii=False) if self.intent else ""
            recorded = session.recorded_step
            fields["feedback"] = recorded.feedback if recorded else tuple(self.context)
            fields["refunded"] = True
        return "".join(fields["feedback"])

    def _find_permission(self) -> None:
        """Find out what the request may change; everything, if no check decides."""
        found = self._found(self.bindings.permission) if self.bindings.permission else None
        with suppress(ValidationError):
            self.allowed = Permission.model_validate(found["value"] if found else {})
        if self.bindings.permission and (offered := self.offers(self.allowed)):
            self.context.append(offered)

    def _answer(self) -> str:
        """Go through the checks until one answers, and return the check's name; an empty string if none answers."""
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
        """Return the finding of a check; None if the check cannot read what it needs."""
        arguments: dict[str, Plain] = {"request": self.session.instruction, "intent": json.dumps(dict(self.intent))}
        try:
            return self.session.call(name, arguments)
        except CallError:
            return None

    def _answered(self, value: CheckValue, found: Mapping[str, Plain]) -> bool:
        """Make the changes of a check and submit its answer; say whether the answer was sent."""
        try:
            for path in value.delete:
                self._change(Effect.DELETES, path)
            for path, text in value.write.items():
                self._change(Effect.WRITES, path, text)
            return submit_answer(self.session, value.message, value.outcome, reasons_of(found)).accepted
        except CallError:
            return False

    def _change(self, effect: Effect, path: str, *text: str) -> None:
        """Delete a file, or write it. Raises `CallError`, also if nothing is declared that does so."""
        operations = self.session.surface.operations
        declared = next((operation for operation in operations if operation.effect is effect), None)
        if declared is None:
            msg = f"nothing is declared that {effect}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        self.session.call(declared.name, bound_arguments(declared, (path, *text), {}))


def borrowed_stages(parts: frozenset[str], bindings: SolverBindings, prompts: Prompts) -> BorrowedStages:
    """Return the first step and the order of references for a solver that has neither, if they are switched on."""

    def before(session: TrialSession, model: PatientModel) -> str:
        first = FirstStep(session, parts, bindings)
        if not (first.has_checks or first.has_classifier):
            return ""
        return first.take_step(helper_of(session, model, prompts))

    return BorrowedStages(bindings.references if Part.REFERENCES in parts else "", before)


def _said_fields(said: Mapping[str, Any] | None, fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        name: value
        for name, value in (said or {}).items()
        if name in fields and isinstance(value, _KINDS.get(str(fields[name].get("type")), ()))
    }
