"""The solver whose model writes a script in each turn.

It asks the model, runs the script in a sandbox and reports the output. The last script
submits an answer, with citations of the files that support it. The turns end when the gates
accept an answer, or at a limit.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.events import (
    ConversationOpened,
    Judged,
    ModelReplied,
    ScriptMeasured,
    StepDone,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.limits.trial_limits import ReplyForm
from controlplane.agent.loop.call_notes import (
    call_notes,
    notes_block,
)
from controlplane.agent.loop.prompts import LoopSettings
from controlplane.agent.loop.system_prompt import room_beside, system_prompt
from controlplane.agent.loop.trial_session import TrialContext, TrialSession
from controlplane.agent.loop.turns import TurnLoop, request_form
from controlplane.agent.model import Message, Model
from controlplane.agent.opening.message import open_first_message
from controlplane.agent.opening.sections import without_marks
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.reply import Action, action_of
from controlplane.agent.reply.unusable_reply import Fault, Unusable
from controlplane.gates.python_syntax import parse_program
from controlplane.gates.submission import Probe, Submission
from controlplane.sandbox import (
    Ending,
    ForkServer,
    Layer,
    Limits,
    Refusal,
    Sandbox,
    StepResult,
    Verify,
)
from controlplane.sandbox.interface import CallError, Plain
from controlplane.sandbox.interface.outcomes import OK


@dataclass(frozen=True, slots=True)
class CitedLoop:
    """Solves trials with one model, scripts in a sandbox, and answers with citations."""

    model: Model
    server: ForkServer
    """Starts the processes in which scripts run."""
    settings: LoopSettings = field(default_factory=LoopSettings)

    def solve(self, session: TrialSession) -> str:
        """Work on the trial, and return why it has no answer; empty if it has one.

        Raises the errors of `TurnLoop.run`.
        """
        settings = self.settings
        with sandbox_of(
            session, self.server, settings.limits, settings.isolation
        ) as box:
            turns = ScriptTurns(self.model, session, settings, box)
            return turns.run()


# The turns of one trial, in each of which the model writes a script.
#
# A turn asks the model, and runs the script of its reply in the sandbox:
#
#     the reply               {"code": "print(3 + 4)"}
#     the model reads next    <output>7</output>
#
# Small models send the same script again and again. So after any repetition the request has a higher
# temperature; and of two scripts that failed alike, the second one is no longer shown, unless scripts
# are asked for in fences.

_REPETITION_TEMPERATURE: Final = 1.2
"""The least temperature after a repetition. At a lower one,
small models send the same script until the trial ends."""
_LEFT_OUT_REPLY: Final = "(a script that failed like the one before)"
"""The line that stands for a script with the same error as the one before it.
Small models repeat what they see twice."""
_MAX_CUT_OFF_CHARS: Final = 400
"""Later requests repeat this many characters of a reply that was cut off."""


class ScriptTurns(TurnLoop):
    """The turns of one trial. The base class has `run`, which calls the methods from `first_messages` on."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        box: Sandbox,
    ) -> None:
        may_change_form = settings.switches_reply_mode
        super().__init__(model, session, settings, may_change_form=may_change_form)
        self.box = box

    def first_messages(self) -> list[Message]:
        """Return how scripts are written, and the request: the first messages to the model.

        If an earlier attempt has opened the conversation, no initial calls are made, and the
        recorded messages are returned.
        """

        def make_initial_calls(recorder: Recorder) -> ConversationOpened:
            return build_initial_prompt(self.session.trial, recorder, self.settings)

        opened = self.session.open_prompt(make_initial_calls)
        return [
            Message(role="system", content=opened.system),
            Message(role="user", content="".join(opened.first_message)),
        ]

    def restored_steps(self) -> Iterator[TrialStep]:
        """Yield the complete steps of an earlier attempt, whose scripts need not run again."""
        for step in self.session.restored_steps():
            # The next script gets the data that this one has left.
            self.box.restore(dict(step.summary.scratchpad))
            yield step

    def do_step(self, step: TrialStep) -> None:
        """Ask the model, run the script of its reply, and set `step.done`."""
        in_fences = self._asks_for_fences
        arguments = request_form(self._form)
        if self.limits.repetition.is_repeating:
            arguments = {**arguments, "min_temperature": _REPETITION_TEMPERATURE}
        replied = self.ask_model(**arguments)

        action = action_of(
            replied.reply,
            replied.finish_reason,
            other_calls=replied.tool_calls,  # tool calls beside the one that is the reply
            reasoning=replied.reasoning,
        )
        if isinstance(action, Unusable):
            reason = action.reason_in_fences if in_fences else action.reason
            done = self._unusable_step(replied, action.fault, reason)
        else:
            done = self._run_script(replied, action)
        # A few steps in which nothing was run do not count towards the limit of steps, so that a
        # slip of the model does not cost it one.
        is_refunded = self.session.limits.steps.refunds.may_refund(done)
        step.done = done.model_copy(update={"refunded": is_refunded})
        if self.limits.is_last_answer_due(step):
            # No script follows. So an answer that this one has only left in its data counts.
            submit_left_answer(self.session, step.done.scratchpad)

    def messages_of(self, step: TrialStep) -> list[Message]:
        """Return the model's reply in a completed step, and the feedback on it.

        Each later request sends them again. So a reply that would only cost tokens, or tempt the
        model to repeat it, is not shown as it was.
        """
        replied = step.solve_reply
        # If small models are asked for fences, they would copy the line as if it were a reply.
        repeats_failure = self.limits.repetition.is_same_failure
        if repeats_failure and not self._asks_for_fences:
            text = _LEFT_OUT_REPLY
        else:
            text = _shown_reply(replied.reply, step.summary.fault)
        from_model = Message(role="assistant", content=text)
        if replied.thinking:  # Some endpoints want the model's thinking back.
            from_model["thinking"] = replied.thinking
        feedback = "".join(step.summary.feedback)
        return [from_model, Message(role="user", content=feedback)]

    @property
    def _form(self) -> ReplyForm:
        """The form of the next reply, such as JSON. It changes if replies in it were unusable."""
        return self.limits.unusable.form

    @property
    def _asks_for_fences(self) -> bool:
        """True if scripts are asked for in fences (```), so a reply may have other text."""
        return self.settings.replies_in_fences or self._form.is_fenced

    def _run_script(self, replied: ModelReplied, action: Action) -> StepDone:
        """Run the first script of a reply, and return the summary of its step."""
        session = self.session
        result = self.box.run(action.code, step=replied.step)
        peak_memory_bytes = self.box.peak_memory_bytes
        if peak_memory_bytes is not None:
            event = ScriptMeasured(
                trial_id=session.trial_id,
                step=replied.step,
                peak_memory_bytes=peak_memory_bytes,
            )
            session.recorder.journal.write_once(event, kept_as="peak_memory_bytes")
        other_actions = action.further_actions + len(replied.tool_calls)
        return StepDone(
            trial_id=replied.trial_id,
            step=replied.step,
            state=action.state,
            plan=action.plan,
            done=action.done,  # The model says so, but it need not be true.
            code=action.code,
            output=result.output,
            error=result.error,
            ending=str(result.ending),
            scratchpad=result.scratchpad,
            feedback=self._feedback(action.code, result, other_actions),
            elapsed_ms=result.elapsed_ms,
        )

    def _unusable_step(
        self, replied: ModelReplied, fault: Fault, reason: str
    ) -> StepDone:
        """Return the summary of a step whose reply had no script: the model is told the reason."""
        return StepDone(
            trial_id=replied.trial_id,
            step=replied.step,
            error=reason,
            fault=str(fault),
            scratchpad=self.box.scratchpad,  # It stays as it was.
            feedback=(self.prompts.filled("unusable", reason=reason),),
        )

    def _feedback(
        self, code: str, result: StepResult, other_actions: int
    ) -> tuple[str, ...]:
        """Return the message after the script of the current step, in pieces to be joined.

        It is empty if the trial is over: the model gets no further message. `other_actions` is the
        number of further scripts in the reply, which were not run.
        """
        session = self.session
        count = "two" if other_actions == 1 else str(other_actions + 1)
        notice = f"The reply held {count} actions. Only the first was run"
        if session.is_over:
            if other_actions:
                session.notice(notice)
            return ()

        step = session.recorder.current_step
        notes_on_calls = session.recorder.step_log.notes
        feedback = step_feedback(step.number, result, step.submissions, notes_on_calls)
        if not step.submissions:
            last_step = session.last_step  # None before the first step
            before = last_step.scratchpad if last_step else {}
            has_calls = bool(step.calls)
            note = _note_if_unsubmitted(
                code,
                before,
                result,
                has_calls=has_calls,
                done=session.tool_schema.outcomes.done,
            )
            if note:
                feedback.append(note)
        if other_actions:
            text = f"{notice}: reply with one JSON object."
            feedback.append(f"<note>\n{text}\n</note>\n")
        return tuple(feedback)


