"""The loop: ask the model, run its script, tell it what came of it, until an answer leaves through the gates."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, Protocol

from agent.events.trial_events import Conversation
from agent.loop.budget import Budget, BudgetLimits, out_of
from agent.loop.context_meter import ContextMeter
from agent.loop.feedback import budget_notices, step_feedback
from agent.loop.initial_prompt import InitialPromptLimits, build_initial_prompt
from agent.loop.patient_model import PatientModel
from agent.loop.prompt_texts import Prompts, default_prompts
from agent.loop.repetition import Repetition
from agent.loop.script_host import sandbox_of
from agent.loop.trial_session import StepFields, TrialSession
from agent.loop.unusable_streak import UnusableStreak
from agent.model.model_protocol import Message, Model, Thought
from agent.model.model_retry import ModelRetry
from agent.reply.action import Action, Unusable, reply_sent_back
from agent.reply.reply_parser import action_of
from agent.retry import RunBudget
from sandbox import ALL_WALLS, Ending, ForkServer, Limits, Sandbox, Wall

MOST_READERS: Final = 512
"""Threads that make calls of turn one for all trials together; each starts when it is first needed."""


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """What every trial of a run has in common."""

    budget: BudgetLimits = field(default_factory=BudgetLimits)
    opening: InitialPromptLimits = field(default_factory=InitialPromptLimits)
    limits: Limits = field(default_factory=Limits)
    walls: frozenset[Wall] = ALL_WALLS
    context_tokens: int | None = None
    """Tokens that the model takes at once; None if it is not known."""
    patience_s: float = 300.0
    """Seconds that a step waits for a model that fails in passing."""
    switches_reply_mode: bool = True
    """The same fault three times in a row has the model asked in another reply mode."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts that the model is told."""


class BorrowedStages(Protocol):
    """What the loop takes over of another solver."""

    @property
    def order_by(self) -> str:
        """The check that puts the references of submissions in order; empty if none does."""
        ...

    def before(self, session: TrialSession, model: PatientModel) -> str:
        """Do a first step before the model is asked, if there is one; return what the model should know of it."""
        ...


class CitedLoop:
    """The first solver: one model, scripts in a sandbox, answers with citations."""

    def __init__(
        self,
        model: Model,
        server: ForkServer,
        settings: LoopSettings | None = None,
        *,
        budget: RunBudget | None = None,
        stages: BorrowedStages | None = None,
    ) -> None:
        self._model = model
        self._stages = stages
        self._server = server
        self._settings = settings or LoopSettings()
        self._budget = budget or RunBudget()
        self._readers = ThreadPoolExecutor(MOST_READERS, thread_name_prefix="reader")

    def solve(self, session: TrialSession) -> str:
        """Work on the trial until it is answered, or return why not.

        Raises `ModelError` if no model answers, and `LeftOpen` if the trial was told to stop.
        """
        limits, walls = self._settings.limits, self._settings.walls
        order_by = self._stages.order_by if self._stages else ""
        with sandbox_of(session, self._server, limits, walls, order_by=order_by) as box:
            retry = ModelRetry(wait_s=self._settings.patience_s, stop=session.stop, budget=self._budget.retries)
            streak = UnusableStreak(self._settings.switches_reply_mode)
            context = ContextMeter(self._settings.context_tokens, prompts=self._settings.prompts)
            budget = Budget(self._settings.budget)
            model = PatientModel(self._model, session, retry, budget)
            turns = _Turns(session, self._settings, box=box, budget=budget, streak=streak, model=model, context=context)
            turns.begin(self._readers, self._stages)
            # A reply that came before an interruption is run whatever is left of the budget.
            while session.has_record or not (session.is_over or turns.out_of):
                if not session.has_record:
                    session.leave_if_stopped()
                turns.take()
            return "" if session.is_over else turns.out_of


