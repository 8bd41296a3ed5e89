"""The first solver. It asks the model, runs its script and reports the output, until an
answer is accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.events import Judged, StepDone
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.initial_prompt import PromptReader, build_initial_prompt
from controlplane.agent.loop.reply_form import RequestForm
from controlplane.agent.loop.script_feedback import idle_note, unsubmitted_note
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import LoopSettings, TurnLoop, notes_block
from controlplane.agent.model import Message, Model, Thought
from controlplane.agent.reply import Action, Fault, Unusable, action_of
from controlplane.agent.retry import RunBudget
from controlplane.agent.section_marks import without_marks
from controlplane.agent.trial_record import TrialStep
from controlplane.gates.submission import OUTCOMES, Probe, Submission
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


class ScriptHost:
    """Does what a script in the sandbox asks for: calls, citations and answers of one
    trial.

    Implements `controlplane.sandbox.interface.Host`.
    """

    def __init__(self, session: TrialSession) -> None:
        self._session = session

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a declared call, and return its result. Raises `CallError`."""
        return self._session.call(
            operation, arguments, in_verify=in_verify, in_script=True
        )

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls that a function asks for, and return their outcomes."""
        return self._session.call_all(calls)

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling with which `path` must be cited. Raises `Refusal`."""
        try:
            return self._session.check_citation(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit the answer in the scratchpad, the dictionary that a script fills.

        If a gate (a check of the answer) rejects it, raise `Refusal` with its
        objection.
        """
        try:
            # `Probe` runs the script's `verify` function, which checks the answer.
            judged = self._session.submit(
                Submission.from_scratchpad(scratchpad, Probe(*verify))
            )
        except NotJudged as error:
            raise Refusal(str(error)) from None
        except CallError as error:
            message = f"The gates accepted the answer, but the environment did not take it ({error})."
            raise Refusal(message) from None
        if not judged.accepted:
            raise Refusal(judged.message)


def sandbox_of(
    session: TrialSession,
    server: ForkServer,
    limits: Limits,
    isolation: frozenset[Layer],
) -> Sandbox:
    """Return the sandbox for the trial's scripts. It starts when its `with` block is
    entered."""
    box = Sandbox(
        session.tool_schema,
        ScriptHost(session),
        now=session.trial.now,
        seed=session.trial.seed,
        limits=limits,
        isolation=isolation,
        server=server,
    )
    # The sandbox tells the session each script, its output, and when a call must end.
    box.on_text = session.record_script
    box.report_call_ends(session.clock.end_calls_at)
    # The session can interrupt a script, and run the environment's functions in the
    # sandbox.
    session.interrupt = box.interrupt
    session.use_functions(box)
    return box


REPETITION_TEMPERATURE: Final = 1.2
"""The least temperature after a repeated script. At a lower one, small models send the
same script until the trial ends."""

LEFT_OUT_REPLY: Final = "(a script that failed like the one before)"
"""Replaces such a script in the conversation, because small models repeat what they see
twice.

Not used if the model may reply in free text: it would then copy this line.
"""

WHOLE_SCRIPT_NOTE: Final = "<note>\nThe script's names are gone: reply with a whole script again, up to harness.answer.\n</note>\n"
"""The note after a script that raised an exception. Without it, small models send only
the corrected line, but each script runs with fresh names."""

FEEDBACK_MARKS: Final = ("output", "error", "gates", "notes", "instruction")
"""The tags of the message after a script, as in `<output>...</output>`. They are
escaped in a script's output and errors, which could otherwise imitate the message's
parts."""


@dataclass(frozen=True, slots=True)
class CitedLoop:
    """A solver with one model, scripts in a sandbox, and answers with citations."""

    model: Model
    server: ForkServer
    settings: LoopSettings = field(default_factory=LoopSettings)
    budget: RunBudget = field(default_factory=RunBudget)

    def solve(self, session: TrialSession) -> str:
        """Work on the trial until it is answered. Return the reason if it is not; empty
        if it is.

        Raises the errors of `TurnLoop.run`.
        """
        settings = self.settings
        with sandbox_of(
            session, self.server, settings.limits, settings.isolation
        ) as box:
            turns = _ScriptTurns(self.model, session, settings, self.budget, box)
            turns.begin()
            return turns.run()


class _ScriptTurns(TurnLoop):
    """The turns of one trial, each of which runs one script."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        box: Sandbox,
    ) -> None:
        super().__init__(
            model,
            session,
            settings,
            run_budget,
            switches_reply_mode=settings.switches_reply_mode,
        )
        self.box = box

    def begin(self) -> None:
        """Open the conversation, and restore the recorded steps that are complete."""
        session = self.session
        settings = self.settings
        opened = session.open(
            lambda recorder: build_initial_prompt(
                session.instruction,
                recorder,
                settings.initial_prompt_chars,
                prompts=settings.prompts,
                now=session.trial.now,
                reader=PromptReader(
                    settings.context_tokens or session.trial.context_tokens,
                    settings.replies_in_fences,
                ),
            )
        )
        self._say("system", opened.system)
        self._say("user", "".join(opened.first_message))
        for step in session.whole_steps():
            self.count_step(step)
            assert step.done is not None
            self.box.restore(dict(step.done.scratchpad))

    def take_turn(self) -> None:
        """Take one turn: ask the model, run the script of its reply, and record the
        step."""
        with self.session.step() as step:
            # 1. Ask the model.
            replied = self.model.solve(self.conversation, **self._request_form())
            action = action_of(
                replied.reply,
                replied.finish_reason,
                other_calls=replied.tool_calls,
                reasoning=replied.reasoning,
            )

            # 2. Run the script, or explain why there is none.
            if isinstance(action, Unusable):
                done = self._done_without_script(action)
            else:
                done = self._done_by_script(action)
                # Only the first action of a reply is run. Others may be in its text or
                # tool calls.
                further_actions = action.others + len(replied.tool_calls)
                if further_actions:
                    done = self._with_further_actions(done, further_actions)

            # 3. Set what the session records at the end of the step. A last answer in the scratchpad
            # is submitted now, because no script will do so.
            step.done = done
            if self.is_last_step(step):
                self._submit_unsubmitted_answer(done.scratchpad)
            self.sum_up(step, done)

        # 4. Count the recorded step. This may change the form of the next request.
        mode_before = self.unusable.form.mode
        self.count_step(self.session.trace)
        if self.unusable.form.mode != mode_before:
            self._notice_new_mode()

    def _request_form(self) -> RequestForm:
        """Return the form of the next reply, and the temperature after a repetition."""
        request_form = self.unusable.form.arguments
        if self.repetition.is_repeating:
            return {**request_form, "min_temperature": REPETITION_TEMPERATURE}
        return request_form

    def _with_further_actions(self, done: StepDone, further_actions: int) -> StepDone:
        """Add a note to the feedback: the reply had more actions than the one that was
        run."""
        if self.session.is_over:
            # No message to the model follows, so tell the user.
            self.session.notice(_further_actions_text(further_actions))
            return done
        note = _further_actions_note(further_actions)
        return done.model_copy(update={"feedback": (*done.feedback, note)})

    def _notice_new_mode(self) -> None:
        """Tell the user why the model is asked in another reply mode (JSON, tool call
        or text)."""
        if self.unusable.form.is_fenced:
            reason = "scripts in JSON strings were no Python"
        else:
            reason = "the same fault three times in a row"
        self.session.notice(
            f"{reason}; asking in reply mode {self.unusable.form.mode} from here on"
        )

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add the model's reply, and the feedback on it, to the conversation."""
        done = step.summary
        replied = step.solve_reply
        reply = _reply_in_conversation(replied.reply, done.fault)
        if self.repetition.is_same_failure and not self._asks_for_fences:
            reply = LEFT_OUT_REPLY
        self._say("assistant", reply, replied.thinking)
        self._say("user", "".join(done.feedback))

    @property
    def _asks_for_fences(self) -> bool:
        """True if the model is asked for a script in a fence, so it may write free
        text."""
        return self.settings.replies_in_fences or self.unusable.form.is_fenced

    def _done_by_script(self, action: Action) -> StepDone:
        """Run the script of a reply. Return the step, with the output and the
        feedback."""
        session = self.session
        trace = session.trace
        result = self.box.run(action.code, step=trace.number)
        peak_memory_bytes = self.box.peak_memory_bytes
        if peak_memory_bytes is not None:
            session.measure_script(peak_memory_bytes)
        feedback: tuple[str, ...] = ()
        if not session.is_over:
            feedback = step_feedback(
                trace.number, result, trace.submissions, session.notes
            )
            if not trace.submissions:
                feedback += self._note_about_no_submission(action, result)
        is_refused = result.ending in (Ending.SYNTAX, Ending.REFUSED)
        return StepDone(
            trial_id=session.trial.trial_id,
            step=trace.number,
            state=action.state,
            plan=action.plan,
            done=action.done,
            code=action.code,
            output=result.output,
            error=result.error,
            ending=str(result.ending),
            scratchpad=result.scratchpad,
            feedback=feedback,
            elapsed_ms=result.elapsed_ms,
            refunded=self.steps.refunds_script(is_refused=is_refused),
        )

    def _submit_unsubmitted_answer(self, scratchpad: Mapping[str, Plain]) -> None:
        """Submit the scratchpad's answer after the last step, if no script has
        submitted one.

        The gates judge it once, and the model cannot correct it.
        """
        session = self.session
        # An earlier submission can be sent at the end of the trial, even if gates
        # rejected it.
        has_submitted_before = session.exit.history.last_sendable is not None
        if session.is_over or has_submitted_before:
            return
        submission = Submission.from_scratchpad(scratchpad, None, from_script=False)
        is_whole = bool(submission.answer_text) and submission.outcome in OUTCOMES
        if not is_whole:
            return
        # If the answer cannot be submitted, the trial ends without one.
        with suppress(NotJudged, CallError):
            session.submit(submission)
        session.notice(
            "the last step left an answer that no script submitted; the gates judged it"
        )

    def _note_about_no_submission(
        self, action: Action, result: StepResult
    ) -> tuple[str, ...]:
        """Return the note about a script that submitted nothing, in a tuple; empty
        without one."""
        # 1. The script may have left an answer in the scratchpad.
        last_step = self.session.last_step
        scratchpad_before = {} if last_step is None else last_step.scratchpad
        note = unsubmitted_note(scratchpad_before, result.scratchpad, result.output)
        if note:
            return (note,)

        # 2. It may have done nothing at all.
        has_changed_scratchpad = result.scratchpad != scratchpad_before
        did_something = (
            result.output or self.session.trace.calls or has_changed_scratchpad
        )
        if result.ending == Ending.FINISHED and not did_something:
            return (idle_note(action.code),)
        return ()

    def _done_without_script(self, unusable: Unusable) -> StepDone:
        """Return the step of a reply without an action. Its feedback gives the
        reason."""
        reason = unusable.reason
        if self._asks_for_fences:
            reason = unusable.reason_in_fences
        # A model's refusal is well-formed, so it counts as a step.
        is_unusable = unusable.fault is not Fault.REFUSED
        return StepDone(
            trial_id=self.session.trial.trial_id,
            step=self.session.trace.number,
            error=reason,
            fault=str(unusable.fault),
            scratchpad=self.box.scratchpad,
            feedback=(self.prompts.filled("unusable", reason=reason),),
            refunded=self.steps.refunds_reply(is_unusable=is_unusable),
        )

    def _say(self, role: str, content: str, thinking: Sequence[Thought] = ()) -> None:
        message = Message(role=role, content=content)
        if thinking:
            message["thinking"] = thinking
        self.say(message)