def _shown_reply(reply: str, fault: str) -> str:
    """Return a reply as later requests show it, never empty.

    Of a reply that was cut off at its length limit, only the beginning is shown, because
    each later request pays for it again. `fault` is empty if the reply was usable.
    """
    if not reply.strip():
        return "(an empty reply)"
    hidden_chars = len(reply) - _MAX_CUT_OFF_CHARS
    if fault != Fault.CUT_OFF or hidden_chars <= 0:
        return reply
    beginning = reply[:_MAX_CUT_OFF_CHARS]
    return f"{beginning} [... {hidden_chars:,} characters more, then cut off]"


# Builds the start of a trial's conversation: the system prompt and the first message.
#
# A first message shows the rules of the workspace, and the documents and records that fit the
# request. It ends with the instruction (the request that the trial must carry out).


def build_initial_prompt(
    trial: TrialContext, recorder: Recorder, settings: LoopSettings | None = None
) -> ConversationOpened:
    """Make the initial calls of a trial, and return the system prompt and the first message.

    `settings` say, for example, how many characters of documents the message may show.
    """
    settings = settings or LoopSettings()
    prompts = settings.prompts
    in_fences = settings.replies_in_fences

    # 1. Find out how many characters the results of the initial calls may take. The system
    #    prompt counts in its longest form. The final one leaves out tools that are down.
    longest_system = system_prompt(recorder.tool_schema, prompts, in_fences=in_fences)
    room = room_beside(longest_system, trial, settings)

    # 2. Make the initial calls, and put those results that fit the request into sections.
    instruction = without_marks(trial.instruction)
    prompt = prompts.filled("first_message", instruction=instruction)
    results = open_first_message(trial.instruction, trial.now, recorder, room, prompt)

    # 3. Write the system prompt, and the message: the sections, then the instruction.
    system = system_prompt(results.working_tool_schema, prompts, in_fences=in_fences)
    message: list[str] = []
    for section in results.sections:
        message += section.pieces
    message.append(results.end)
    return results.opened(system, message)


