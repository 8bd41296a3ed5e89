"""The first solver: asks the model, runs its script, reports the output, until an answer passes the gates.

A recorded trial can run again, which reports where it differs: scripts run again, and submissions and citations of a
solver without scripts are judged again. Calls, citations and verdicts that the record has are answered from it, so that
one difference does not lead to others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Final

from controlplane.agent.events import Difference, Judged, ResumeState, StepDone, StepTrace
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls import READ_ALL, without_marks
from controlplane.agent.loop.initial_prompt import build_initial_prompt
from controlplane.agent.loop.trial_session import StepFields, TrialContext, TrialSession
from controlplane.agent.loop.turn_loop import LoopSettings, TurnLoop, notes_block
from controlplane.agent.model import Message, Model, Thought
from controlplane.agent.reply import Action, Fault, Unusable, action_of
from controlplane.agent.retry import RunBudget
from controlplane.agent.submission import GateSettings, NotJudged
from controlplane.gates.submission import VERIFY_GATE, Probe, Submission
from controlplane.sandbox import (
    ALL_LAYERS,
    Ending,
    ForkServer,
    Layer,
    Limits,
    Refusal,
    Sandbox,
    StepResult,
    Verify,
    Worker,
)
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes


class ScriptHost:
    """Implements `controlplane.sandbox.interface.Host` for one trial."""

    def __init__(self, session: TrialSession) -> None:
        self._session = session
        read_all = (
            f"harness.tools.{READ_ALL}(path)"
            if session.tool_schema.operation(READ_ALL)
            else "start_line"
        )
        self.call = partial(session.call, read_all=read_all, in_script=True)
        """Makes a declared call. Raises `CallError`."""
        self.call_all = session.call_all
        """Makes the calls of a function, and returns their outcomes."""

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling under which `path` may be cited. Raises `Refusal`."""
        try:
            return self._session.check_citation(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit through the gates. Raises `Refusal` with the fix-it text if one rejects."""
        try:
            judged = self._session.submit(Submission.from_scratchpad(scratchpad, Probe(*verify)))
        except NotJudged as error:
            raise Refusal(str(error)) from None
        except CallError as error:
            message = (
                f"The gates accepted the answer, but the environment did not take it ({error})."
            )
            raise Refusal(message) from None
        if not judged.accepted:
            raise Refusal(judged.message)


def sandbox_of(
    session: TrialSession, server: ForkServer, limits: Limits, isolation: frozenset[Layer]
) -> Sandbox:
    """Return the sandbox in which the trial's scripts run; it starts when it is entered. See `ScriptHost`."""
    trial, host = session.trial, ScriptHost(session)
    box = Sandbox(
        session.tool_schema,
        host,
        now=trial.now,
        seed=session.seed,
        limits=limits,
        isolation=isolation,
        server=server,
    )
    box.on_text, session.interrupt = session.take_script, box.interrupt
    session.use_functions(box)
    return box


@dataclass(frozen=True, slots=True)
class Recording:
    """A trial as it was recorded: everything that its scripts and its gates depend on."""

    trial: TrialContext
    tool_schema: ToolSchema
    record: ResumeState


@dataclass(frozen=True, slots=True)
class RerunSettings:
    """The settings of a rerun, and what it compares."""

    gates: GateSettings = field(default_factory=GateSettings)
    limits: Limits = field(default_factory=Limits)
    isolation: frozenset[Layer] = ALL_LAYERS
    compare_errors: bool = True
    """False under another minor version of Python, whose error texts differ, in verdicts too."""


@dataclass(frozen=True, slots=True)
class NoEnvironment:
    """Replaces the environment of a recorded trial: every call is answered from the record before it gets here."""

    tool_schema: ToolSchema

    def call(self, operation: str, arguments: object) -> dict[str, Plain]:
        raise CallError(
            error_codes.INTERNAL, f"the record holds no result for {operation}({arguments})"
        )

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        msg = "nothing is answered from a record"
        raise CallError(error_codes.INTERNAL, msg)

    def now(self) -> datetime | None:
        return None


def rerun(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[Difference | None]:
    """Run each recorded step again; yield None for a step that agrees, or its first difference."""
    for step, result, differences in run_again(recording, server, settings):
        yield _first_difference(step, result, differences, settings)


def run_again(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[tuple[StepDone, StepResult | None, list[Difference]]]:
    """Run each recorded step again; yield it with the new result of its script, and with the differences of its
    calls, citations and verdicts.

    The result is None for a step without a script, and for a step that the sandbox ended: how far that step came
    depends on the machine, so it is taken as recorded.
    """
    trial = recording.trial
    with Worker(server, isolation=settings.isolation) as worker:
        environment = NoEnvironment(recording.tool_schema)
        recorder = Recorder(
            trial.trial_id, environment, lambda event: None, worker=worker, only_recorded=True
        )
        session = TrialSession(trial, recorder, settings.gates, resume_state=recording.record)
        if recording.record.initial_prompt is not None:
            session.take_initial_prompt(recording.record.initial_prompt)
        with sandbox_of(session, server, settings.limits, settings.isolation) as box:
            for done in recording.record.steps:
                if done.ending in (Ending.LIMIT, Ending.KILLED):
                    session.take_recorded(done)
                    box.restore(dict(done.scratchpad))
                    yield done, None, []
                    continue
                result = None
                with session.step():
                    if done.code:
                        result = box.run(done.code, step=done.step)
                    else:
                        _submit_again(done, session)
                _compare_counts(done, session.trace)
                yield done, result, session.trace.differences
                if result is not None and result.scratchpad != done.scratchpad:
                    box.restore(dict(done.scratchpad))


def _submit_again(done: StepDone, session: TrialSession) -> None:
    """Repeat a step of a solver without scripts: its calls, citations and submissions, in order."""
    session.trace.record = replace(
        session.trace.record, stopped=[]
    )  # Only calls that were sent are repeated.
    acts: list[tuple[int, Callable[[], object]]] = [
        *(
            (
                citation.after_calls,
                partial(session.check_citation, citation.path, citation.reason, citation.quote),
            )
            for citation in done.citations
        ),
        *(
            (verdict.submitted_parts.after_calls, partial(session.submit, verdict.submission()))
            for verdict in done.verdicts
            if verdict.submitted_parts is not None
        ),
        *(
            (
                number,
                partial(session.call, call.operation, call.arguments, in_verify=call.in_verify),
            )
            for number, call in enumerate(done.calls)
            if call.outer is None  # The reads of a function result come with it.
        ),
    ]
    for _, act in sorted(acts, key=itemgetter(0)):
        with suppress(CallError, NotJudged, ValueError):
            act()


def _compare_counts(done: StepDone, trace: StepTrace) -> None:
    counts = (
        ("calls", len(done.calls), len(trace.calls)),
        ("verdicts", len(done.verdicts), len(trace.submissions)),
    )
    for name, recorded, now in counts:
        if recorded != now:
            trace.differs(name, recorded, now)


def _first_difference(
    step: StepDone,
    result: StepResult | None,
    differences: Sequence[Difference],
    settings: RerunSettings,
) -> Difference | None:
    for difference in differences:
        recorded, now = difference.recorded, difference.now
        if isinstance(recorded, Judged) and isinstance(now, Judged) and not settings.compare_errors:
            recorded, now = _without_error_texts(recorded), _without_error_texts(now)
        if recorded != now:
            return difference
    if result is None:
        return None
    pairs: list[tuple[str, object, object]] = [
        ("output", step.output, result.output),
        ("ending", step.ending, str(result.ending)),
        ("scratchpad", step.scratchpad, result.scratchpad),
    ]
    if settings.compare_errors:
        pairs.append(("error", step.error, result.error))
    return next(
        (Difference(step.step, name, before, now) for name, before, now in pairs if before != now),
        None,
    )


def _without_error_texts(judged: Judged) -> Judged:
    """Return the judgement without the reason of gate 7, which says how the script's own verify failed.

    The message goes too: it is made of the reasons.
    """
    verdicts = tuple(
        one.model_copy(update={"reason": ""}) if one.gate == VERIFY_GATE else one
        for one in judged.verdicts
    )
    return judged.model_copy(update={"message": "", "verdicts": verdicts})


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
                self.model,
                session,
                settings,
                self.budget,
                switches_reply_mode=settings.switches_reply_mode,
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
                session.instruction,
                recorder,
                settings.initial_prompt_chars,
                prompts=settings.prompts,
                now=session.trial.now,
            )
        )
        self._say("system", opened.system)
        self._say("user", "".join(opened.first_message))
        for done in session.resume_state.steps[session.trace.number :]:
            session.take_recorded(done)
            self.box.restore(dict(done.scratchpad))
            replied = session.resume_state.replies.get(done.step, ())
            self.context.count_request(
                done.usage.prompt_tokens, done.usage.completion_tokens, done.reply
            )
            self._say(
                "assistant",
                _sent_back(done.reply, done.fault),
                replied[-1].thinking if replied else (),
            )
            self._say("user", "".join(done.feedback))
            # Older journals do not say which fault it was.
            fault = "" if done.code else done.fault or "unusable"
            self.streak.count_reply(fault, replied[-1].reply_mode if replied else "")
            self.budget.spend(
                script_refused=done.refunded and bool(done.code),
                reply_unusable=done.refunded and not done.code,
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
                fields["feedback"] += _others_note(
                    action.others + len(replied.tool_calls), fields["feedback"]
                )
            self.context.count_request(
                replied.usage.prompt_tokens, replied.usage.completion_tokens, replied.reply
            )
            fields["feedback"] += self.context.notice("".join((replied.reply, *fields["feedback"])))
        changed = self.streak.count_reply(fields.get("fault", ""), replied.reply_mode)
        if changed:
            self.session.notice(
                f"the same fault three times in a row; asking in reply mode {changed} from here on"
            )
        self.repetition.count_turn(
            fields.get("code", ""), fields.get("ending", ""), self.session.trace.submissions
        )
        self._say("assistant", _sent_back(replied.reply, fields.get("fault", "")), replied.thinking)
        self._say("user", "".join(fields["feedback"]))

    def _run(self, action: Action) -> StepFields:
        trace = self.session.trace
        result = self.box.run(action.code, step=trace.number)
        refunded = self.budget.spend(
            script_refused=result.ending in (Ending.SYNTAX, Ending.REFUSED)
        )
        feedback: tuple[str, ...] = ()
        if not self.session.is_over:
            warnings = (
                ()
                if trace.submissions
                else self.repetition.count_run(action.code, result.output + result.error)
            )
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
            "feedback": (
                self.prompts.filled("unusable", reason=fault.reason),
                *self.budget_notices(),
            ),
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
    return (
        f"<note>\nThe reply held {what}. Only the first was run: reply with one JSON object.\n</note>\n",
    )


def step_feedback(
    step: int, result: StepResult, judged: Sequence[Judged], notes: Sequence[str]
) -> tuple[str, ...]:
    """Return the message after a script, as pieces: its output, the error that ended it, objections of gates, notes.

    Long texts are whole pieces, so that a journal stores them once.
    """
    pieces = [f'<output step="{step}">\n', without_marks(result.output, FEEDBACK_MARKS)]
    pieces.append(
        "</output>\n" if result.output.endswith("\n") or not result.output else "\n</output>\n"
    )
    if result.error:
        pieces.append(f"<error>\n{without_marks(result.error, FEEDBACK_MARKS)}\n</error>\n")
    rejections = [
        one.message for one in judged if not one.accepted and one.message not in result.error
    ]
    if rejections:
        pieces.append("<gates>\n" + "\n".join(rejections) + "\n</gates>\n")
    return (*pieces, *notes_block(notes))
