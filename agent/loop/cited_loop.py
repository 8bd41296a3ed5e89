"""The first solver: asks the model, runs its script, reports the output, until an answer passes the gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.events import Judged
from agent.first_message.sections import without_marks
from agent.loop.initial_prompt import build_initial_prompt
from agent.loop.script_runs import sandbox_of
from agent.loop.trial_session import StepFields, TrialSession
from agent.loop.turn_loop import LoopSettings, TurnLoop, notes_block
from agent.model.model_protocol import Message, Model, Thought
from agent.reply import Action, Fault, Unusable, action_of
from agent.retry import RunBudget
from sandbox import Ending, ForkServer, Sandbox, StepResult

FEEDBACK_MARKS: Final = ("output", "error", "gates", "notes", "instruction")
"""The names of the marks that no text of a script sets in the message after it."""


@dataclass(frozen=True, slots=True)
class CitedLoop:
    """One model, scripts in a sandbox, answers with citations."""

    model: Model
    server: ForkServer
    settings: LoopSettings = field(default_factory=LoopSettings)
    budget: RunBudget = field(default_factory=RunBudget)

    def solve(self, session: TrialSession) -> str:
        """Work on the trial until it is answered, or return why not. Raises what `TurnLoop.run` raises."""
        settings = self.settings
        with sandbox_of(session, self.server, settings.limits, settings.isolation) as box:
            turns = _ScriptTurns(
                self.model, session, settings, self.budget, switches_reply_mode=settings.switches_reply_mode
            )
            turns.box = box
            turns.begin()
            return turns.run()


class _ScriptTurns(TurnLoop):
    """The turns of one trial, each of which runs one script."""

    box: Sandbox

    def begin(self) -> None:
        """Open the conversation, or rebuild it from the steps of an interrupted attempt."""
        session, settings = self.session, self.settings
        opened = session.open(
            lambda recorder: build_initial_prompt(
                session.instruction, recorder, settings.initial_prompt, prompts=settings.prompts
            )
        )
        self._say("system", opened.system)
        self._say("user", "".join(opened.first_message))
        for done in session.resume_state.steps[session.trace.number :]:
            session.take_recorded(done)
            self.box.restore(dict(done.scratchpad), steps_done=done.step)
            replied = session.resume_state.replies.get(done.step, ())
            self.context.count_request(done.usage.prompt_tokens, done.usage.completion_tokens, done.reply)
            self._say("assistant", _sent_back(done.reply, done.fault), replied[-1].thinking if replied else ())
            self._say("user", "".join(done.feedback))
            # Older journals do not say which fault it was.
            fault = "" if done.code else done.fault or "unusable"
            self.streak.count_reply(fault, replied[-1].reply_mode if replied else "")
            self.budget.spend(
                script_refused=done.refunded and bool(done.code), reply_unusable=done.refunded and not done.code
            )
            self.repetition.count_turn(done.code, done.ending, list(done.verdicts))
            if done.code and not done.verdicts:
                self.repetition.count_run(done.code, done.output + done.error)

    def take_turn(self) -> None:
        """Take one turn: ask, parse, run, write down, answer."""
        with self.session.step() as fields:
            replied = self.model.solve(self.conversation, **self.streak.form)
            action = action_of(replied.reply, replied.finish_reason)
            if isinstance(action, Unusable):
                fields.update(self._unusable(action))
            else:
                fields.update(self._run(action))
                fields["feedback"] += _others_note(action.others + len(replied.tool_calls), fields["feedback"])
            self.context.count_request(replied.usage.prompt_tokens, replied.usage.completion_tokens, replied.reply)
            fields["feedback"] += self.context.notice("".join((replied.reply, *fields["feedback"])))
        changed = self.streak.count_reply(fields.get("fault", ""), replied.reply_mode)
        if changed:
            self.session.notice(f"the same fault three times in a row; asking in reply mode {changed} from here on")
        self.repetition.count_turn(fields.get("code", ""), fields.get("ending", ""), self.session.trace.submissions)
        self._say("assistant", _sent_back(replied.reply, fields.get("fault", "")), replied.thinking)
        self._say("user", "".join(fields["feedback"]))

    def _run(self, action: Action) -> StepFields:
        trace = self.session.trace
        result = self.box.run(action.code, step=trace.number)
        refunded = self.budget.spend(script_refused=result.ending in (Ending.SYNTAX, Ending.REFUSED))
        feedback: tuple[str, ...] = ()
        if not self.session.is_over:
            warnings = () if trace.submissions else self.repetition.count_run(action.code, result.output + result.error)
            said = step_feedback(trace.number, result, trace.submissions, trace.notes)
            feedback = (*said, *warnings, *self.budget_notices())
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
        refunded = self.budget.spend(reply_unusable=fault.fault is not Fault.REFUSED)
        return {
            "error": fault.reason,
            "fault": str(fault.fault),
            "scratchpad": self.box.scratchpad,
            "feedback": (self.prompts.filled("unusable", reason=fault.reason), *self.budget_notices()),
            "refunded": refunded,
        }

    def _say(self, role: str, content: str, thinking: Sequence[Thought] = ()) -> None:
        message = Message(role=role, content=content)
        if thinking:
            message["thinking"] = thinking
        self.say(message)


def _sent_back(reply: str, fault: str) -> str:
    """Return a reply as the model sees it again, given the reply's fault (empty for a usable one).

    Of a reply that was cut off, only the beginning goes back: all of it would be paid for with every request. An empty
    one is named, because endpoints refuse messages without a text.
    """
    if not reply.strip():
        return "(an empty reply)"
    if fault != Fault.CUT_OFF or len(reply) <= 400:
        return reply
    return f"{reply[:400]} [... {len(reply) - 400:,} characters more, then cut off]"


def _others_note(others: int, said: Sequence[str]) -> tuple[str, ...]:
    """Return the note on further actions of a reply, if there are any and the trial goes on."""
    if not (others and said):
        return ()
    what = f"{others + 1} actions" if others > 1 else "two actions"
    return (f"<note>\nThe reply held {what}. Only the first was run: reply with one JSON object.\n</note>\n",)


def step_feedback(step: int, result: StepResult, judged: Sequence[Judged], notes: Sequence[str]) -> tuple[str, ...]:
    """Return the message after a script, as pieces: its output, the error that ended it, objections of gates, notes.

    Long texts are whole pieces, so that a journal stores them once.
    """
    pieces = [f'<output step="{step}">\n', without_marks(result.output, FEEDBACK_MARKS)]
    pieces.append("</output>\n" if result.output.endswith("\n") or not result.output else "\n</output>\n")
    if result.error:
        pieces.append(f"<error>\n{without_marks(result.error, FEEDBACK_MARKS)}\n</error>\n")
    rejections = [one.message for one in judged if not one.accepted and one.message not in result.error]
    if rejections:
        pieces.append("<gates>\n" + "\n".join(rejections) + "\n</gates>\n")
    return (*pieces, *notes_block(notes))