MAX_CUT_OFF_CHARS: Final = 400
"""Later requests repeat this many characters of a reply that was cut off."""


def _reply_in_conversation(reply: str, fault: str) -> str:
    """Return a reply as later requests show it. `fault` is empty for a usable reply.

    Of a cut-off reply only the beginning is shown, because every request pays for it
    again. An empty reply gets a text, because endpoints refuse empty messages.
    """
    if not reply.strip():
        return "(an empty reply)"
    hidden_chars = len(reply) - MAX_CUT_OFF_CHARS
    if fault != Fault.CUT_OFF or hidden_chars <= 0:
        return reply
    return f"{reply[:MAX_CUT_OFF_CHARS]} [... {hidden_chars:,} characters more, then cut off]"


def _further_actions_note(further_actions: int) -> str:
    """Return the note for the model that only one action of its reply was run."""
    text = _further_actions_text(further_actions)
    return f"<note>\n{text}: reply with one JSON object.\n</note>\n"


def _further_actions_text(further_actions: int) -> str:
    all_actions = further_actions + 1
    count = "two" if all_actions == 2 else str(all_actions)
    return f"The reply held {count} actions. Only the first was run"


def step_feedback(
    step: int, result: StepResult, judged: Sequence[Judged], notes: Sequence[str]
) -> tuple[str, ...]:
    """Return the message after a script: its output, its error, the gates' objections,
    and notes.

    A long text is a piece of its own, so that the journal can store it once.
    """
    # 1. The output. The closing tag has its own line.
    pieces = [f'<output step="{step}">\n', without_marks(result.output, FEEDBACK_MARKS)]
    if result.output and not result.output.endswith("\n"):
        pieces.append("\n</output>\n")
    else:
        pieces.append("</output>\n")

    # 2. The error.
    if result.error:
        pieces.append(
            f"<error>\n{without_marks(result.error, FEEDBACK_MARKS)}\n</error>\n"
        )
    if result.ending == Ending.RAISED:
        pieces.append(WHOLE_SCRIPT_NOTE)

    # 3. The gates' objections. An objection raises `Refusal` in the script. If the script does not
    # catch it, the error above has it already.
    rejections: list[str] = []
    for judgement in judged:
        is_shown_as_error = judgement.message in result.error
        if not judgement.accepted and not is_shown_as_error:
            rejections.append(judgement.message)
    if rejections:
        pieces.append("<gates>\n" + "\n".join(rejections) + "\n</gates>\n")
    return (*pieces, *notes_block(notes))
