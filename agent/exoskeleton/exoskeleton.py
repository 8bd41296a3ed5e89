"""The exoskeleton: a solver whose model calls tools natively, while code does the rest.

The code around the model carries what the model alone could not: it decides which
changes are permitted, and assembles the answer. It works in these stages:

| stage | module | what is done |
|---|---|---|
| 1 | `preparation` | files are read, and the benchmark's checks look at the request |
| 2 | `tool_turns` | the model calls tools; by the last call, the *completion*, it answers |
| 3 | `assembly` | the completion is turned into the submitted answer |
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from controlplane.agent.events import (
    CallRecord,
    ConversationOpened,
    ModelReplied,
    SaidMessage,
    StepDone,
)
from controlplane.agent.evidence.new_recorder import Recorder
from controlplane.agent.exoskeleton.answer import (
    Assembly,
    ReferenceCheck,
    references_of,
    submit_answer,
)
from controlplane.agent.exoskeleton.bindings import (
    CitedPath,
    Completion,
    Part,
    SolverBindings,
)
from controlplane.agent.exoskeleton.calls import CallOutcome, OperationCalls, ToolRunner
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.helper_model import HelperModel, objects_of
from controlplane.agent.exoskeleton.initial_results import (
    InitialResult,
    initial_results,
)
from controlplane.agent.exoskeleton.shown import ShownResults
from controlplane.agent.exoskeleton.tools import (
    CHANGING_EFFECTS,
    CheckValue,
    Permission,
    call_reference,
    change_reference,
    completion_tool,
    executable_reference,
    operation_tool,
)
from controlplane.agent.loop.prompt_files import Prompts
from controlplane.agent.loop.session.call_notes import notes_block, open_prompt
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.step_limit import LoopSettings
from controlplane.agent.loop.system_prompt import room_beside
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Message, Model, ModelTool, ToolCall, object_schema
from controlplane.agent.opening.message import instruction_text, open_first_message
from controlplane.agent.opening.sections import Section
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.objects import WRITTEN_ARGUMENTS
from controlplane.agent.reply.unusable_reply import Fault
from controlplane.agent.retry import RunBudget
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    ToolSchema,
)

# How the parts of the solver use the benchmark's check of the cited files.
#
# A part is a piece of the solver that a user may switch off, as by `--parts -references`. Two of
# them use the same check:
#
# | parts that are on | the check |
# |---|---|
# | `evidence-store` | gets what the trial's calls returned, and adds the files that support it |
# | `references` | completes and sorts the cited files |
# | both | does both |
# | none of them | does not run |


def _reference_check_of(
    session: TrialSession,
    function: str | None,
    parts: Collection[str],
    findings: Findings,
) -> ReferenceCheck | None:
    """Return the check by this function; None if there is no function, or no part uses it.

    `findings` is what the trial's calls returned.
    """
    uses_findings = Part.EVIDENCE_STORE in parts
    completes = Part.REFERENCES in parts
    is_on = uses_findings or completes
    if not function or not is_on:
        return None
    return ReferenceCheck(
        session,
        function,
        findings if uses_findings else None,
        completes=completes,
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
    tools.append(completion_tool(task_types))
    return tuple(tools)


# Makes the object that carries out the replies of one trial's model: the tool runner.
#
#     runner.run([read_call, write_call])      makes these calls
#     runner.run([completion_call])            submits the answer
#
# The start of the conversation shows results already, such as the text of `/docs/rules.md`. The
# runner does not show them again, but the answer may cite them.


def _new_tool_runner(
    session: TrialSession,
    bindings: SolverBindings,
    parts: Collection[str],
    helper: HelperModel,
    initial_results: Sequence[InitialResult],
    permission: Permission,
) -> ToolRunner:
    """Return the object that makes the model's calls, and submits its answer.

    `bindings` are the functions of the benchmark. Some check the answer, and may ask small models by
    the `helper`. `parts` are the optional parts of the solver that are on: `{"references"}`.
    `permission` tells which changes the request permits, such as to write files.
    """
    # Each result is used twice. `findings` keeps it for the functions that check the answer, and
    # `shown_results` shows it to the model, a long text only once.
    findings = Findings.of(initial_results)
    shown_results = ShownResults.after(
        initial_results, session.tool_schema, may_write_files=permission.files
    )

    # Makes calls such as `read`, as far as the permission allows.
    tools = tools_of(session.tool_schema, bindings.task_types, permission)
    operation_calls = OperationCalls(
        session, tools, permission, findings, shown_results
    )

    # Takes the last call, which has the model's answer: has the functions correct the answer and
    # the files that it cites, and submits it.
    reference_check = _reference_check_of(session, bindings.references, parts, findings)
    assembly = Assembly(session, bindings, reference_check, helper, findings)
    return ToolRunner(operation_calls, assembly)


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
    try:
        if value.delete:
            can_delete = _delete_files(session, value.delete)
            if not can_delete:
                return False
        answer = Completion(
            message=value.message,
            outcome=value.outcome,
            records=references,
        )
        return submit_answer(session, answer).accepted
    except CallError:
        return False


def _delete_files(session: TrialSession, paths: Sequence[str]) -> bool:
    """Delete files, and return True. Return False if the environment has no operation for this.

    Raises `CallError` if it refuses to delete a file.
    """
    deletion = _deleting_operation(session.tool_schema)
    if deletion is None:
        return False
    for path in paths:
        session.call(deletion.name, {deletion.subject: path})
    return True


def _deleting_operation(tool_schema: ToolSchema) -> Operation | None:
    """Return the environment's first operation that deletes a file; None if it has none."""
    for operation in tool_schema.operations:
        if operation.effect is Effect.DELETES:
            return operation
    return None


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


