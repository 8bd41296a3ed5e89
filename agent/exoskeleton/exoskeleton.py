"""The second solver: a classifier, checks before the model, native tool calls, and an answer that code assembles."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from agent.exoskeleton.assembly import Assembly
from agent.exoskeleton.bindings import SolverBindings
from agent.exoskeleton.helper_model import PATIENCE_S, HelperModel
from agent.exoskeleton.loop import ToolTurns
from agent.exoskeleton.parts import Part
from agent.exoskeleton.preflight import Preflight
from agent.exoskeleton.start import begin_classifying, build_exchange
from agent.exoskeleton.tool_definitions import tools_of
from agent.loop.budget import Budget
from agent.loop.cited_loop import MOST_READERS, LoopSettings
from agent.loop.context_meter import ContextMeter
from agent.loop.patient_model import PatientModel
from agent.loop.trial_session import TrialSession
from agent.model.model_protocol import Model
from agent.model.model_retry import ModelRetry
from agent.retry import RunBudget


class Exoskeleton:
    """Works on trials by its stages. It repeats its work from the start to go on, answered from the record."""

    def __init__(
        self,
        model: Model,
        settings: LoopSettings | None = None,
        *,
        parts: frozenset[str] = frozenset(Part),
        bindings: SolverBindings | None = None,
        budget: RunBudget | None = None,
    ) -> None:
        self._model = model
        self._settings = settings or LoopSettings()
        self._parts = parts
        self._bindings = bindings or SolverBindings()
        self._budget = budget or RunBudget()
        self._readers = ThreadPoolExecutor(MOST_READERS, thread_name_prefix="reader")

    def solve(self, session: TrialSession) -> str:
        """Work on the trial until it is answered, or return why not.

        Raises `ModelError` if no model answers, and `LeftOpen` if the trial was told to stop.
        """
        budget = Budget(self._settings.budget)
        retry = ModelRetry(wait_s=self._settings.patience_s, stop=session.stop, budget=self._budget.retries)
        model = PatientModel(self._model, session, retry, budget)
        prompts = self._settings.prompts
        helper = HelperModel(session, replace(model, retry=replace(retry, wait_s=PATIENCE_S)), prompts)
        classified = self._begin_classifying(session, helper)
        opened = session.open(
            lambda recorder: build_exchange(
                session.instruction, recorder, self._settings, self._readers, self._bindings
            )
        )
        preflight = Preflight(session, self._bindings)
        context = self._first_step(session, preflight, classified)
        allowed = preflight.allowed
        turns = ToolTurns(
            session,
            model,
            Assembly(session, self._bindings, self._parts, helper, preflight.intent),
            tools_of(
                session.surface,
                self._bindings.task_types,
                allowed=allowed,
                with_helpers=Part.HELPERS in self._parts,
            ),
            allowed,
            budget,
            ContextMeter(self._settings.context_tokens, prompts=prompts),
            prompts,
        )
        turns.begin(opened, context)
        # A reply that came before an interruption is acted on whatever is left of the budget.
        while session.has_record or not (session.is_over or turns.out_of):
            if not session.has_record:
                session.leave_if_stopped()
            turns.take()
        return "" if session.is_over else turns.out_of

    def _begin_classifying(self, session: TrialSession, helper: HelperModel) -> Callable[[], dict[str, Any]]:
        schema = self._bindings.intent_schema
        if schema is None or Part.CLASSIFIER not in self._parts:
            return dict
        return begin_classifying(helper, session.instruction, schema)

    def _first_step(self, session: TrialSession, preflight: Preflight, classified: Callable[[], dict[str, Any]]) -> str:
        """Classify and check, as one step that costs nothing of the budget; return what the model should know."""
        has_checks = Part.PREFLIGHT in self._parts and bool(self._bindings.preflight)
        has_classifier = Part.CLASSIFIER in self._parts and self._bindings.intent_schema is not None
        if not (has_checks or has_classifier or self._bindings.permission):
            return ""
        if not session.has_record and session.is_over:
            return ""
        with session.step() as fields:
            preflight.intent = classified()
            preflight.find_permission()
            answered = preflight.answer() if has_checks else ""
            fields["state"] = f"answered by {answered}" if answered else "checked before the model is asked"
            fields["output"] = json.dumps(preflight.intent, ensure_ascii=False) if preflight.intent else ""
            recorded = session.recorded_step
            fields["feedback"] = recorded.feedback if recorded else tuple(preflight.context)
            fields["refunded"] = True
        return "".join(fields["feedback"])
