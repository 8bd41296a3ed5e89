"""The exoskeleton: a solver whose model calls tools natively, while code does the rest.

The code around the model carries what the model alone could not: it decides which
changes are permitted, and assembles the answer. It works in stages:

1. `first_step` asks a classifier and runs the benchmark's checks.
2. The loop in this module lets the model call tools,
   until it calls the completion with its answer.
3. `assembly` turns the completion into the submitted answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import ValidationError

from controlplane.agent.events import ConversationOpened, Judged, ModelReplied, StepDone
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.exoskeleton.assembly import Assembly
from controlplane.agent.exoskeleton.bindings import Part, SolverBindings
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.first_step import FirstStep
from controlplane.agent.exoskeleton.helper_model import HelperModel
from controlplane.agent.exoskeleton.offered_tools import (
    COMPLETION,
    NO_CHANGES,
    runs_change,
    tools_of,
)
from controlplane.agent.exoskeleton.opening import build_exchange
from controlplane.agent.exoskeleton.reply_calls import (
    CALLS_SCHEMA,
    arguments_of,
    calls_of,
)
from controlplane.agent.exoskeleton.shown_results import ShownResults
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.patient_model import PatientModel
from controlplane.agent.loop.session.call_notes import notes_block
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Message, Model, Tool, ToolCall
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import Fault
from controlplane.agent.retry import RunBudget
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    bound_arguments,
)

MAX_STATE_CHARS: Final = 200
"""Max characters of a reply's first line, which is recorded as the model's state."""
MAX_CALLS: Final = 32
"""Max calls of one reply."""
MAX_NAME_CHARS: Final = 80
"""Max characters of a tool's name in the step's error. Models may invent long names."""
MAX_HELPER_WAIT_S: Final = 5.0
"""Seconds for which requests to a helper model are retried. The trial can go on without it."""


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

        Raises the errors of `TurnLoop.run`.
        """
        turns = _ToolTurns(self.model, session, self.settings, self.budget)
        turns.begin(self.parts, self.bindings or SolverBindings())
        return turns.run()