# The summary of a trial's first step, in which checks run before the model is asked.
#
# StepDone(
#     step=1,
#     state="answered by owner_check",   # or "checked before the model is asked"
#     output='{"change": true}',         # how a small model describes the request
#     feedback=(),                       # texts of the checks for the model's first message
#     refunded=True,
# )


def _summary_of_checks(
    session: TrialSession,
    intent: Mapping[str, Any],
    answering_check: str | None,
    texts: Sequence[str],
) -> StepDone:
    """Return what the journal says about the current step.

    `intent` describes the request; it is empty without a small model. `answering_check` is
    the check that has answered the request, if one has.
    """
    state = "checked before the model is asked"
    if answering_check is not None:
        state = f"answered by {answering_check}"
    output = ""
    if intent:
        output = json.dumps(intent, ensure_ascii=False, default=str)
    return StepDone(
        trial_id=session.trial_id,
        step=session.recorder.current_step.number,
        state=state,
        output=output,
        feedback=tuple(texts),
        refunded=True,  # It does not count: the solver's model was not asked.
    )


# Runs the checks that may answer a request before the model is asked: the *preflight*.
#
# A check is a function of the benchmark. It may, for example, refuse to renew a loan of another
# user:
#
# | value of the check | what happens |
# |---|---|
# | `{"outcome": "OUTCOME_DENIED", "message": "This loan is not yours."}` | it is the answer |
# | `{"context": "The loan ends on 4 May."}` | the model is told this, and the next check runs |
# | `{}` | the next check runs |


@dataclass(frozen=True, slots=True)
class _PreflightResult:
    """What the checks have led to."""

    texts: tuple[str, ...]
    """The texts of the checks for the model's first message."""
    answering_check: str | None = None
    """The check whose answer the gates (rules for answers) have accepted; None if there is none:
    the model is asked."""


def _run_preflight(
    session: TrialSession, checks: Sequence[str], intent: Mapping[str, Any]
) -> _PreflightResult:
    """Run the checks of these names in order, until one has an answer that the gates accept.

    `intent` is how a small model describes the request. A check whose value cannot be used is
    left out.
    """
    texts: list[str] = []
    for check in checks:
        result = _check_result(session, check, intent)
        try:
            value = CheckValue.model_validate(result.get("value", {}))
        except ValidationError:
            continue
        if value.context:
            texts.append(value.context)
        if value.outcome and _submit_check_answer(
            session, value, references_of(result)
        ):
            return _PreflightResult(tuple(texts), answering_check=check)
    return _PreflightResult(tuple(texts))


# Which changes a request permits, by a check of the benchmark.
#
# A question such as "How many loans are late?" permits none, so no reply of the model can change
# something by mistake. The check is a function of the benchmark. For "Renew loan l-12":
#
#     permission = request_permission(session, "permitted_changes", intent)
#         -> Permission(files=True, tools=False)
#     permission_text(session, "permitted_changes", permission)
#         -> "This request may change something. Beside the tools above there are: ..."

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


