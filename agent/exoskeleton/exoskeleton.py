"""The second solver: a classifier, checks before the model, native tool calls, and an answer that code assembles.

A trial goes on if a small model fails.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError

from controlplane.agent.events import ConversationOpened, Judged, SaidMessage, StepDone
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.exoskeleton.bindings import (
    CheckValue,
    CitedPath,
    Completion,
    Part,
    Permission,
    SolverBindings,
)
from controlplane.agent.exoskeleton.offered_tools import (
    CALLS_SCHEMA,
    COMPLETION,
    NO_CHANGES,
    ShownResults,
    arguments_of,
    call_reference,
    calls_of,
    change_reference,
    described_fields,
    executable_reference,
    initial_results,
    object_of,
    runs_change,
    tools_of,
)
from controlplane.agent.initial_calls import title_of
from controlplane.agent.loop.initial_prompt import FirstMessage, Prompts
from controlplane.agent.loop.patient_model import PatientModel
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import LoopSettings, TurnLoop, notes_block
from controlplane.agent.model import (
    Abandoned,
    Message,
    Model,
    ModelError,
    ModelRequest,
    OutOfBudget,
    Tool,
    ToolCall,
    object_schema,
)
from controlplane.agent.reply import Fault
from controlplane.agent.retry import RunBudget
from controlplane.agent.submission import NotJudged
from controlplane.agent.trial_record import TrialStep
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    ToolSchema,
    bound_arguments,
)


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


MOST_STATE_CHARS: Final = 200
"""Max characters of a reply's first line that stand for the model's own account of its progress."""


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
        retry = replace(
            self.model.retry, wait_s=min(5.0, self.model.retry.wait_s)
        )  # A trial goes on without them.
        helper = HelperModel(replace(self.model, retry=retry), self.prompts)
        first = FirstStep(session, parts, bindings)
        opened = session.open(
            lambda recorder: build_exchange(
                session.instruction, recorder, self.settings, bindings, session.trial.now
            )
        )
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
        with session.step() as step:
            replied = self.model.solve(
                self.conversation, schema=CALLS_SCHEMA, tools=self.tools, tool_choice="required"
            )
            calls = calls_of(replied)
            self.refusals = []
            results = self._results(calls)
            is_unusable = not calls and not replied.reply.strip()
            notices: list[str] = []
            state = ""
            fault = ""
            if calls:
                error = "\n".join(self.refusals)
                if replied.tool_calls:
                    state = _first_line(replied.reply)[:MOST_STATE_CHARS]
            else:
                faults = {"length": Fault.CUT_OFF, "refusal": Fault.REFUSED}
                fault = faults.get(replied.finish_reason, Fault.NO_CALL)
                reminder = self.prompts.filled("reminder")
                error = reminder.strip()
                notices.append(reminder)
            notices += notes_block(session.notes)
            feedback: tuple[str, ...] = ()
            if not session.is_over:
                feedback = (*results, *notices)
            done = StepDone(
                trial_id=session.trial.trial_id,
                step=step.number,
                state=state,
                error=error,
                fault=str(fault),
                feedback=feedback,
                refunded=self.steps.refunds_reply(is_unusable=is_unusable),
            )
            self.sum_up(step, done)
        self.take_step(session.trace)

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add the reply and the feedback to the conversation: only what the journal holds."""
        done = step.done
        assert done is not None
        replied = step.solve_reply
        calls = calls_of(replied)
        results = done.feedback[: len(calls)]
        rest = "".join(done.feedback[len(calls) :])
        said = Message(role="assistant", content=replied.reply)
        if replied.thinking:
            said["thinking"] = replied.thinking
        if replied.tool_calls and calls:
            named_calls: list[ToolCall] = []
            for place, call in enumerate(calls):
                call_id = call.id or f"call_{step.number}_{place}"
                named_calls.append(call.model_copy(update={"id": call_id}))
            said["tool_calls"] = named_calls
            self.say(said)
            for call, result in zip(named_calls, results, strict=False):
                self.say({"role": "tool", "content": result, "tool_call_id": call.id})
        else:
            self.say(said)
            shown = ""
            for call, result in zip(calls, results, strict=False):
                shown += f'<result of="{call.name}">\n{result}\n</result>\n'
            rest = shown + rest
        if rest:
            self.say({"role": "user", "content": rest})

    def _results(self, calls: Sequence[ToolCall]) -> list[str]:
        results: list[str] = []
        is_completed = False
        for number, call in enumerate(calls):
            if is_completed:
                results.append(
                    self._refused(
                        call, "not run: it stands behind a completion, which ends the step"
                    )
                )
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
            return self._refused(
                call, f"error: there is no tool {call.name!r}; there are {', '.join(names)}"
            )
        try:
            arguments = bound_arguments(declared, (), arguments_of(call))
            if not self.allowed.tools and runs_change(
                self.session.tool_schema, declared, arguments
            ):
                return self._refused(call, NO_CHANGES)
            result = self.session.call(declared.name, arguments, is_raw=True)
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
            faults = "; ".join(
                f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()
            )
            return self._refused(call, f"error: the completion does not fit: {faults}")
        except (TypeError, NotJudged) as error:
            return self._refused(call, f"error: {error}")
        except CallError as error:
            return f"error: the gates accepted the answer, but the environment did not take it ({error})"
        if judged.accepted:
            return "accepted"
        cited = "\n".join(judged.refs) or "(nothing)"
        return f"{judged.message}\n\nWhat was submitted: {judged.answer}\nIts references:\n{cited}"


