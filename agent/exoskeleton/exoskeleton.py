"""The exoskeleton: a solver whose model calls tools natively, while code does the rest.

The code around the model carries what the model alone could not: it decides which
changes are permitted, and assembles the answer. It works in these stages:

1. Files are read, and the benchmark's checks look at the request (`ToolTurns.first_messages`).
2. The model calls tools; by the last call, the *completion*, it answers.
3. The completion is turned into the submitted answer (answer.py).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from controlplane.agent.events import (
    ConversationOpened,
    Judged,
    ModelReplied,
    SaidMessage,
    StepDone,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.exoskeleton.answer import (
    Assembly,
    references_of,
    submit_answer,
)
from controlplane.agent.exoskeleton.bindings import (
    CitedPath,
    Completion,
    Part,
    SolverBindings,
)
from controlplane.agent.exoskeleton.helper_model import (
    HelperModel,
    arguments_of,
    objects_of,
)
from controlplane.agent.exoskeleton.shown import (
    CallResults,
)
from controlplane.agent.exoskeleton.tools import (
    CHANGING_EFFECTS,
    COMPLETION,
    CheckValue,
    Permission,
    call_reference,
    change_reference,
    completion_tool,
    executable_reference,
    operation_tool,
    outcome_reference,
    runs_change,
)
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.call_notes import notes_block
from controlplane.agent.loop.prompts import LoopSettings, Prompts
from controlplane.agent.loop.system_prompt import room_beside
from controlplane.agent.loop.trial_session import TrialContext, TrialSession
from controlplane.agent.loop.turns import TurnLoop
from controlplane.agent.model import Message, Model, ModelTool, ToolCall, object_schema
from controlplane.agent.opening.message import open_first_message
from controlplane.agent.opening.sections import Section
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.objects import WRITTEN_ARGUMENTS
from controlplane.agent.reply.unusable_reply import Fault
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Plain,
    ToolSchema,
    bound_arguments,
)

# The tools that the model of one trial may call.
#
# For a request that only asks a question, there is no tool `write`:
#
# | the request permits | tools |
# |---|---|
# | to change files | `read`, `write`, `run`, `report_completion` |
# | no change | `read`, `run`, `report_completion` |
#
# `run` is offered in any case, because most executables only read.


def tools_of(
    tool_schema: ToolSchema, task_types: Sequence[str], permission: Permission
) -> tuple[ModelTool, ...]:
    """Return the tools for one trial. By the last one, the model hands in its answer.

    `task_types` are the kinds of requests, one of which the model states there.
    """
    tools = []
    for operation in tool_schema.operations:
        if permission.files or operation.effect not in CHANGING_EFFECTS:
            tools.append(operation_tool(operation))
    tools.append(completion_tool(task_types, tool_schema.outcomes))
    return tuple(tools)


# Answers a request as a check of the benchmark says, without asking the model.
#
# A check may find that the user who asks must not see a record, and refuse the request:
#
#     CheckValue(outcome="OUTCOME_DENIED_SECURITY", message="This loan is not yours.")


def _submit_check_answer(
    session: TrialSession, value: CheckValue, references: tuple[CitedPath, ...]
) -> bool:
    """Delete the files that a check names, and submit its answer with its references.

    | what happens | returned |
    |---|---|
    | a file cannot be deleted | False, and nothing is submitted |
    | the gates reject the answer, or the environment refuses it | False |
    | the gates accept the answer, and the environment takes it | True |
    """
    operations = session.tool_schema.operations
    deleting = [entry for entry in operations if entry.effect is Effect.DELETES]
    if value.delete and not deleting:
        return False
    try:
        for path in value.delete:
            session.call(deleting[0].name, {deleting[0].subject: path})
        answer = Completion(
            message=value.message,
            outcome=value.outcome,
            records=references,
        )
        return submit_answer(session, answer).accepted
    except CallError:
        return False


# Runs a *check*: a function of the benchmark that looks at a request before the model is asked.
#
# For the request "Renew loan l-12", which a small model has described by `{"change": true}`:
#
#     permitted_changes(request="Renew loan l-12", intent='{"change": true}')
#         -> {"value": {"files": True, "tools": False}, "refs": []}


def _check_result(
    session: TrialSession, check: str, intent: Mapping[str, Any]
) -> dict[str, Plain]:
    """Run the check of this name and return its result; empty if it cannot read its files.

    `intent` is how the small model describes the request; empty without one.
    """
    arguments: dict[str, Plain] = {
        "request": session.instruction,
        "intent": json.dumps(intent, default=str),
    }
    try:
        return session.call(check, arguments)
    except CallError:
        return {}


# Which changes a request permits, by a check of the benchmark.
#
# A question such as "How many loans are late?" permits none, so no reply of the model can change
# something by mistake.

_EVERYTHING_PERMITTED: Final = Permission()
"""For a benchmark that does not check its requests, or whose check fails. A permission too many
only lets a mistake happen. Without one that it needs, a request could not be carried out."""


def _request_permission(
    session: TrialSession, check: str | None, intent: Mapping[str, Any]
) -> Permission:
    """Run the check of this name, and return the changes that it permits.

    Without a check, or if it returns no usable value, everything is permitted. `intent` is how
    a small model describes the request: `{"kind": "renew", "loan": "l-12"}`.
    """
    if not check:
        return _EVERYTHING_PERMITTED
    try:
        value = _check_result(session, check, intent).get("value", {})
        return Permission.model_validate(value)
    except ValidationError:
        return _EVERYTHING_PERMITTED


# The first step of the exoskeleton solver, in which code looks at the request first.
#
# For the request "Renew loan l-12", with the functions of a library:
#
# 1. A small model describes the request, for the checks (the *intent*): `{"change": true}`.
# 2. A check says what the trial may change: `Permission(files=True, tools=False)`.
# 3. The *preflight* checks may answer it. Then the solver's own model is never asked:
#
# | value of a check | what happens |
# |---|---|
# | `{"outcome": "OUTCOME_DENIED", "message": "This loan is not yours."}` | it is the answer |
# | `{"context": "The loan ends on 4 May."}` | the model is told this, and the next check runs |
# | `{}` | the next check runs |


def _take_first_step(
    session: TrialSession, bindings: SolverBindings, helper: HelperModel
) -> tuple[str, Permission]:
    """Take the step. Return what the model is told at first, and the changes that are permitted.

    If a check answers the request, the trial is over. Without a small model and checks, there
    is no step, and all is permitted.
    """
    has_work = bindings.preflight or bindings.permission or bindings.intent_schema
    if not has_work or session.is_over:  # A resumed trial may be over.
        return "", _EVERYTHING_PERMITTED

    with session.step() as step:
        intent: Mapping[str, Any] = {}
        output = ""
        if bindings.intent_schema:
            schema = bindings.intent_schema
            intent = helper.ask("classify", "classify_request", schema)
        if intent:
            output = json.dumps(intent, ensure_ascii=False, default=str)
        permission = _request_permission(session, bindings.permission, intent)
        texts: list[str] = []
        if (
            bindings.permission
        ):  # Without this check, the system prompt lists all calls.
            texts.append(change_reference(session.tool_schema, permission))

        state = "checked before the model is asked"
        for check in bindings.preflight:
            result = _check_result(session, check, intent)
            try:
                value = CheckValue.model_validate(result.get("value", {}))
            except ValidationError:
                continue  # A value that cannot be used is left out.
            texts.append(value.context)
            references = references_of(result)
            if value.outcome and _submit_check_answer(session, value, references):
                state = f"answered by {check}"
                break
        step.done = StepDone(
            trial_id=session.trial_id,
            step=session.recorder.current_step.number,
            state=state,
            output=output,
            feedback=tuple(text for text in texts if text),
            refunded=True,  # It does not count: the solver's model was not asked.
        )

    # When the block ends, the step's summary is in the journal. If a killed process has written
    # it before, `step.summary` is that one, so the model gets the same message again.
    return "".join(step.summary.feedback), permission


# The initial calls of a trial as messages, as if the model had made them: the *exchange*.
#
# Code makes the initial calls before the model is asked, and writes a *section* about each: a part of
# the first prompt, with the result as far as there is room. A section without a call is a text for the
# user's first message. The exchange for the section `read /docs/a.md` is
#
#     the model says:   a tool call, read({"path": "/docs/a.md"})
#     the tool says:    A key is lent for a day. (3200 more characters: read)


def _exchange_of(sections: Iterable[Section]) -> list[SaidMessage]:
    """Return the messages of the exchange: two for each section with a call.

    The number of the section, such as 4 in `opening_4`, links the two.
    """
    exchange: list[SaidMessage] = []
    for number, section in enumerate(sections, start=1):
        if section.call is None:
            continue
        call_id = f"opening_{number}"
        tool_call = ToolCall(
            id=call_id,
            name=section.call.operation,
            arguments=json.dumps(section.call.arguments),
        )
        shown_result = section.text + section.cut_notice
        exchange += [
            SaidMessage(role="assistant", content="", tool_calls=(tool_call,)),
            SaidMessage(role="tool", content=shown_result, tool_call_id=call_id),
        ]
    return exchange


def _texts_beside_exchange(sections: Iterable[Section]) -> list[str]:
    """Return what is left of the sections for the user's first message.

    These are the texts without a call, and remarks on files: `read /docs/b.md (not begun)`.
    """
    texts: list[str] = []
    for section in sections:
        if section.call is None:
            texts += section.pieces  # its text
        elif section.file_remark:  # " (not begun)": the document is not yet in force.
            texts.append(f"{section.title}{section.file_remark}\n")
    return texts


# The system prompt of the exoskeleton solver, with the tools that its model may call.
#
# It is the first message of the conversation, and the same for all trials of an environment, so
# that a provider can cache it.


def _system_prompt(
    tool_schema: ToolSchema, bindings: SolverBindings, prompts: Prompts
) -> str:
    """Return the system prompt for an environment. It is the same for all its trials.

    If the benchmark checks which changes each request permits, the prompt lists no tools
    that change something. Each trial's first message then lists the permitted ones.
    """
    has_check = bool(bindings.permission)
    permission = Permission(files=not has_check, tools=not has_check)
    tools = tools_of(tool_schema, bindings.task_types, permission)
    text = prompts.filled(
        "exoskeleton",
        calls=call_reference(tools),
        executables=_executable_lines(tool_schema, permission) or "(none declared)",
        outcomes=outcome_reference(tool_schema.outcomes),
    )
    return prompts.with_hints(text)


def _executable_lines(tool_schema: ToolSchema, permission: Permission) -> str:
    """Return a line for each executable, such as `/bin/date`.

    Those that may change something come last, and are left out if they are not permitted.
    """
    parts = [executable_reference(tool_schema, changing=False)]
    if permission.tools:
        parts.append(executable_reference(tool_schema, changing=True))
    return "\n".join(part for part in parts if part)


# Builds the start of the exoskeleton solver's conversation.
#
# Code makes the *initial calls*, such as `read /docs/rules.md`, before the model is asked:
#
#     system       the system prompt
#     assistant    the call of read, as if the model had made it
#     tool         the result of the call
#     user         remarks about the files, and the request: "Renew loan l-12"
#
# The messages of the assistant and the tool, two for each initial call, are the *exchange*.


def build_opening(
    trial: TrialContext,
    recorder: Recorder,
    settings: LoopSettings,
    bindings: SolverBindings,
) -> ConversationOpened:
    """Make the initial calls of a trial, and return the start of its conversation."""
    # 1. Find out how many characters the results of the initial calls may take. The system
    #    prompt counts in its longest form. The final one leaves out tools that are down.
    longest_system = _system_prompt(recorder.tool_schema, bindings, settings.prompts)
    room = room_beside(longest_system, trial, settings)

    # 2. Make the initial calls. Each has a section, with its result as far as it is shown.
    prompt = settings.prompts.filled("first_message", instruction=trial.instruction)
    results = open_first_message(trial.instruction, trial.now, recorder, room, prompt)

    # 3. Write the system prompt, the pieces of the user's message, and the exchange.
    system = _system_prompt(results.working_tool_schema, bindings, settings.prompts)
    user_texts = _texts_beside_exchange(results.sections)
    user_texts.append(results.end)
    exchange = _exchange_of(results.sections)
    return results.opened(system, user_texts, exchange)


# Reads a tool call that a model has written as JSON, into the text of its reply.
#
# Models use several forms. These are the same call:
#
#     {"name": "read", "arguments": {"path": "/docs/a.md"}}
#     {"tool": "read", "parameters": {"path": "/docs/a.md"}}
#     {"function": {"name": "read", "arguments": "{\"path\": \"/docs/a.md\"}"}}


def _written_call(value: object) -> ToolCall | None:
    """Return the call that a JSON value describes; None if it describes none."""
    if not isinstance(value, dict):
        return None
    function = value.get("function")
    fields = function if isinstance(function, dict) else value
    name = fields.get("name") or fields.get("tool")
    if not isinstance(name, str) or not name:
        return None
    arguments = _written_arguments(fields)
    if arguments is None:
        return None
    return ToolCall(name=name, arguments=arguments)


def _written_arguments(fields: Mapping[str, Any]) -> str | None:
    """Return the arguments in the fields of a written call, as the text of a JSON object.

    {"tool": "read", "parameters": {"path": "/docs/a.md"}} -> '{"path": "/docs/a.md"}'

    None if they are missing or null, as in an example or a template of a call.
    """
    for spelling in WRITTEN_ARGUMENTS:  # `arguments`, `parameters` ...
        if spelling not in fields:
            continue
        arguments = fields[spelling]
        if arguments is None or isinstance(arguments, str):
            return arguments
        return json.dumps(arguments)
    return None


# Reads the tool calls in a model's reply.
#
# They are native calls, in a field of the protocol, or JSON in the reply's text:
# `{"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}`

_CALLS_SCHEMA: Final = object_schema(
    {
        "calls": {
            "type": "array",
            "items": object_schema(
                {"name": {"type": "string"}, "arguments": {"type": "object"}}
            ),
        }
    }
)
"""The JSON schema of a reply with calls as text, for endpoints without native tool calls."""


def _calls_of(replied: ModelReplied) -> Sequence[ToolCall]:
    """Return the calls of a reply in order.

    A reply that was cut off at the length limit has none, because its last call may
    lack arguments.
    """
    if replied.finish_reason == "length":
        return ()
    if replied.tool_calls:
        return replied.tool_calls

    calls = []
    for value in _possible_calls(replied.reply):
        call = _written_call(value)
        if call is not None:
            calls.append(call)
    return calls


def _possible_calls(reply: str) -> Sequence[object]:
    """Return the JSON values in a reply's text that may be calls.

    They are the items of `{"calls": [{...}, {...}]}`, and objects after it are examples. If
    the text does not begin with this form, each object in it may be a call.
    """
    objects = objects_of(reply)
    if objects:
        calls = objects[0].get("calls")
        if isinstance(calls, list):
            return calls
    return objects


# The outcome of one call of the model: a result, or the reason why it was refused.

_MAX_NAME_CHARS: Final = 80
"""Max characters of a tool's name in a step's error. Models may invent long names."""


@dataclass(frozen=True, slots=True)
class _CallOutcome:
    """What became of a call."""

    text: str
    """The text for the model: the result, or the reason."""
    refusal: str = ""
    """The part of the step's error: `reed: error: there is no tool 'reed'`; empty if the
    call was made."""


def _refused(call: ToolCall, reason: str) -> _CallOutcome:
    """Return the outcome of a call that was not made."""
    return _CallOutcome(reason, f"{call.name[:_MAX_NAME_CHARS]}: {reason}")


def _objection_text(judged: Judged) -> str:
    """Return the objection of the gates, with the answer that they have judged."""
    references = "\n".join(judged.refs) or "(nothing)"
    submitted = f"What was submitted: {judged.answer}\nIts references:\n{references}"
    return f"{judged.message}\n\n{submitted}"


def _faults_text(error: ValidationError) -> str:
    """Return the faults of a completion in one line: `outcome: Field required; …`"""
    texts = []
    for fault in error.errors():
        place = ".".join(str(part) for part in fault["loc"])
        texts.append(f"{place}: {fault['msg']}")
    return "; ".join(texts)


# The turns of one trial, in each of which the model calls tools.
#
# | reply of the model | then, the conversation gets |
# |---|---|
# | `read(path="/docs/a.md")` | the file |
# | "I am done." | a reminder to call a tool |
# | the last call, the *completion* | what the gates (rules for answers) object to |

# The calls of a reply are made one after the other, as far as the request permits changes:
#
# | call | outcome |
# |---|---|
# | `read(path="/docs/a.md")`, an operation of the environment | `_CallOutcome("A key is lent for a day.")` |
# | `read(path="/x.md")`, without such a file | `_CallOutcome("error: not_found: ...")` |
# | `reed(path="/docs/a.md")`, or `read()` | refused: not a tool, or not its arguments |
# | `run(path="/bin/lend")`, if it is not permitted | refused: the request asks for no change |
# | `report_completion(message="12 loans", ...)`, the *completion* | the answer is submitted |
# | any call after that | refused: the completion ends the step |

_NO_CHANGES: Final = "not run: the request asks for no such change, so nothing that changes something is run for it"
"""The result of a call that the model makes although the request does not permit it."""
_MAX_CALLS: Final = 32
"""Max calls of one reply."""
_MAX_STATE_CHARS: Final = 200
"""Max characters of a reply's first line, which is recorded as the model's state."""
_FAULTS: Final = {"length": Fault.CUT_OFF, "refusal": Fault.REFUSED}
"""The fault of a reply without calls, by the reason why the reply ended."""


class ToolTurns(TurnLoop):
    """The turns of one trial. `run` of the base class calls the methods below it."""

    # `first_messages` sets these, before the first step.
    tools: tuple[ModelTool, ...]
    """The tools that the model may call. Operations that change files are among them only if
    this is permitted."""
    permission: Permission
    """The changes that the trial may make. Here, it decides which executables may be run."""
    results: CallResults
    """Keeps the results, for the benchmark's functions that check the answer, and turns them into
    texts for the model."""
    assembly: Assembly
    """Assembles the answer from a completion."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        parts: Collection[str],
        bindings: SolverBindings,
    ) -> None:
        """`parts` are the optional parts of the solver that are on: `{"references"}`.

        `bindings` are the functions that the benchmark adds to these.
        """
        super().__init__(model, session, settings)
        self.parts = parts
        self.bindings = bindings

    def first_messages(self) -> list[Message]:
        """Do everything that comes before the model is asked, and return the first messages.

        1. Code reads what any model will need: `read /docs/rules.md`. This is the *opening*.
        2. Functions of the benchmark check the request: the *first step*. One of them may answer it.
        3. The tools are chosen that the model may call: `read`, and `write` if it is permitted.
        4. The conversation begins with the opening, the request, and what the checks say.
        """

        def make_opening(recorder: Recorder) -> ConversationOpened:
            return build_opening(
                self.session.trial, recorder, self.settings, self.bindings
            )

        # Some functions of a benchmark ask small models.
        helper = HelperModel(self.model, self.session, self.prompts)
        opening = self.session.open_prompt(make_opening)  # or the recorded one
        checks_text, permission = _take_first_step(self.session, self.bindings, helper)
        schema = self.session.tool_schema
        self.permission = permission
        self.tools = tools_of(schema, self.bindings.task_types, permission)
        self.results = CallResults.after(
            opening, schema, may_write_files=permission.files
        )
        self.assembly = Assembly(
            self.session, self.bindings, self.parts, helper, self.results
        )
        user_text = "".join((*opening.first_message, checks_text))
        return [
            Message(role="system", content=opening.system),
            *(message.message() for message in opening.exchange),
            Message(role="user", content=user_text),
        ]

    def do_step(self, step: TrialStep) -> None:
        """Ask the model, make the calls of its reply, and set `step.done`."""
        replied = self.ask_model(
            schema=_CALLS_SCHEMA,
            tools=self.tools,
            tool_choice="required",
        )
        calls = _calls_of(replied)
        if calls:
            done = self._run_calls(replied, calls)
        else:
            done = self._remind(replied)

        feedback: tuple[str, ...] = ()  # If the trial is over, the model reads no more.
        if not self.session.is_over:
            # The notes tell, for example, why a call was stopped before it was sent.
            notes = notes_block(self.session.recorder.step_log.notes)
            feedback = (*done.feedback, *notes)
        step.done = done.model_copy(update={"feedback": feedback})

    def _run_calls(self, replied: ModelReplied, calls: Sequence[ToolCall]) -> StepDone:
        """Make the calls of a reply. The summary's error says which of them were refused."""
        outcomes = self._outcomes_of(calls)
        refusals = [outcome.refusal for outcome in outcomes if outcome.refusal]
        state = ""
        lines = replied.reply.strip().splitlines()
        if replied.tool_calls and lines:  # what the model says beside native calls
            state = lines[0][:_MAX_STATE_CHARS]
        return StepDone(
            trial_id=replied.trial_id,
            step=replied.step,
            state=state,
            error="\n".join(refusals),
            feedback=tuple(outcome.text for outcome in outcomes),
        )

    def _outcomes_of(self, calls: Sequence[ToolCall]) -> list[_CallOutcome]:
        """Make the calls of one reply in order, and return an outcome for each."""
        outcomes: list[_CallOutcome] = []
        is_completed = False
        for number, call in enumerate(calls):
            if is_completed:
                reason = "not run: it stands behind a completion, which ends the step"
                outcome = _refused(call, reason)
            elif number >= _MAX_CALLS:
                reason = f"not run: a reply makes at most {_MAX_CALLS} calls"
                outcome = _refused(call, reason)
            elif call.name == COMPLETION:
                is_completed = True
                outcome = self._complete(call)
            else:
                outcome = self._make(call)
            outcomes.append(outcome)
        return outcomes

    def _make(self, call: ToolCall) -> _CallOutcome:
        """Make a call, unless it is refused. Its outcome has the text for the model."""
        schema = self.session.tool_schema
        names = sorted(tool.name for tool in self.tools)
        operation = schema.operation(call.name)
        if call.name not in names or operation is None:
            reason = (
                f"error: there is no tool {call.name!r}; there are {', '.join(names)}"
            )
            return _refused(call, reason)
        try:
            # Raises `TypeError` if an argument is missing, unknown, or of the wrong type.
            named = arguments_of(call)
            arguments = bound_arguments(operation, positional=(), named=named)
            if not self.permission.tools and runs_change(schema, operation, arguments):
                return _refused(call, _NO_CHANGES)
            result = self.session.make_call(operation.name, arguments)
        except TypeError as error:
            return _refused(call, f"error: {error}")
        except CallError as error:
            # The call was made, so its error is a result.
            return _CallOutcome(f"error: {error}")
        return _CallOutcome(self.results.add(operation, arguments, result))

    def _complete(self, call: ToolCall) -> _CallOutcome:
        """Submit the answer of a completion. The outcome has the reply of the gates.

        The gates are rules for answers. They accept the answer, or object to something.
        """
        try:
            arguments = arguments_of(call)  # Raises `TypeError` if they are not JSON.
            completion = Completion.model_validate(arguments)
            outcome = self.session.tool_schema.outcomes.full_name(completion.outcome)
            completion = completion.model_copy(update={"outcome": outcome})
            judged = self.assembly.submit(completion)
        except ValidationError as error:
            reason = f"error: the completion does not fit: {_faults_text(error)}"
            return _refused(call, reason)
        except (TypeError, NotJudged) as error:
            return _refused(call, f"error: {error}")
        except CallError as error:
            return _CallOutcome(
                "error: the gates accepted the answer, "
                f"but the environment did not take it ({error})"
            )
        return _CallOutcome("accepted" if judged.accepted else _objection_text(judged))

    def _remind(self, replied: ModelReplied) -> StepDone:
        """Return the summary of a step without calls: the model is reminded to make some."""
        reminder = self.prompts.filled("reminder")
        fault = _FAULTS.get(replied.finish_reason, Fault.NO_CALL)
        is_empty = not replied.reply.strip()
        return StepDone(
            trial_id=replied.trial_id,
            step=replied.step,
            error=reminder.strip(),
            fault=str(fault),
            feedback=(reminder,),
            # The first few empty replies do not count as steps; later ones do.
            refunded=is_empty and self.session.limits.steps.refunds.can_refund_reply,
        )

    def messages_of(self, step: TrialStep) -> list[Message]:
        """Return the model's reply in a completed step, and the feedback, in order.

        For a step with one call, and the feedback `("Hi", "5 steps left")`:

        | message | with a native call | with a call as text |
        |---|---|---|
        | of the model | the reply, and its `tool_calls` | the reply, which has the call |
        | of the tool | `Hi` | |
        | of the user | `5 steps left` | `<result of="read">Hi</result>`, and `5 steps left` |

        After the step that ended the trial, the feedback is empty.
        """
        replied = step.solve_reply
        calls = _calls_of(replied)
        feedback = step.summary.feedback
        results = feedback[: len(calls)]
        user_text = "".join(feedback[len(calls) :])

        reply = Message(role="assistant", content=replied.reply)
        if replied.thinking:
            reply["thinking"] = replied.thinking
        messages = [reply]
        # No call of a reply that was cut off is made, native or not: `calls` is empty then.
        if calls and replied.tool_calls:
            identified: list[ToolCall] = []
            for position, call in enumerate(calls):
                call_id = call.id or f"call_{step.number}_{position}"
                identified.append(call.model_copy(update={"id": call_id}))
            reply["tool_calls"] = identified
            for call, result in zip(identified, results, strict=False):
                messages.append(
                    {"role": "tool", "content": result, "tool_call_id": call.id}
                )
        else:
            result_texts = ""
            for call, result in zip(calls, results, strict=False):
                result_texts += f'<result of="{call.name}">\n{result}\n</result>\n'
            user_text = result_texts + user_text
        if user_text:
            messages.append(Message(role="user", content=user_text))
        return messages


@dataclass(frozen=True, slots=True)
class Exoskeleton:
    """Solves trials in stages: checks, then tool calls of the model, then the answer.

    A resumed trial relives all work from the start. The session returns recorded replies
    and results, as far as the record goes, and then makes new requests and calls.
    """

    model: Model
    settings: LoopSettings = field(default_factory=LoopSettings)
    parts: frozenset[str] = frozenset(Part)
    """The optional parts of the solver that are on, such as the classifier (`--parts`)."""
    bindings: SolverBindings | None = None
    """The functions that the benchmark adds to the solver; None if there are none."""

    def solve(self, session: TrialSession) -> str:
        """Work on the trial, and return why it has no answer; empty if it has one.

        Raises `ModelError` if the model fails, and `LeftOpen` if the trial was told to stop.
        """
        bindings = self.bindings or SolverBindings()
        turns = ToolTurns(
            self.model,
            session,
            self.settings,
            self.parts,
            bindings.limited_to(self.parts),
        )
        return turns.run()