def _permission_text(
    session: TrialSession, check: str | None, permission: Permission
) -> str:
    """Return the permitted calls that change something, as a text for the model.

    It is empty if none is permitted, and without a check: the system prompt then lists all.
    """
    return change_reference(session.tool_schema, permission) if check else ""


# The first step of the exoskeleton solver, in which code looks at the request first.
#
# For the request "Renew loan l-12", with the functions of a library:
#
# 1. A small model describes the request, for the checks (the *intent*): `{"change": true}`.
# 2. A check says what the trial may change: `Permission(files=True, tools=False)`.
# 3. The *preflight* checks may answer it: "This loan is not yours." Then the solver's own model,
#    which calls tools, is never asked.


@dataclass(frozen=True, slots=True)
class _CheckedRequest:
    """What the first step found out about a request."""

    message_text: str = ""
    """The text for the model's first message."""
    permission: Permission = field(default_factory=Permission)
    """The changes that the request permits: by default, all."""


def _take_first_step(
    session: TrialSession, bindings: SolverBindings, helper: HelperModel
) -> _CheckedRequest:
    """Take the step, and return what the model may do, and is told.

    If a check answers the request, the trial is over. Without a small model and checks, there
    is no step, and all is permitted.
    """
    has_work = bindings.preflight or bindings.permission or bindings.intent_schema
    if not has_work or session.is_over:  # A resumed trial may be over.
        return _CheckedRequest()

    with session.step() as step:
        intent: Mapping[str, Any] = {}
        if bindings.intent_schema:
            intent = helper.classify(bindings.intent_schema)
        permission = _request_permission(session, bindings.permission, intent)
        preflight = _run_preflight(session, bindings.preflight, intent)
        told_permission = _permission_text(session, bindings.permission, permission)
        texts = [text for text in (told_permission, *preflight.texts) if text]
        # `preflight.answering_check` is the check that has answered the request; None if none has.
        step.done = _summary_of_checks(
            session, intent, preflight.answering_check, texts
        )

    # When the block ends, the step's summary is in the journal. If a killed process has written
    # it before, `step.summary` is that one, so the model gets the same message again.
    return _CheckedRequest("".join(step.summary.feedback), permission)


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
        if section.call is not None:
            exchange += _call_with_result(section, section.call, f"opening_{number}")
    return exchange


def _call_with_result(
    section: Section, call: CallRecord, call_id: str
) -> list[SaidMessage]:
    """Return a call as if the model had made it, and the message with its result."""
    arguments = json.dumps(call.arguments)
    tool_call = ToolCall(id=call_id, name=call.operation, arguments=arguments)
    shown_result = section.text + section.cut_notice
    return [
        SaidMessage(role="assistant", content="", tool_calls=(tool_call,)),
        SaidMessage(role="tool", content=shown_result, tool_call_id=call_id),
    ]


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