# The side of a trial that its scripts see: their calls, citations and answers.
#
# A script runs in a process without any access. What it asks for arrives here:
#
#     harness.read("/docs/fees.md")                  `call("read", {"path": "/docs/fees.md"})`
#     scratchpad.cite("/docs/fees.md", "the fee")    `cite("/docs/fees.md", "the fee")`
#     harness.answer(scratchpad, verify)             `answer({"answer": "7 EUR", ...}, verify)`


class ScriptHost:
    """Does what the scripts of one trial ask for (the sandbox's interface `Host`)."""

    def __init__(self, session: TrialSession) -> None:
        self._session = session

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a declared call, and return its result. Raises `CallError`.

        The model gets notes about the call, such as that its result is truncated.
        """
        session = self._session
        result = session.make_call(
            operation, arguments, in_script=True, in_verify=in_verify
        )
        notes = call_notes(session.tool_schema, operation, arguments, result)
        session.recorder.step_log.add_new_notes(notes)
        return result

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls that a function of the benchmark asks for, and return their outcomes.

        They may only read, and are not calls of the script: they are neither checked nor limited.
        """
        return self._session.recorder.calls.make_all(calls)

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling with which `path` must be cited. Raises `Refusal`."""
        try:
            return self._session.check_citation(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit the answer in the scratchpad. `verify` is the script's own check of it.

        Raises `Refusal` if it is not judged, not accepted, or not taken by the environment. It is
        raised in the script, which the model then reads as its error:

            scratchpad["answer"] = "7 EUR"
            harness.answer(scratchpad, verify)    Refusal: gate 3 (paths): /docs/fee.md was not read
        """
        # The function `verify` stays in the script's process. The gates call it by `ask`.
        probe = Probe(verify.is_callable, verify.takes_one_argument, verify.ask)
        submission = Submission.from_scratchpad(scratchpad, probe)
        try:
            judged = self._session.submit(submission)
        except NotJudged as error:
            raise Refusal(str(error)) from None
        except CallError as error:
            message = (
                "The gates accepted the answer, but the environment did not take it "
                f"({error})."
            )
            raise Refusal(message) from None
        if not judged.accepted:
            raise Refusal(judged.message)


# Connects the sandbox, in which scripts run, with the session of their trial.
#
# The session makes the calls that scripts ask for, learns what they print, and can interrupt them:
#
#     harness.read("/a.md") in a script    -> ScriptHost.call, a call of the trial
#     print("12 books")                    -> the evidence: an answer may be checked by it
#     session.interrupt("the client left") -> the script ends


