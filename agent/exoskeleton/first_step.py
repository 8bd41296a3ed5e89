"""What is done before the model is asked, as one step that costs nothing of the budget; any solver may borrow it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from agent.exoskeleton.bindings import SolverBindings
from agent.exoskeleton.helper_model import PATIENCE_S, HelperModel
from agent.exoskeleton.parts import Part
from agent.exoskeleton.preflight import Preflight
from agent.exoskeleton.start import begin_classifying
from agent.loop.patient_model import PatientModel
from agent.loop.prompt_texts import Prompts
from agent.loop.trial_session import TrialSession


def helper_of(session: TrialSession, model: PatientModel, prompts: Prompts) -> HelperModel:
    """Return the models of the roles beside `solve`, which are waited for less long."""
    retry = replace(model.retry, wait_s=min(PATIENCE_S, model.retry.wait_s))
    return HelperModel(session, replace(model, retry=retry), prompts)


@dataclass(frozen=True, slots=True)
class FirstStep:
    """Classifier and checks, as far as they are switched on."""

    parts: frozenset[str]
    bindings: SolverBindings

    @property
    def has_classifier(self) -> bool:
        """The classifier is asked."""
        return Part.CLASSIFIER in self.parts and self.bindings.intent_schema is not None

    @property
    def has_checks(self) -> bool:
        """Checks may answer."""
        return Part.PREFLIGHT in self.parts and bool(self.bindings.preflight)

    def begin_classifying(self, session: TrialSession, helper: HelperModel) -> Callable[[], dict[str, Any]]:
        """Ask what the request wants; return what awaits the answer."""
        schema = self.bindings.intent_schema
        if schema is None or not self.has_classifier:
            return dict
        return begin_classifying(helper, session.instruction, schema)

    def take(self, session: TrialSession, preflight: Preflight, classified: Callable[[], dict[str, Any]]) -> str:
        """Take the step; return what the model should know."""
        if not session.has_record and session.is_over:
            return ""
        with session.step() as fields:
            preflight.intent = classified()
            preflight.find_permission()
            answered = preflight.answer() if self.has_checks else ""
            fields["state"] = f"answered by {answered}" if answered else "checked before the model is asked"
            fields["output"] = json.dumps(preflight.intent, ensure_ascii=False) if preflight.intent else ""
            recorded = session.recorded_step
            fields["feedback"] = recorded.feedback if recorded else tuple(preflight.context)
            fields["refunded"] = True
        return "".join(fields["feedback"])


@dataclass(frozen=True, slots=True)
class BorrowedStages:
    """The first step and the order of references, for a solver that has none."""

    first: FirstStep
    prompts: Prompts

    @property
    def order_by(self) -> str:
        """The check that puts references in order; empty if that is switched off."""
        return self.first.bindings.references if Part.REFERENCES in self.first.parts else ""

    def before(self, session: TrialSession, model: PatientModel) -> str:
        """Take the first step, if something of it is switched on; return what the model should know."""
        if not (self.first.has_checks or self.first.has_classifier):
            return ""
        helper = helper_of(session, model, self.prompts)
        classified = self.first.begin_classifying(session, helper)
        return self.first.take(session, Preflight(session, self.first.bindings), classified)