def system_prompt(
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
    longest_system = system_prompt(recorder.tool_schema, bindings, settings.prompts)
    room = room_beside(longest_system, trial, settings)

    # 2. Make the initial calls. Each has a section, with its result as far as it is shown.
    results = open_first_message(trial.instruction, trial.now, recorder, room)

    # 3. Write the system prompt, the pieces of the user's message, and the exchange.
    system = system_prompt(results.tool_schema, bindings, settings.prompts)
    prompt = settings.prompts.filled("first_message", instruction=trial.instruction)
    user_texts = _texts_beside_exchange(results.sections)
    user_texts.append(instruction_text(prompt, has_citable=results.has_citable))
    exchange = _exchange_of(results.sections)
    return results.opened(recorder.trial_id, system, user_texts, exchange)


def first_messages(opening: ConversationOpened, checks_text: str) -> list[Message]:
    """Return the messages of a conversation's start.

    The user's message ends with the text of the checks that have looked at the request.
    """
    user_text = "".join((*opening.first_message, checks_text))
    return [
        Message(role="system", content=opening.system),
        *(message.message() for message in opening.exchange),
        Message(role="user", content=user_text),
    ]


# Prepares a trial of the exoskeleton solver: everything before its model is asked.
#
# For the request "Renew loan l-12":
#
# 1. Code reads what any model will need: `read /docs/rules.md`. This is the *opening*.
# 2. Functions of the benchmark check the request: the *first step*. One permits that it changes files.
#    Another could answer it, for example if the loan is not the user's.
# 3. The conversation begins with the opening, the request, and what the checks say to the model.
# 4. The runner is made, which will make the model's calls: `read(...)`, `write(...)`.


@dataclass(frozen=True, slots=True)
class _PreparedTrial:
    """The start of the conversation, and what makes the calls of the model's replies."""

    messages: list[Message]
    runner: ToolRunner


@dataclass(frozen=True, slots=True)
class Preparation:
    """Prepares one trial."""

    session: TrialSession
    settings: LoopSettings
    parts: frozenset[str]
    """The optional parts of the solver that are on: `{"classifier", "references"}`."""
    bindings: SolverBindings
    """The functions that the benchmark adds to these parts."""

    def prepare(self, helper: HelperModel) -> _PreparedTrial:
        """Do the four steps. Some functions of the benchmark ask small models by the `helper`."""
        session = self.session
        opening = open_prompt(session, self._build_opening)  # or the recorded one
        checked = _take_first_step(session, self.bindings, helper)
        messages = first_messages(opening, checked.message_text)
        runner = _new_tool_runner(
            session,
            self.bindings,
            self.parts,
            helper,
            initial_results(opening, session.tool_schema),
            checked.permission,
        )
        return _PreparedTrial(messages, runner)

    def _build_opening(self, recorder: Recorder) -> ConversationOpened:
        return build_opening(self.session.trial, recorder, self.settings, self.bindings)


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


# The messages of a completed step in the conversation: the model's reply, and the feedback.
#
# In the reply, the model calls tools, natively or by JSON in its text. The feedback of the step has
# a result for each call, and then other texts, such as `5 steps left`.


def _step_messages(step: TrialStep) -> list[Message]:
    """Return the messages of a completed step, in order.

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
    has_native_calls = bool(calls) and bool(replied.tool_calls)
    if has_native_calls:
        identified_calls = _with_ids(calls, step.number)
        reply["tool_calls"] = identified_calls
        messages += _tool_messages(identified_calls, results)
    else:
        user_text = _results_as_text(calls, results) + user_text
    if user_text:
        messages.append(Message(role="user", content=user_text))
    return messages


def _with_ids(calls: Sequence[ToolCall], step: int) -> list[ToolCall]:
    """Return the calls, with a new id for each call that has none from the endpoint."""
    identified = []
    for position, call in enumerate(calls):
        call_id = call.id or f"call_{step}_{position}"
        identified.append(call.model_copy(update={"id": call_id}))
    return identified


def _tool_messages(calls: Sequence[ToolCall], results: Sequence[str]) -> list[Message]:
    """Return the results of native calls, each as a message that names its call."""
    messages: list[Message] = []
    for call, result in zip(calls, results, strict=False):
        messages.append({"role": "tool", "content": result, "tool_call_id": call.id})
    return messages


def _results_as_text(calls: Sequence[ToolCall], results: Sequence[str]) -> str:
    """Return the results of calls that were written as text."""
    text = ""
    for call, result in zip(calls, results, strict=False):
        text += f'<result of="{call.name}">\n{result}\n</result>\n'
    return text


# The summaries of steps in which the model was asked to call tools.
#
# A summary goes into the journal, and its feedback to the model. For two calls, of which the
# second was refused:
#
#     StepDone(
#         step=4,
#         feedback=("A key is lent for a day.", "error: there is no tool 'reed'; there are ..."),
#         error="reed: error: there is no tool 'reed'; there are ...",
#     )

_MAX_STATE_CHARS: Final = 200
"""Max characters of a reply's first line, which is recorded as the model's state."""
_FAULTS: Final = {"length": Fault.CUT_OFF, "refusal": Fault.REFUSED}
"""The fault of a reply without calls, by the reason why the reply ended."""


def _summary_with_calls(
    replied: ModelReplied, outcomes: Sequence[CallOutcome]
) -> StepDone:
    """Return the summary of a step whose reply had calls. `outcomes` are those of the calls.

    Its error says which calls were refused.
    """
    refusals = [outcome.refusal for outcome in outcomes if outcome.refusal]
    return StepDone(
        trial_id=replied.trial_id,
        step=replied.step,
        state=_first_line(replied.reply) if replied.tool_calls else "",
        error="\n".join(refusals),
        feedback=tuple(outcome.text for outcome in outcomes),
    )


def _first_line(text: str) -> str:
    """Return the first line of a reply beside native calls: what the model says that it does."""
    lines = text.strip().splitlines()
    return lines[0][:_MAX_STATE_CHARS] if lines else ""


def _summary_without_calls(
    replied: ModelReplied, reminder: str, *, may_refund: bool
) -> StepDone:
    """Return the summary of a step whose reply had no calls.

    `reminder` asks the model to make calls. The recorded error is the same text. With
    `may_refund`, a step with an empty reply is *refunded*: it does not count as a step.
    """
    is_empty = not replied.reply.strip()
    fault = _FAULTS.get(replied.finish_reason, Fault.NO_CALL)
    return StepDone(
        trial_id=replied.trial_id,
        step=replied.step,
        error=reminder.strip(),
        fault=str(fault),
        feedback=(reminder,),
        refunded=is_empty and may_refund,
    )


# The turns of one trial, in each of which the model calls tools.
#
# | reply of the model | then, the conversation gets |
# |---|---|
# | `read(path="/docs/a.md")` | the file |
# | "I am done." | a reminder to call a tool |
# | the last call, the *completion* | what the gates (rules for answers) object to |


class ToolTurns(TurnLoop):
    """The turns of one trial. `run` of the base class calls the methods below it."""

    runner: ToolRunner
    """Makes the calls of the replies. `first_messages` sets it, before the first step."""

    def __init__(
        self, model: Model, run_budget: RunBudget, preparation: Preparation
    ) -> None:
        super().__init__(model, preparation.session, preparation.settings, run_budget)
        self.preparation = preparation

    def first_messages(self) -> list[Message]:
        """Prepare the trial, and return the first messages. If this answers it, no step follows."""
        # Some functions of a benchmark ask small models.
        helper = HelperModel.beside(self.model, self.prompts)
        prepared = self.preparation.prepare(helper)
        self.runner = prepared.runner
        return prepared.messages

    def do_step(self, step: TrialStep) -> None:
        """Ask the model, make the calls of its reply, and set `step.done`."""
        replied = self.model.solve(
            self.conversation,
            schema=_CALLS_SCHEMA,
            tools=self.runner.tools,
            tool_choice="required",
        )
        calls = _calls_of(replied)
        if calls:
            done = _summary_with_calls(replied, self.runner.run(calls))
        else:
            reminder = self.prompts.filled("reminder")
            # The first few empty replies do not count as steps; later ones do.
            may_refund = self.limits.steps.refunds.can_refund_reply
            done = _summary_without_calls(replied, reminder, may_refund=may_refund)

        feedback: tuple[str, ...] = ()  # If the trial is over, the model reads no more.
        if not self.session.is_over:
            # The notes tell, for example, why a call was stopped before it was sent.
            notes = notes_block(self.session.recorder.step_log.notes)
            feedback = (*done.feedback, *notes)
        step.done = done.model_copy(update={"feedback": feedback})

    def messages_of(self, step: TrialStep) -> list[Message]:
        """Return the model's reply in a completed step, and the results of its calls."""
        return _step_messages(step)


@dataclass(frozen=True, slots=True)
class Exoskeleton:
    """Solves trials in stages: checks, then tool calls of the model, then the answer.

    A resumed trial repeats all work from the start. The session returns recorded replies
    and results, as far as the record goes, and then makes new requests and calls.
    """

    model: Model
    settings: LoopSettings = field(default_factory=LoopSettings)
    parts: frozenset[str] = frozenset(Part)
    """The optional parts of the solver that are on, such as the classifier (`--parts`)."""
    bindings: SolverBindings | None = None
    """The functions that the benchmark adds to the solver; None if there are none."""
    budget: RunBudget = field(default_factory=RunBudget)
    """The retries and the spending of the run."""

    def solve(self, session: TrialSession) -> str:
        """Work on the trial, and return why it has no answer; empty if it has one.

        Raises `ModelError` if the model fails, and `LeftOpen` if the trial was told to stop.
        """
        bindings = self.bindings or SolverBindings()
        preparation = Preparation(
            session, self.settings, self.parts, bindings.limited_to(self.parts)
        )
        turns = ToolTurns(self.model, self.budget, preparation)
        return turns.run()