def sandbox_of(
    session: TrialSession,
    server: ForkServer,
    limits: Limits,
    isolation: frozenset[Layer],
) -> Sandbox:
    """Return the sandbox for the scripts of a trial. A `with` block starts and ends it."""
    box = Sandbox(
        session.tool_schema,
        ScriptHost(session),
        now=session.trial.now,
        seed=session.trial.seed,
        limits=limits,
        isolation=isolation,
        server=server,
    )
    # An answer may be checked by what the scripts compute and print.
    evidence_log = session.recorder.evidence_log
    box.on_script = evidence_log.add_script
    box.on_print = evidence_log.add_printed
    # No script takes longer than what is left of the trial. The sandbox tells the clock, before each
    # call of a script, when the script's time is over: by then, the call has to end. After the call,
    # the sandbox tells it `inf`.
    box.keep_time(session.clock.remaining_s, session.clock.end_calls_at)
    # The session lets the sandbox end a script, and run the benchmark's functions.
    session.interrupt = box.interrupt
    session.recorder.calls.function_runner = box
    return box


# The message to the model after a script: its output, its error, and what the gates said.
#
# The gates judge an answer that the script submits. If they reject it, they object: "gate 3
# (paths): /docs/fee.md was not read".

_FEEDBACK_MARKS: Final = ("output", "error", "gates", "notes", "instruction")
"""The tags of the message. They are escaped in a script's
output and errors, which could otherwise imitate its parts."""
_WHOLE_SCRIPT_NOTE: Final = (
    "<note>\nThe script's names are gone: reply with a whole script again, "
    "up to harness.answer.\n</note>\n"
)
"""Follows an exception. Without it, small models send only the corrected line."""


def step_feedback(
    step: int, result: StepResult, submissions: Sequence[Judged], notes: Sequence[str]
) -> list[str]:
    """Return the message to the model after its script, in pieces to be joined.

    A long text is a piece of its own, so that the journal can store it once. `notes` are about
    the script's calls. The pieces make up a message such as:

        <output step="3">
        12
        </output>
        <error>
        KeyError: 'fee'
        </error>
        <notes>
        /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
        </notes>
    """
    lacks_newline = bool(result.output) and not result.output.endswith("\n")
    pieces = [
        f'<output step="{step}">\n',
        without_marks(result.output, _FEEDBACK_MARKS),
        "\n</output>\n" if lacks_newline else "</output>\n",
    ]

    if result.error:
        error = without_marks(result.error, _FEEDBACK_MARKS)
        pieces.append(f"<error>\n{error}\n</error>\n")
    if result.ending == Ending.RAISED:
        pieces.append(_WHOLE_SCRIPT_NOTE)

    # An objection is an exception in the script: if it does not catch it, the error above has it.
    objections: list[str] = []
    for judged in submissions:
        if not judged.accepted and judged.message not in result.error:
            objections.append(judged.message)
    if objections:
        pieces.append("<gates>\n" + "\n".join(objections) + "\n</gates>\n")
    pieces += notes_block(notes)
    return pieces


# The note to the model about a script that submitted no answer, although it might have.
#
# A script submits by `harness.answer(scratchpad, verify)`. Some models forget this: they set
# `scratchpad["answer"]`, or only a variable, or print nothing at all.


def _note_if_unsubmitted(
    code: str,
    before: Mapping[str, Plain],
    result: StepResult,
    *,
    has_calls: bool,
    done: str = OK,
) -> str:
    """Return the note about a script that submitted nothing; empty if it needs none.

    `before` is the scratchpad before the script. `has_calls` is true if it made calls, and `done`
    the outcome of an answered request.
    """
    note = left_answer_note(before, result.scratchpad, result.output, done)
    # After another ending, the message to the model has the script's error.
    has_finished = result.ending == Ending.FINISHED
    has_effect = result.output or has_calls or result.scratchpad != before
    return idle_note(code, done) if has_finished and not (note or has_effect) else note


