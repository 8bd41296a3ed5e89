"""The loop: ask the model, run its script, tell it what came of it, until an answer leaves through the gates."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from agent.events.trial_events import (
    Conversation,
    ConversationOpened,
    Emit,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
)
from agent.loop.budget import Budget, BudgetLimits
from agent.loop.feedback import step_feedback, unusable_feedback
from agent.loop.initial_prompt import InitialPromptLimits, build_initial_prompt
from agent.loop.script_rerun import take_as_recorded
from agent.loop.trial_context import LeftOpen, TrialContext, seed_of
from agent.model.model_protocol import Message, Model, Reply
from agent.model.model_retry import ModelRetry
from agent.model.reply_parser import SCHEMA, Action, Unusable, action_of, tool_arguments
from agent.retry import RetryBudget
from agent.submission.gated_exit import GatedExit
from agent.submission.trial_host import TrialHost
from sandbox import ALL_WALLS, Ending, ForkServer, Limits, Sandbox, Wall


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """What every trial of a run has in common."""

    budget: BudgetLimits = field(default_factory=BudgetLimits)
    opening: InitialPromptLimits = field(default_factory=InitialPromptLimits)
    limits: Limits = field(default_factory=Limits)
    walls: frozenset[Wall] = ALL_WALLS
    patience_s: float = 300.0
    """Seconds that a step waits for a model that fails in passing."""
    retries: int = 1000
    """Retries of requests to the model that all trials have together, beyond one for every reply."""


class CitedLoop:
    """The first solver: one model, scripts in a sandbox, answers with citations."""

    def __init__(self, model: Model, server: ForkServer, settings: LoopSettings | None = None) -> None:
        self._model = model
        self._server = server
        self._settings = settings or LoopSettings()
        # It is ready by the time that a first reply holds a script.
        server.launch(with_kernel=Wall.KERNEL in self._settings.walls)
        self._retries = RetryBudget(self._settings.retries)

    def solve(self, trial: TrialContext, submit: GatedExit, emit: Emit) -> str:
        """Work on `trial` until it is answered, or return why not.

        Raises `ModelError` where no model answers, and `LeftOpen` where the trial was told to stop.
        """
        with Sandbox(
            trial.environment.surface,
            TrialHost(trial.environment, submit),
            now=trial.now,
            seed=seed_of(trial.trial_id),
            limits=self._settings.limits,
            walls=self._settings.walls,
            server=self._server,
        ) as box:
            retry = ModelRetry(wait_s=self._settings.patience_s, stop=trial.stop, budget=self._retries)
            turn = _Turns(trial, submit, emit, box=box, budget=Budget(self._settings.budget), retry=retry)
            turn.begin(self._settings.opening)
            if turn.has_reply:
                turn.take(self._model)
            while not (submit.answered or turn.budget.exhausted):
                if trial.stop.is_set():
                    raise LeftOpen
                turn.take(self._model)
            return "" if submit.answered else turn.budget.exhausted


class _Turns:
    """The state of one trial in the loop: the conversation, the sandbox and what has been spent."""

    def __init__(
        self, trial: TrialContext, submit: GatedExit, emit: Emit, *, box: Sandbox, budget: Budget, retry: ModelRetry
    ) -> None:
        self.trial = trial
        self.submit = submit
        self.emit = emit
        self.box = box
        self.budget = budget
        self.retry = retry
        self.conversation: Conversation = []
        self.step = 0
        self._pending: ModelReplied | None = None

    @property
    def has_reply(self) -> bool:
        """The model has replied already; its script is to be run."""
        return self._pending is not None

    def begin(self, limits: InitialPromptLimits) -> None:
        """Open the conversation, or rebuild it from the resume_state of an interrupted attempt."""
        recorder, resume_state = self.trial.environment, self.trial.resume_state
        recorder.begin_step(0)
        opened = resume_state.opening
        if opened is None:
            opening = build_initial_prompt(self.trial.instruction, recorder, limits)
            opened = ConversationOpened(
                trial_id=self.trial.trial_id,
                system=opening.system,
                turn_one=tuple(opening.pieces),
                calls=tuple(recorder.calls),
                rules=opening.rules,
            )
            self.emit(opened)
        else:
            recorder.replay(opened.calls)
        self.submit.rules = opened.rules
        self._say("system", opened.system)
        self._say("user", "".join(opened.turn_one))
        for each in resume_state.steps:
            self._restore(each)
        self._pending = resume_state.pending

    def _restore(self, done: StepDone) -> None:
        take_as_recorded(done, self.submit, self.box)
        self._say("assistant", done.reply)
        self._say("user", "".join(done.feedback))
        self.budget.spend(
            script_refused=done.refunded and bool(done.code), reply_unusable=done.refunded and not done.code
        )
        self.step = done.step

    def take(self, model: Model) -> None:
        """Take one turn: ask, parse, run, write down, answer."""
        self.step += 1
        replied, recorded = self._pending, self.trial.resume_state.pending_calls
        if replied is None:
            replied, recorded = self._ask(model), ()
        self._pending = None
        self.trial.environment.begin_step(self.step, recorded)
        self.submit.judged = []
        action = action_of(replied.reply, replied.finish_reason)
        done = self._unusable(replied, action) if isinstance(action, Unusable) else self._run(replied, action)
        self.emit(done)
        self._say("assistant", replied.reply)
        self._say("user", "".join(done.feedback))

    def _ask(self, model: Model) -> ModelReplied:
        trial_id = self.trial.trial_id
        self.emit(ModelAsked(trial_id=trial_id, step=self.step, messages=len(self.conversation)))
        started = time.perf_counter()
        asked: list[float] = []

        def ask() -> Reply:
            asked.append(time.perf_counter())
            return model.complete(self.conversation, SCHEMA, "solve")

        reply = self.retry.ask(ask, lambda text: self.emit(Noticed(trial_id=trial_id, text=text, retry=True)))
        self.budget.excuse(asked[-1] - started)
        for each in reply.notices:
            self.emit(Noticed(trial_id=trial_id, text=each))
        arguments = tool_arguments(reply)
        replied = ModelReplied(
            trial_id=trial_id,
            step=self.step,
            reply=reply.text if arguments is None else arguments,
            tool_call=arguments is not None,
            finish_reason=reply.finish_reason,
            reasoning=reply.reasoning,
            usage=reply.usage,
            cost_usd=reply.cost_usd,
            elapsed_ms=_ms_since(started),
        )
        self.emit(replied)
        return replied

    def _run(self, replied: ModelReplied, action: Action) -> StepDone:
        result = self.box.run(action.code, step=self.step)
        refunded = self.budget.spend(script_refused=result.ending in (Ending.SYNTAX, Ending.REFUSED))
        feedback = (
            ()
            if self.submit.answered
            else step_feedback(self.step, result, self.submit.judged, self.trial.environment.notes, self.budget)
        )
        return StepDone(
            trial_id=self.trial.trial_id,
            step=self.step,
            reply=replied.reply,
            state=action.state,
            plan=action.plan,
            done=action.done,
            code=action.code,
            calls=tuple(self.trial.environment.calls),
            verdicts=tuple(self.submit.judged),
            feedback=feedback,
            usage=replied.usage,
            cost_usd=replied.cost_usd,
            refunded=refunded,
            output=result.output,
            error=result.error,
            ending=str(result.ending),
            scratchpad=result.scratchpad,
            elapsed_ms=result.elapsed_ms,
        )

    def _unusable(self, replied: ModelReplied, fault: Unusable) -> StepDone:
        refunded = self.budget.spend(reply_unusable=True)
        return StepDone(
            trial_id=self.trial.trial_id,
            step=self.step,
            reply=replied.reply,
            error=fault.reason,
            scratchpad=self.box.scratchpad,
            feedback=unusable_feedback(fault.reason, self.budget),
            usage=replied.usage,
            cost_usd=replied.cost_usd,
            refunded=refunded,
        )

    def _say(self, role: str, content: str) -> None:
        self.conversation.append(Message(role=role, content=content))


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
