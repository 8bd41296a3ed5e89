"""The third stage: the model calls tools, several a turn, until its completion leaves through the gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import ValidationError

from agent.events.trial_events import Conversation, ConversationOpened, ModelReplied
from agent.exoskeleton.assembly import Assembly
from agent.exoskeleton.bindings import Permission
from agent.exoskeleton.reported_completion import Completion
from agent.exoskeleton.text_parser import TextParser
from agent.exoskeleton.tool_calls import MOST_CALLS, BadArguments, OfferedTools, arguments_of, calls_of
from agent.exoskeleton.tool_definitions import CALLS_SCHEMA, COMPLETION
from agent.loop.budget import Budget, out_of
from agent.loop.context_meter import ContextMeter
from agent.loop.feedback import budget_notices
from agent.loop.patient_model import PatientModel
from agent.loop.prompt_texts import Prompts
from agent.loop.repetition import Repetition
from agent.loop.trial_session import TrialSession
from agent.loop.unusable_streak import UnusableStreak
from agent.model.model_protocol import Message, Tool, ToolCall
from agent.opening.shown_results import ShownResults
from agent.reply.action import Fault
from agent.submission.gated_exit import NotJudged
from sandbox.interface import CallError

AFTER_COMPLETION: Final = "not run: it stands behind a completion, which ends the step"
TOO_MANY: Final = f"not run: a reply makes at most {MOST_CALLS} calls"


@dataclass(slots=True)
class ToolTurns:
    """The state of one trial in the loop."""

    session: TrialSession
    model: PatientModel
    assembly: Assembly
    parser: TextParser
    tools: tuple[Tool, ...]
    allowed: Permission
    budget: Budget
    context: ContextMeter
    prompts: Prompts
    streak: UnusableStreak = field(default_factory=lambda: UnusableStreak(switches=False))
    conversation: Conversation = field(default_factory=list)
    repetition: Repetition = field(init=False)
    offered: OfferedTools = field(init=False)

    def __post_init__(self) -> None:
        self.repetition = Repetition(self.budget.limits.same_refusals)
        self.offered = OfferedTools(
            self.session,
            frozenset(each.name for each in self.tools),
            may_run_changes=self.allowed.tools,
            results=ShownResults(keeps_layout=self.allowed.files),
            on_result=self.assembly.note,
            take_apart=self.parser.parsed,
        )

    @property
    def out_of(self) -> str:
        """Why the trial takes no further turn, or an empty string."""
        return out_of(
            self.budget, self.context, streak=self.streak, repetition=self.repetition, spent=self.session.exit.spent
        )

    def begin(self, opened: ConversationOpened, context: str) -> None:
        """Open the conversation; `context` is what the checks before it want the model to know."""
        self.offered.results.take_opening(opened, self.session.surface)
        self._say({"role": "system", "content": opened.system})
        for each in opened.exchange:
            self._say(each.message())
        self._say({"role": "user", "content": "".join((*opened.turn_one, context))})

    def take(self) -> None:
        """Take one turn: ask, make the calls, write down what came of them."""
        session = self.session
        with session.step() as fields:
            replied = self.model.solve(self.conversation, schema=CALLS_SCHEMA, tools=self.tools, tool_choice="required")
            calls = calls_of(replied)
            results = self._results(calls)
            recorded = session.recorded_step
            fields["refunded"] = self.budget.spend(reply_unusable=not calls and not replied.reply.strip())
            self.context.note(replied.usage.prompt_tokens, replied.usage.completion_tokens, replied.reply)
            if not calls:
                fault = Fault.CUT_OFF if replied.finish_reason == "length" else Fault.NO_CALL
                fields["fault"], fields["error"] = fault, self.prompts.filled("reminder").strip()
            else:
                fields["state"] = _line(replied.reply) if replied.tool_calls else ""
            feedback = () if session.is_over and not recorded else (*results, *self._notices(calls))
            fields["feedback"] = recorded.feedback if recorded else feedback
        self.streak.note(fields.get("fault", ""), "")
        self.repetition.note("", "", session.trace.submissions)
        self._remember(replied, calls, fields["feedback"])

    def _results(self, calls: Sequence[ToolCall]) -> list[str]:
        """Make the calls in their order and return what the model is told of each."""
        results: list[str] = []
        is_completed = False
        for number, call in enumerate(calls):
            if is_completed or number >= MOST_CALLS:
                results.append(AFTER_COMPLETION if is_completed else TOO_MANY)
            elif call.name == COMPLETION:
                is_completed = True
                results.append(self._complete(call))
            else:
                results.append(self.offered.result_of(call))
        return results

    def _complete(self, call: ToolCall) -> str:
        """Submit a completion, and return what the model is told if it is sent back."""
        try:
            completion = Completion.model_validate(arguments_of(call))
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
            return f"error: the completion does not fit: {faults}"
        except BadArguments as error:
            return f"error: {error}"
        try:
            judged = self.assembly.submit(completion)
        except NotJudged as error:
            return f"error: {error}"
        except CallError as error:
            return f"error: the gates accepted the answer, but the environment did not take it ({error})"
        if judged.accepted:
            return "accepted"
        cited = "\n".join(judged.refs) or "(nothing)"
        return f"{judged.message}\n\nWhat was submitted: {judged.answer}\nIts references:\n{cited}"

    def _notices(self, calls: Sequence[ToolCall]) -> tuple[str, ...]:
        """Return what is said behind the results."""
        said = () if calls else (self.prompts.filled("reminder"),)
        notes = self.session.trace.notes
        if notes:
            said = (*said, "<notes>\n" + "\n".join(dict.fromkeys(notes[:20])) + "\n</notes>\n")
        return (*said, *budget_notices(self.budget, self.prompts), *self.context.notice("".join(said)))

    def _remember(self, replied: ModelReplied, calls: Sequence[ToolCall], feedback: Sequence[str]) -> None:
        """Add the reply and what followed it to the conversation: only what the journal holds."""
        results, rest = feedback[: len(calls)], "".join(feedback[len(calls) :])
        said = Message(role="assistant", content=replied.reply)
        if replied.thinking:
            said["thinking"] = replied.thinking
        if replied.tool_calls and calls:
            number = self.session.trace.number
            named = [
                each.model_copy(update={"id": each.id or f"call_{number}_{place}"}) for place, each in enumerate(calls)
            ]
            said["tool_calls"] = named
            self._say(said)
            for call, result in zip(named, results, strict=False):
                self._say({"role": "tool", "content": result, "tool_call_id": call.id})
        else:
            self._say(said)
            pairs = zip(calls, results, strict=False)
            told = [f'<result of="{call.name}">\n{result}\n</result>\n' for call, result in pairs]
            rest = "".join((*told, rest))
        if rest:
            self._say({"role": "user", "content": rest})

    def _say(self, message: Message) -> None:
        self.conversation.append(message)
        self.context.add(message["content"])
        for each in message.get("tool_calls", ()):
            self.context.add(each.arguments)


def _line(text: str) -> str:
    """Return the first line of a text."""
    return next(iter(text.strip().splitlines()), "")[:200]