def left_answer_note(
    before: Mapping[str, Plain],
    after: Mapping[str, Plain],
    output: str,
    done: str = OK,
) -> str:
    """Return the note about an answer in the scratchpad that was not submitted; else empty.

    `before` and `after` are the scratchpad before and after the script, and `done` is the outcome
    of an answered request.
    """
    answer = after.get("answer")
    if not answer:
        return ""
    # The model got the note when an earlier script set this answer. If its script now prints
    # something, the model still works on the answer.
    was_noted = answer == before.get("answer")
    if was_noted and output:
        return ""

    has_citations = bool(after.get("refs_why"))  # the cited paths, with reasons
    cites = "" if has_citations else "cite the files that support it, and "
    code = _submitting_code(answer, "" if after.get("outcome") else done)
    return (
        '<note>\nscratchpad["answer"] is set, but nothing was submitted. '
        f"If it is right, {cites}submit it:\n{code}\n</note>\n"
    )


# The note to the model about a script that had no effect.
#
# It printed nothing, called nothing and submitted nothing: `answer = "14:30"`. The note shows how
# the script would submit this answer.


def idle_note(code: str, done: str = OK) -> str:
    """Return the note about a script that had no effect: no output, calls, changes or submission.

    Some models only set the variable `answer`, which is lost with the script. The note
    then shows how to submit it by `scratchpad`, a dictionary that outlasts the script.
    `done` is the outcome of an answered request.
    """
    answer = _text_named_answer(code)
    if not answer:
        return (
            "<note>\nThis script printed nothing and submitted nothing, and its names are gone. "
            "Print what you want to see, or submit the answer.\n</note>\n"
        )
    submission = _submitting_code(answer, done, sets_answer=True)
    return (
        "<note>\nNothing was submitted: the name `answer` ended with the script. "
        f"If it is right, submit it:\n{submission}\n</note>\n"
    )


def _text_named_answer(code: str) -> str:
    """Return the last text that a script assigns to the variable `answer`; empty if none.

    Assignments inside of loops, functions and other blocks do not count.
    """
    try:
        tree = parse_program(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    text = ""
    for statement in tree.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id="answer")], value=ast.Constant(value=str(value))
            ):
                text = value
    return text


# The code by which a script submits its answer, as notes to the model show it.
#
# For the answer `14:30`, which a script has left in the scratchpad, it is
#
#     scratchpad["outcome"] = "OUTCOME_OK"
#     def verify(sp):
#         return sp["answer"] == "14:30"
#     harness.answer(scratchpad, verify)

_MAX_LITERAL_CHARS: Final = 300
"""A longer answer is not repeated in a note."""


def _submitting_code(answer: Plain, outcome: str, *, sets_answer: bool = False) -> str:
    """Return the code that submits an answer.

    It sets the `outcome` unless that is empty, and with `sets_answer` the answer, too. A long answer
    is replaced by the name `expected`, which the model has to fill in. `harness.answer` needs a
    function `verify`, the script's own check of what it submits. This one only checks that the
    scratchpad still has this answer.
    """
    literal = repr(answer)  # `True`, which JSON would call `true`
    if isinstance(answer, str):
        literal = json.dumps(answer, ensure_ascii=False)  # in double quotation marks
    if len(literal) > _MAX_LITERAL_CHARS:
        literal = "expected"
    code = f'scratchpad["answer"] = {literal}\n' if sets_answer else ""
    if outcome:
        code += f'scratchpad["outcome"] = "{outcome}"\n'
    code += f'def verify(sp):\n    return sp["answer"] == {literal}\n'
    return f"{code}harness.answer(scratchpad, verify)"


# Submits the answer that the last script of a trial left, but did not submit.
#
# A script leaves it in the *scratchpad*, the data for the next scripts. At a limit of the
# trial, there is no next script, and an answer is better than none.


def submit_left_answer(session: TrialSession, scratchpad: Mapping[str, Plain]) -> None:
    """Submit the answer in a scratchpad, unless a script has submitted one.

        {"answer": "14:30", "outcome": "OUTCOME_OK"}    is submitted
        {"answer": "14:30"}                             is not: it lacks the outcome

    The gates judge the answer once, and the model cannot correct it.
    """
    # A submission with an answer, even a rejected one, can be sent at the end of the trial.
    has_sendable = session.gated_exit.last_sendable is not None
    if session.is_over or has_sendable:
        return
    submission = Submission.from_scratchpad(scratchpad, None, from_script=False)
    is_whole = bool(submission.answer_text) and session.tool_schema.outcomes.has(
        submission.outcome
    )
    if not is_whole:
        return
    try:
        session.submit(submission)
    except NotJudged:
        return  # The trial has no submission left. It ends without an answer.
    except CallError:
        pass  # The gates accepted it, but the environment did not. The trial ends, too.
    session.notice(
        "the last step left an answer that no script submitted; the gates judged it"
    )