class _ToolTurns(TurnLoop):
    """The turns of one trial, in each of which the model calls tools.

    The last call is a *completion*, which has the answer. The gates check the answer
    before it is sent, and the trial ends once they accept it.
    """

    # `begin` sets all of these.
    tools: tuple[Tool, ...]
    """The tools that the model may call: the environment's operations, and the completion."""
    allowed: Permission
    """The changes that the trial may make, as the first step decides."""
    assembly: Assembly
    """Assembles the answer from a completion."""
    results: ShownResults
    """Shows the results of calls, and each long text only once."""
    refusals: list[str]
    """The reasons why calls of this turn were refused. They become the step's error."""

    def begin(self, parts: frozenset[str], bindings: SolverBindings) -> None:
        """Open the conversation, ask the classifier, and run the benchmark's checks.

        A check may answer the request. `parts` are the optional parts that are on.
        """
        session = self.session

        # 1. Make the initial calls.
        def build(recorder: Recorder) -> ConversationOpened:
            return build_exchange(
                session.instruction,
                recorder,
                self.settings,
                bindings,
                session.trial.now,
                context_tokens=self.settings.context_tokens
                or session.trial.context_tokens,
            )

        opened = session.open(build)

        # 2. Take the first step, which decides what the trial may change.
        helper = HelperModel(self._impatient_model(), self.prompts)
        first_step = FirstStep(session, parts, bindings)
        first_step_text = first_step.take_step(helper)
        self.allowed = first_step.allowed

        # 3. Prepare the turns.
        self.tools = tools_of(session.tool_schema, bindings.task_types, self.allowed)
        self.assembly = Assembly(session, bindings, parts, helper)
        self.assembly.findings.take_initial_prompt(opened, session.tool_schema)
        self.results = ShownResults(may_write_files=self.allowed.files)
        self.results.take_initial_prompt(opened, session.tool_schema)

        # 4. Begin the conversation.
        self.say({"role": "system", "content": opened.system})
        for message in opened.exchange:
            self.say(message.message())
        first_message = "".join((*opened.first_message, first_step_text))
        self.say({"role": "user", "content": first_message})

    def _impatient_model(self) -> PatientModel:
        """Return the model for helper requests, which retries failed ones for a shorter time."""
        retry = self.model.retry
        wait_s = min(MAX_HELPER_WAIT_S, retry.wait_s)
        return replace(self.model, retry=replace(retry, wait_s=wait_s))

    # --- A turn ---

    def take_turn(self) -> None:
        """Take one turn: ask the model, make its calls, record the results."""
        session = self.session
        with session.step() as step:
            replied = self.model.solve(
                self.conversation,
                schema=CALLS_SCHEMA,
                tools=self.tools,
                tool_choice="required",
            )
            calls = calls_of(replied)
            self.refusals = []
            texts = self._results(calls)
            error = "\n".join(self.refusals)
            fault = ""
            if not calls:
                texts = [self.prompts.filled("reminder")]
                error = texts[0].strip()
                fault = _fault_of(replied.finish_reason)

            is_unusable = not calls and not replied.reply.strip()
            step.done = StepDone(
                trial_id=session.trial.trial_id,
                step=step.number,
                state=_state_of(replied, calls),
                error=error,
                fault=fault,
                feedback=self._feedback(texts),
                refunded=self.limits.steps.refunds_reply(is_unusable=is_unusable),
            )
            self.add_warnings(step)
        self.count_step(step)

    def _feedback(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return what the model reads after a step; empty if the trial is over.

        It has the texts, of which the first are the results of calls, and then the notes.
        """
        if self.session.is_over:
            return ()
        return (*texts, *notes_block(self.session.notes))

    def _results(self, calls: Sequence[ToolCall]) -> list[str]:
        """Make the calls of a reply, and return a text for the model about each of them."""
        results: list[str] = []
        is_completed = False
        for number, call in enumerate(calls):
            if is_completed:
                reason = "not run: it stands behind a completion, which ends the step"
                result = self._refused(call, reason)
            elif number >= MAX_CALLS:
                result = self._refused(
                    call, f"not run: a reply makes at most {MAX_CALLS} calls"
                )
            elif call.name == COMPLETION:
                is_completed = True
                result = self._complete(call)
            else:
                result = self._call(call)
            results.append(result)
        return results

    def _call(self, call: ToolCall) -> str:
        """Call an operation. Return its result as text, or the reason why there is none."""
        operation = self._offered(call.name)
        if operation is None:
            names = ", ".join(sorted(tool.name for tool in self.tools))
            reason = f"error: there is no tool {call.name!r}; there are {names}"
            return self._refused(call, reason)
        try:
            # Raises `TypeError` if an argument is missing, unknown, or of the wrong type.
            arguments = bound_arguments(
                operation, positional=(), named=arguments_of(call)
            )
            if self._is_forbidden(operation, arguments):
                return self._refused(call, NO_CHANGES)
            result = self.session.calls.make_raw(operation.name, arguments)
        except TypeError as error:
            return self._refused(call, f"error: {error}")
        except CallError as error:
            return f"error: {error}"  # The call was made, so its error is a result.
        self.assembly.findings.add(operation, arguments, result)
        return self.results.shown(operation, arguments, result)

    def _offered(self, name: str) -> Operation | None:
        """Return the operation of this name; None if the model is not offered it as a tool."""
        if not any(tool.name == name for tool in self.tools):
            return None
        return self.session.tool_schema.operation(name)

    def _is_forbidden(
        self, operation: Operation, arguments: Mapping[str, Plain]
    ) -> bool:
        """Return True if a call makes a change that the request does not permit."""
        tool_schema = self.session.tool_schema
        return not self.allowed.tools and runs_change(tool_schema, operation, arguments)

    def _complete(self, call: ToolCall) -> str:
        """Submit the answer of a completion, and return the reply of the gates."""
        try:
            completion = Completion.model_validate(arguments_of(call))
            judged = self.assembly.submit(completion)
        except ValidationError as error:
            reason = f"error: the completion does not fit: {_faults_text(error)}"
            return self._refused(call, reason)
        except (TypeError, NotJudged) as error:
            return self._refused(call, f"error: {error}")
        except CallError as error:
            return f"error: the gates accepted the answer, but the environment did not take it ({error})"
        return "accepted" if judged.accepted else _objection_text(judged)

    def _refused(self, call: ToolCall, reason: str) -> str:
        """Add a refused call to the step's error, and return the reason for the model."""
        self.refusals.append(f"{call.name[:MAX_NAME_CHARS]}: {reason}")
        return reason

    # --- The conversation ---

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add a step's reply and its feedback to the conversation.

        Each native tool call gets a message with its result. The results of calls that
        were written as text go into the next user message.
        """
        done = step.done
        assert done is not None
        replied = step.solve_reply
        calls = calls_of(replied)
        # The feedback has a result for each call, then the other texts. It is empty after the
        # step that ended the trial.
        results = done.feedback[: len(calls)]
        user_text = "".join(done.feedback[len(calls) :])

        reply = Message(role="assistant", content=replied.reply)
        if replied.thinking:
            reply["thinking"] = replied.thinking
        # A reply that was cut off may have native tool calls, but `calls` is then empty.
        if replied.tool_calls and calls:
            self._say_native(reply, _with_ids(calls, step.number), results)
        else:
            self.say(reply)
            user_text = _results_as_text(calls, results) + user_text
        if user_text:
            self.say({"role": "user", "content": user_text})

    def _say_native(
        self, reply: Message, calls: Sequence[ToolCall], results: Sequence[str]
    ) -> None:
        """Add a reply with native tool calls, and a message for each result."""
        reply["tool_calls"] = calls
        self.say(reply)
        for call, result in zip(calls, results, strict=False):
            self.say({"role": "tool", "content": result, "tool_call_id": call.id})


def _results_as_text(calls: Sequence[ToolCall], results: Sequence[str]) -> str:
    """Return the results of calls that were written as text."""
    text = ""
    for call, result in zip(calls, results, strict=False):
        text += f'<result of="{call.name}">\n{result}\n</result>\n'
    return text


def _objection_text(judged: Judged) -> str:
    """Return the objection of the gates, with the answer that they have judged."""
    references = "\n".join(judged.refs) or "(nothing)"
    submitted = f"What was submitted: {judged.answer}\nIts references:\n{references}"
    return f"{judged.message}\n\n{submitted}"


def _with_ids(calls: Sequence[ToolCall], step: int) -> list[ToolCall]:
    """Return the calls, with a new id for each call that has none from the endpoint."""
    identified = []
    for position, call in enumerate(calls):
        call_id = call.id or f"call_{step}_{position}"
        identified.append(call.model_copy(update={"id": call_id}))
    return identified


def _state_of(replied: ModelReplied, calls: Sequence[ToolCall]) -> str:
    """Return what the model says that it is doing: the text beside its native calls."""
    if not calls or not replied.tool_calls:
        return ""
    return _first_line(replied.reply)[:MAX_STATE_CHARS]


def _fault_of(finish_reason: str) -> str:
    """Return the fault of a reply without calls, by the reason why the reply ended."""
    match finish_reason:
        case "length":
            return str(Fault.CUT_OFF)
        case "refusal":
            return str(Fault.REFUSED)
    return str(Fault.NO_CALL)


def _faults_text(error: ValidationError) -> str:
    """Return the faults of a completion in one line: `outcome: Field required; …`"""
    texts = []
    for fault in error.errors():
        place = ".".join(str(part) for part in fault["loc"])
        texts.append(f"{place}: {fault['msg']}")
    return "; ".join(texts)


def _first_line(text: str) -> str:
    """Return the first line of a text; empty if it has none."""
    lines = text.strip().splitlines()
    return lines[0] if lines else ""