def _first_line(text: str) -> str:
    """Return the first line of a text; empty if it has none."""
    lines = text.strip().splitlines()
    return lines[0] if lines else ""


def build_exchange(
    instruction: str,
    recorder: Recorder,
    settings: LoopSettings,
    bindings: SolverBindings,
    now: datetime | None = None,
) -> ConversationOpened:
    """Make the initial calls and return them as pairs of call and result; the instruction comes last.

    `now` is the trial's clock, with its zone.
    """
    opened = FirstMessage(recorder, instruction, settings.initial_prompt_chars, now).open()
    exchange: list[SaidMessage] = []
    notes = []
    for number, section in enumerate(opened.writer.sections, start=1):
        if section.call is None:
            notes += section.pieces
        else:
            made, name = section.call, f"opening_{number}"
            call = ToolCall(id=name, name=made.operation, arguments=json.dumps(made.arguments))
            exchange.append(SaidMessage(role="assistant", content="", tool_calls=(call,)))
            exchange.append(
                SaidMessage(role="tool", content=section.shown + section.notice, tool_call_id=name)
            )
            declared = recorder.tool_schema.operation(made.operation)
            if declared is not None and section.title != title_of(declared, made.arguments):
                notes.append(
                    f"{section.title}\n"
                )  # What was found out about the file, such as that it is in force.
    system = system_prompt(opened.offered, bindings, settings.prompts)
    *_, prompt = opened.message(settings.prompts.filled("first_message", instruction=instruction))
    return opened.conversation(system, [*notes, prompt], exchange)


def system_prompt(tool_schema: ToolSchema, bindings: SolverBindings, prompts: Prompts) -> str:
    """Return the system prompt for an environment: the same for every trial of one declaration.

    If a check decides what a request may change, nothing that changes something is named here: the first step names it.
    """
    names_all = not bindings.permission
    allowed = Permission(files=names_all, tools=names_all)
    executables = [
        executable_reference(tool_schema, changing=changing) for changing in (False, names_all)
    ]
    text = prompts.filled(
        "exoskeleton",
        calls=call_reference(tools_of(tool_schema, bindings.task_types, allowed)),
        executables="\n".join(filter(None, dict.fromkeys(executables))) or "(none declared)",
    )
    return prompts.with_hints(text)


@dataclass(frozen=True, slots=True)
class HelperModel:
    """The models of the roles other than `solve`, as one trial asks them."""

    model: PatientModel
    prompts: Prompts

    def ask(
        self, role: str, schema: Mapping[str, object], request: str, **holes: str
    ) -> dict[str, Any]:
        """Return the object that the model of a role replies to the prompts of its role and of the request; empty if
        there is no object. Raises `OutOfBudget`."""
        session = self.model.session
        prompt = self.prompts.filled(request, instruction=session.instruction, **holes)
        messages: list[Message] = [
            {
                "role": "system",
                "content": self.prompts.filled(role, fields=described_fields(schema), **holes),
            },
            {"role": "user", "content": prompt},
        ]
        model_request = ModelRequest(messages, role, schema=schema)
        try:
            return object_of(session.ask(self.model.complete, model_request).reply) or {}
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            session.notice(
                f"the model of the role {role} failed, and the trial goes on without it: {error}"
            )
            return {}


