"""The second solver: a classifier, checks before the model, native tool calls, and an answer that code assembles."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from agent.exoskeleton.assembly import Assembly
from agent.exoskeleton.bindings import SolverBindings
from agent.exoskeleton.first_step import FirstStep, helper_of
from agent.exoskeleton.loop import ToolTurns
from agent.exoskeleton.parts import Part
from agent.exoskeleton.preflight import Preflight
from agent.exoskeleton.start import build_exchange
from agent.exoskeleton.text_parser import TextParser
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
        helper = helper_of(session, model, prompts)
        first = FirstStep(self._parts, self._bindings)
        classified = first.begin_classifying(session, helper)
        opened = session.open(
            lambda recorder: build_exchange(
                session.instruction,
                recorder,
                self._settings,
                self._readers,
                self._bindings,
                with_helpers=Part.HELPERS in self._parts,
            )
        )
        preflight = Preflight(session, self._bindings)
        has_first = first.has_checks or first.has_classifier or bool(self._bindings.permission)
        context = first.take(session, preflight, classified) if has_first else ""
        allowed = preflight.allowed
        assembly = Assembly(session, self._bindings, self._parts, helper)
        assembly.take_opening(opened)
        turns = ToolTurns(
            session,
            model,
            assembly,
            TextParser(helper, self._bindings.parses),
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