@dataclass(slots=True)
class _Turns:
    """The state of one trial in the loop: the conversation, the sandbox and what has been spent."""

    session: TrialSession
    settings: LoopSettings
    _: KW_ONLY
    box: Sandbox
    budget: Budget
    streak: UnusableStreak
    model: PatientModel
    context: ContextMeter
    repetition: Repetition = field(init=False)
    conversation: Conversation = field(default_factory=list)

    def __post_init__(self) -> None:
        self.repetition = Repetition(self.budget.limits.same_refusals)

    @property
    def out_of(self) -> str:
        """Why the trial takes no further turn, or an empty string."""
        return out_of(
            self.budget, self.context, streak=self.streak, repetition=self.repetition, spent=self.session.exit.spent
        )

    def begin(self, readers: Executor, stages: BorrowedStages | None) -> None:
        """Open the conversation, or rebuild it from the steps of an interrupted attempt."""
        session, settings = self.session, self.settings
        opened = session.open(
            lambda recorder: build_initial_prompt(
                session.instruction, recorder, settings.opening, readers, prompts=settings.prompts
            )
        )
        self._say("system", opened.system)
        known = stages.before(session, self.model) if stages else ""
        self._say("user", "".join((*opened.turn_one, known)))
        for each in session.resume_state.steps[session.trace.number :]:
            session.take_recorded(each)
            self.box.restore(dict(each.scratchpad), steps_done=each.step)
            replied = session.resume_state.replies.get(each.step, ())
            self.context.note(each.usage.prompt_tokens, each.usage.completion_tokens, each.reply)
            self._say("assistant", reply_sent_back(each.reply, each.fault), replied[-1].thinking if replied else ())
            self._say("user", "".join(each.feedback))
            # Journals of before it was recorded do not say which fault it was.
            fault = "" if each.code else each.fault or "unusable"
            self.streak.note(fault, replied[-1].reply_mode if replied else "")
            self.budget.spend(
                script_refused=each.refunded and bool(each.code), reply_unusable=each.refunded and not each.code
            )
            self.repetition.note(each.code, each.ending, list(each.verdicts))

    def take(self) -> None:
        """Take one turn: ask, parse, run, write down, answer."""
        with self.session.step() as fields:
            replied = self.model.solve(self.conversation, **self.streak.form)
            action = action_of(replied.reply, replied.finish_reason)
            fields.update(self._unusable(action) if isinstance(action, Unusable) else self._run(action))
            self.context.note(replied.usage.prompt_tokens, replied.usage.completion_tokens, replied.reply)
            fields["feedback"] += self.context.notice("".join((replied.reply, *fields["feedback"])))
        changed = self.streak.note(fields.get("fault", ""), replied.reply_mode)
        if changed:
            self.session.notice(f"the same fault three times in a row; asking in reply mode {changed} from here on")
        self.repetition.note(fields.get("code", ""), fields.get("ending", ""), self.session.trace.submissions)
        self._say("assistant", reply_sent_back(replied.reply, fields.get("fault", "")), replied.thinking)
        self._say("user", "".join(fields["feedback"]))

    def _run(self, action: Action) -> StepFields:
        trace = self.session.trace
        result = self.box.run(action.code, step=trace.number)
        refunded = self.budget.spend(script_refused=result.ending in (Ending.SYNTAX, Ending.REFUSED))
        feedback: tuple[str, ...] = ()
        if not self.session.is_over:
            feedback = (*step_feedback(trace.number, result, trace.submissions, trace.notes), *self._notices())
        return {
            "state": action.state,
            "plan": action.plan,
            "done": action.done,
            "code": action.code,
            "output": result.output,
            "error": result.error,
            "ending": str(result.ending),
            "scratchpad": result.scratchpad,
            "feedback": feedback,
            "elapsed_ms": result.elapsed_ms,
            "refunded": refunded,
        }

    def _unusable(self, fault: Unusable) -> StepFields:
        refunded = self.budget.spend(reply_unusable=True)
        return {
            "error": fault.reason,
            "fault": str(fault.fault),
            "scratchpad": self.box.scratchpad,
            "feedback": (self.settings.prompts.filled("unusable", reason=fault.reason), *self._notices()),
            "refunded": refunded,
        }

    def _notices(self) -> tuple[str, ...]:
        return budget_notices(self.budget, self.settings.prompts)

    def _say(self, role: str, content: str, thinking: Sequence[Thought] = ()) -> None:
        message = Message(role=role, content=content)
        if thinking:
            message["thinking"] = thinking
        self.conversation.append(message)
        self.context.add(content)