LONGEST_FORMATTED: Final = 8_000
"""Max characters of a message that is formatted: a longer one is a table or a plan."""
MESSAGE_SCHEMA: Final = object_schema({"message": {"type": "string"}})


def references_of(result: Mapping[str, Plain]) -> tuple[CitedPath, ...]:
    """Return the references of a function result, in order."""
    refs = result.get("refs")
    return tuple(map(CitedPath.model_validate, refs)) if isinstance(refs, list) else ()


def submit_answer(session: TrialSession, answer: Completion) -> Judged:
    """Submit with references, each in the spelling that listings show.

    A path that may not be cited stays unchanged, for the gates to reject; a note names a missing quotation. Raises
    `CallError` if the environment refuses the answer.
    """
    refs: dict[str, str] = {}
    for cited in answer.cited.values():
        for quotation in dict.fromkeys((cited.quote, "")):
            try:
                refs[session.check_citation(cited.path, cited.reason, quotation)] = cited.reason
                break
            except ValueError as error:
                if quotation:
                    session.notes.append(str(error))
        else:
            refs[cited.path] = cited.reason
    return session.submit(
        Submission(answer=answer.message, outcome=answer.outcome, refs_why={**refs})
    )


@dataclass(slots=True)
class Assembly:
    """Assembles the answers of one trial."""

    session: TrialSession
    bindings: SolverBindings
    parts: frozenset[str]
    helper: HelperModel
    findings: list[dict[str, Plain]] = field(default_factory=list)
    """Results of the environment's functions, in order: `function`, `refs`, `texts` (those of its value by field)."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the files that were read, by path, in order."""

    def take_initial_prompt(self, opened: ConversationOpened) -> None:
        """Take the texts that the initial prompt shows into account; texts that were read but not shown count as
        unopened."""
        for declared, arguments, text in initial_results(opened, self.session.tool_schema):
            if declared.effect is Effect.READS and text:
                self.texts[str(arguments.get(declared.subject))] = text

    def add_result(
        self, declared: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Take the result of a call into account."""
        if declared.finds:
            value = result.get("value")
            fields = value if isinstance(value, dict) else {"value": value}
            texts: dict[str, Plain] = {
                name: text for name, text in fields.items() if isinstance(text, str)
            }
            self.findings.append(
                {"function": declared.name, "refs": result.get("refs", []), "texts": texts}
            )
        elif declared.effect is Effect.READS:
            path = str(result.get("path") or arguments.get(declared.subject))
            self.texts[path] = str(result.get(declared.json_field, ""))

    def submit(self, completion: Completion) -> Judged:
        """Submit a model's completion. Raises `CallError` if the environment does not take the answer."""
        return submit_answer(
            self.session, self._formatted(self._ordered(self._revised(completion)))
        )

    def _revised(self, completion: Completion) -> Completion:
        """Return the completion as the benchmark's conventions have it, which may ask the role `check_draft`."""
        if Part.FORMATTER not in self.parts or self.bindings.revise is None:
            return completion

        return self.bindings.revise(
            completion,
            self.texts,
            lambda schema, text: self.helper.ask(
                "check_draft", schema, "format_request", message=text
            ),
        )

    def _ordered(self, completion: Completion) -> Completion:
        """Return the completion with the trial's function results, and its references in order."""
        with_store, with_order = Part.EVIDENCE_STORE in self.parts, Part.REFERENCES in self.parts
        if not self.bindings.references or not (with_store or with_order):
            return completion
        answer: dict[str, Plain] = {
            "outcome": completion.outcome,
            "message": completion.message,
            "task_type": completion.task_type,
            "protected": completion.protected,
            "documents": [document.path for document in completion.documents],
            "records": [record.path for record in completion.records],
        }
        findings = json.dumps([*self.findings, {"opened": [*self.texts]}] if with_store else [])
        request = self.session.instruction
        asked: dict[str, Plain] = {
            "request": request,
            "answer": answer,
            "findings": findings,
            "in_order": with_order,
        }
        try:
            result = self.session.call(self.bindings.references, asked)
        except CallError:
            self.session.notes.append(
                "the references stay as they were given: the workspace cannot be read"
            )
            return completion
        given, value = completion.cited, result["value"]
        records = tuple(
            CitedPath(path=ref.path, reason=own.reason or ref.reason, quote=own.quote)
            for ref in references_of(result)
            for own in [given.get(ref.path, ref)]
        )
        message = value["message"] if isinstance(value, dict) else completion.message
        return completion.model_copy(
            update={"documents": (), "records": records, "message": message}
        )

    def _formatted(self, completion: Completion) -> Completion:
        """Return the completion with its message in the requested form, as far as guards allow."""
        put_in_form, rules = self.bindings.put_in_form, self.session.rules
        is_short = len(completion.message) <= LONGEST_FORMATTED
        if Part.FORMATTER not in self.parts or put_in_form is None or not is_short:
            return completion

        def ask() -> str:
            holes = {"message": completion.message, "rules": rules}
            proposed = self.helper.ask("format", MESSAGE_SCHEMA, "format_request", **holes).get(
                "message"
            )
            return (
                proposed if isinstance(proposed, str) and len(proposed) <= LONGEST_FORMATTED else ""
            )

        message = put_in_form(
            completion.outcome, completion.message, rules, ask, self.session.instruction
        )
        return completion.model_copy(update={"message": message})


@dataclass(slots=True)
class FirstStep:
    """Classifier and checks of one trial, if they are switched on."""

    session: TrialSession
    parts: frozenset[str]
    bindings: SolverBindings
    intent: Mapping[str, Any] = field(default_factory=dict)
    """The classifier's reply; the checks judge its fields."""
    context: list[str] = field(default_factory=list)
    """Texts for the model from checks."""
    allowed: Permission = field(default_factory=Permission)
    """The changes that the request allows."""

    def take_step(self, helper: HelperModel) -> str:
        """Take the step, if anything of it is switched on; return the text for the model."""
        session, schema = (
            self.session,
            self.bindings.intent_schema if Part.CLASSIFIER in self.parts else None,
        )
        checks = self.bindings.preflight if Part.PREFLIGHT in self.parts else ()
        is_idle = not (schema or checks or self.bindings.permission)
        if is_idle or session.is_over:
            return ""
        with session.step() as step:
            self.intent = helper.ask("classify", schema, "classify_request") if schema else {}
            if self.bindings.permission:  # else everything may be changed
                with suppress(ValidationError):
                    self.allowed = Permission.model_validate(
                        self._found(self.bindings.permission).get("value", {})
                    )
                self.context += filter(None, [change_reference(session.tool_schema, self.allowed)])
            answered = self._answer(checks)
            state = "checked before the model is asked"
            if answered:
                state = f"answered by {answered}"
            output = ""
            if self.intent:
                output = json.dumps(self.intent, ensure_ascii=False, default=str)
            step.done = StepDone(
                trial_id=session.trial.trial_id,
                step=step.number,
                state=state,
                output=output,
                feedback=tuple(self.context),
                refunded=True,
            )
        assert session.last_step is not None
        return "".join(session.last_step.feedback)

    def _answer(self, checks: Sequence[str]) -> str:
        """Go through the checks until one answers; return the check's name, or an empty string if none answers.

        A check that answers may make changes first.
        """
        operations = self.session.tool_schema.operations
        deletes = [operation for operation in operations if operation.effect is Effect.DELETES]
        for name in checks:
            function_result = self._found(name)
            try:
                value = CheckValue.model_validate(function_result.get("value", {}))
            except ValidationError:
                continue
            if value.context:
                self.context.append(value.context)
            if not value.outcome or (value.delete and not deletes):
                continue
            with suppress(CallError):
                for path in value.delete:
                    self.session.call(deletes[0].name, {deletes[0].subject: path})
                records = references_of(function_result)
                answer = Completion(message=value.message, outcome=value.outcome, records=records)
                if submit_answer(self.session, answer).accepted:
                    return name
        return ""

    def _found(self, name: str) -> dict[str, Plain]:
        """Return the function result of a check; empty if the check cannot read what it needs."""
        intent = json.dumps(self.intent, default=str)
        try:
            return self.session.call(name, {"request": self.session.instruction, "intent": intent})
        except CallError:
            return {}
