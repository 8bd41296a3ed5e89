"""The second solver: a classifier, checks before the model, native tool calls, and an answer that code assembles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from agent.events import ConversationOpened, ModelReplied, SaidMessage
from agent.evidence.recorder import Recorder
from agent.exoskeleton.bindings import Completion, Part, Permission, SolverBindings
from agent.exoskeleton.offered_tools import (
    CALLS_SCHEMA,
    COMPLETION,
    NO_CHANGES,
    ShownResults,
    arguments_of,
    call_reference,
    calls_of,
    executable_reference,
    runs_change,
    tools_of,
)
from agent.exoskeleton.stages import Assembly, FirstStep, HelperModel
from agent.first_message.initial_calls import FirstMessage
from agent.first_message.sections import title_of
from agent.loop.initial_prompt import Prompts
from agent.loop.trial_session import TrialSession
from agent.loop.turn_loop import LoopSettings, TurnLoop, notes_block
from agent.model.model_protocol import Message, Model, Tool, ToolCall
from agent.reply import Fault
from agent.retry import RunBudget
from agent.submission.gated_exit import NotJudged
from sandbox.interface import CallError, ToolSchema, bound_arguments


@dataclass(frozen=True, slots=True)
class Exoskeleton:
    """Works on trials in stages. To resume, it repeats its work from the start, answered from the record."""

    model: Model
    settings: LoopSettings = field(default_factory=LoopSettings)
    parts: frozenset[str] = frozenset(Part)
    bindings: SolverBindings | None = None
    budget: RunBudget = field(default_factory=RunBudget)

    def solve(self, session: TrialSession) -> str:
        """Work on the trial until it is answered, or return why not. Raises what `TurnLoop.run` raises."""
        turns = _ToolTurns(self.model, session, self.settings, self.budget)
        turns.begin(self.parts, self.bindings or SolverBindings())
        return turns.run()


class _ToolTurns(TurnLoop):
    """The turns of one trial: the model calls tools, several per turn, until its completion passes the gates."""

    tools: tuple[Tool, ...]
    allowed: Permission
    assembly: Assembly
    results: ShownResults
    refusals: list[str]
    """The faults of this turn's calls that were not made; the step's other fields do not show them."""

    def begin(self, parts: frozenset[str], bindings: SolverBindings) -> None:
        """Open the conversation, ask the classifier, and let checks answer before the model is asked."""
        session = self.session
        retry = replace(self.model.retry, wait_s=min(5.0, self.model.retry.wait_s))  # A trial goes on without them.
        helper = HelperModel(replace(self.model, retry=retry), self.prompts)
        first = FirstStep(session, parts, bindings)
        opened = session.open(lambda recorder: build_exchange(session.instruction, recorder, self.settings, bindings))
        facts = first.take_step(helper)
        self.allowed = first.allowed
        self.tools = tools_of(session.tool_schema, bindings.task_types, self.allowed)
        self.assembly = Assembly(session, bindings, parts, helper)
        self.assembly.take_initial_prompt(opened)
        self.results = ShownResults(keeps_layout=self.allowed.files)
        self.results.take_initial_prompt(opened, session.tool_schema)
        self.say({"role": "system", "content": opened.system})
        for message in opened.exchange:
            self.say(message.message())
        self.say({"role": "user", "content": "".join((*opened.first_message, facts))})

    def take_turn(self) -> None:
        """Take one turn: ask, make the calls, record the results."""
        session = self.session
        with session.step() as fields:
            replied = self.model.solve(self.conversation, schema=CALLS_SCHEMA, tools=self.tools, tool_choice="required")
            calls = calls_of(replied)
            self.refusals = []
            results = self._results(calls)
            recorded = session.recorded_step
            fields["refunded"] = self.budget.spend(reply_unusable=not calls and not replied.reply.strip())
            self.context.count_request(replied.usage.prompt_tokens, replied.usage.completion_tokens, replied.reply)
            if not calls:
                faults = {"length": Fault.CUT_OFF, "refusal": Fault.REFUSED}
                fault = faults.get(replied.finish_reason, Fault.NO_CALL)
                fields["fault"], fields["error"] = fault, self.prompts.filled("reminder").strip()
            else:
                fields["state"] = next(iter(replied.reply.strip().splitlines()), "")[:200] if replied.tool_calls else ""
                fields["error"] = "\n".join(self.refusals)
            said = (*(() if calls else (self.prompts.filled("reminder"),)), *notes_block(session.trace.notes))
            notices = (*said, *self.budget_notices(), *self.context.notice("".join(said)))
            feedback = () if session.is_over and not recorded else (*results, *notices)
            fields["feedback"] = recorded.feedback if recorded else feedback
        self.streak.count_reply(fields.get("fault", ""), "")
        self.repetition.count_turn("", "", session.trace.submissions)
        self._remember(replied, calls, fields["feedback"])

    def _results(self, calls: Sequence[ToolCall]) -> list[str]:
        results: list[str] = []
        is_completed = False
        for number, call in enumerate(calls):
            if is_completed:
                results.append(self._refused(call, "not run: it stands behind a completion, which ends the step"))
            elif number >= 32:
                results.append(self._refused(call, "not run: a reply makes at most 32 calls"))
            elif call.name == COMPLETION:
                is_completed = True
                results.append(self._complete(call))
            else:
                results.append(self._result_of(call))
        return results

    def _result_of(self, call: ToolCall) -> str:
        names = sorted(tool.name for tool in self.tools)
        declared = self.session.tool_schema.operation(call.name) if call.name in names else None
        if declared is None:
            return self._refused(call, f"error: there is no tool {call.name!r}; there are {', '.join(names)}")
        try:
            arguments = bound_arguments(declared, (), arguments_of(call))
            if not self.allowed.tools and runs_change(self.session.tool_schema, declared, arguments):
                return self._refused(call, NO_CHANGES)
            result = self.session.call(declared.name, arguments)
            self.assembly.add_result(declared, arguments, result)
            return self.results.shown(declared, arguments, result)
        except TypeError as error:
            return self._refused(call, f"error: {error}")
        except CallError as error:
            return f"error: {error}"

    def _refused(self, call: ToolCall, reason: str) -> str:
        """Return the text for the model on a call that was not made, and note it for the readers of the step."""
        self.refusals.append(f"{call.name[:80]}: {reason}")
        return reason

    def _complete(self, call: ToolCall) -> str:
        try:
            judged = self.assembly.submit(Completion.model_validate(arguments_of(call)))
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
            return self._refused(call, f"error: the completion does not fit: {faults}")
        except (TypeError, NotJudged) as error:
            return self._refused(call, f"error: {error}")
        except CallError as error:
            return f"error: the gates accepted the answer, but the environment did not take it ({error})"
        if judged.accepted:
            return "accepted"
        cited = "\n".join(judged.refs) or "(nothing)"
        return f"{judged.message}\n\nWhat was submitted: {judged.answer}\nIts references:\n{cited}"

    def _remember(self, replied: ModelReplied, calls: Sequence[ToolCall], feedback: Sequence[str]) -> None:
        """Add the reply and the feedback to the conversation: only what the journal holds."""
        results, rest = feedback[: len(calls)], "".join(feedback[len(calls) :])
        said = Message(role="assistant", content=replied.reply)
        if replied.thinking:
            said["thinking"] = replied.thinking
        if replied.tool_calls and calls:
            number = self.session.trace.number
            named = [
                call.model_copy(update={"id": call.id or f"call_{number}_{place}"}) for place, call in enumerate(calls)
            ]
            said["tool_calls"] = named
            self.say(said)
            for call, result in zip(named, results, strict=False):
                self.say({"role": "tool", "content": result, "tool_call_id": call.id})
        else:
            self.say(said)
            pairs = zip(calls, results, strict=False)
            results = [f'<result of="{call.name}">\n{result}\n</result>\n' for call, result in pairs]
            rest = "".join((*results, rest))
        if rest:
            self.say({"role": "user", "content": rest})


def build_exchange(
    instruction: str, recorder: Recorder, settings: LoopSettings, bindings: SolverBindings
) -> ConversationOpened:
    """Make the initial calls and return them as pairs of call and result; the instruction comes last."""
    opened = FirstMessage(recorder, instruction, settings.initial_prompt_chars).open()
    exchange: list[SaidMessage] = []
    notes = []
    for number, section in enumerate(opened.writer.sections, start=1):
        if section.call is None:
            notes += section.pieces
        else:
            made, name = section.call, f"opening_{number}"
            call = ToolCall(id=name, name=made.operation, arguments=json.dumps(made.arguments))
            exchange.append(SaidMessage(role="assistant", content="", tool_calls=(call,)))
            exchange.append(SaidMessage(role="tool", content=section.shown + section.notice, tool_call_id=name))
            declared = recorder.tool_schema.operation(made.operation)
            if declared is not None and section.title != title_of(declared, made.arguments):
                notes.append(f"{section.title}\n")  # What was found out about the file, such as that it is in force.
    system = system_prompt(opened.offered, bindings, settings.prompts)
    *_, prompt = opened.message(settings.prompts.filled("first_message", instruction=instruction))
    return opened.conversation(system, [*notes, prompt], exchange)


def system_prompt(tool_schema: ToolSchema, bindings: SolverBindings, prompts: Prompts) -> str:
    """Return the system prompt for an environment: the same for every trial of one declaration.

    If a check decides what a request may change, nothing that changes something is named here: the first step names it.
    """
    names_all = not bindings.permission
    allowed = Permission(files=names_all, tools=names_all)
    executables = [executable_reference(tool_schema, changing=changing) for changing in (False, names_all)]
    text = prompts.filled(
        "exoskeleton",
        calls=call_reference(tools_of(tool_schema, bindings.task_types, allowed)),
        executables="\n".join(filter(None, dict.fromkeys(executables))) or "(none declared)",
    )
    return prompts.with_hints(text)
