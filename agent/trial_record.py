"""What happened in a step, and in a whole trial, put together from the events.

A trial that runs and a reader of its journal use the same types: both add event by event to a `TrialStep`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from controlplane.agent.events import (
    NOT_DONE,
    AnswerDone,
    AnswerSent,
    CallApproval,
    CallEvent,
    CallRecord,
    CallStopped,
    Citation,
    CitationAnswered,
    ConversationOpened,
    Event,
    Judged,
    ModelReplied,
    SaidMessage,
    ScriptMeasured,
    StepDone,
    SubmissionJudged,
    TrialStarted,
)
from controlplane.agent.model import ASIDE_ROLES, Usage

Entry = TypeVar("Entry")


@dataclass(slots=True)
class TrialStep:
    """One step: everything that happened in it, by kind, and each kind in its order.

    A step may be done in several attempts. If an attempt is cut off, the next one repeats what the step lacks, so an
    event may come with the number of an earlier one. It then replaces the earlier event and all after it.
    """

    number: int = 0
    """Counts the steps of the trial, from 1; 0 while the initial prompt is prepared."""
    replies: list[ModelReplied] = field(default_factory=list)
    """The replies to the solver; those to side requests are left out."""
    calls: list[CallRecord] = field(default_factory=list)
    """The calls that were sent, or refused. One that is under way is here without its outcome."""
    stopped: list[CallStopped] = field(default_factory=list)
    """The calls that a check stopped before they were sent, and what became of them."""
    approvals: list[CallApproval] = field(default_factory=list)
    """What the user decided about calls."""
    citations: list[Citation] = field(default_factory=list)
    """The requests to cite a path, with their answers."""
    submissions: list[Judged] = field(default_factory=list)
    """The submissions with the verdicts of the gates."""
    sent_answers: list[AnswerSent] = field(default_factory=list)
    """The answers that were sent while the step's script ran."""
    answers: list[AnswerDone] = field(default_factory=list)
    """For each of these, whether the environment took it; the last one may be missing."""
    measured: ScriptMeasured | None = None
    """What its script's process took; None if that is not known, or if there was no script."""
    done: StepDone | None = None
    """The whole step as its solver summed it up; None while it is under way, or if it was cut off."""
    _early_calls: dict[int, CallRecord] = field(default_factory=dict)
    """By number, calls that have returned before an earlier one. They join `calls` when that one has returned."""

    def add(self, event: Event) -> None:
        """Add an event of the step. Raises `ValueError` for the outcome of another call than the announced one."""
        match event:
            case CallEvent():
                self._add_call(event)
            case CallStopped():
                self.stopped.append(event)
            case CallApproval():
                self.approvals.append(event)
            case ModelReplied() if event.role not in ASIDE_ROLES:
                _replace_from(self.replies, event.number, event)
            case ScriptMeasured():
                self.measured = event
            case CitationAnswered():
                _replace_from(self.citations, event.number, event.citation)
            case SubmissionJudged():
                _replace_from(self.submissions, event.number, event.judged)
            case AnswerSent() if not event.late:
                self.sent_answers.append(event)
            case AnswerDone() if not event.late:
                self.answers.append(event)
            case _:
                pass  # The event adds nothing to a step.

    def _add_call(self, event: CallEvent) -> None:
        """Add a call, or the outcome of one that is in `calls` already."""
        if event.is_announcement:
            _replace_from(self.calls, event.number, event.call)
        elif event.was_announced:
            self._add_outcome(event)
        else:
            self._add_read(event)

    def _add_outcome(self, event: CallEvent) -> None:
        """Add the outcome of an announced call, if the announcement is here. Raises `ValueError` if it is of another
        call."""
        if event.number >= len(self.calls):
            return
        announced_call = self.calls[event.number]
        if announced_call.request != event.request:
            msg = "it has the outcome of another call than the announced one"
            raise ValueError(msg)
        self.calls[event.number] = event.call

    def _add_read(self, event: CallEvent) -> None:
        """Add a call that only reads, which has one event, with its outcome.

        Such calls are made side by side, so one may return before an earlier one.
        """
        self._early_calls[event.number] = event.call
        if event.number <= len(self.calls):
            del self.calls[event.number :]
        while len(self.calls) in self._early_calls:
            next_call = self._early_calls.pop(len(self.calls))
            self.calls.append(next_call)

    def begin_attempt(self, started: TrialStarted) -> None:
        """Drop the calls of this step that the attempt that starts now makes again."""
        if started.step == self.number:
            del self.calls[started.number :]
        self._early_calls.clear()

    def end(self, done: StepDone) -> None:
        """Make the step whole.

        Calls, citations and submissions are taken from `done` if they have no events of their own.
        """
        self.number = done.step
        self.calls = self.calls or list(done.calls)
        self.citations = self.citations or list(done.citations)
        self.submissions = self.submissions or list(done.verdicts)
        self.done = done

    @property
    def summary(self) -> StepDone:
        """The step as its solver summed it up. Raises `ValueError` for a step that is not done."""
        if self.done is None:
            msg = f"step {self.number} is not done"
            raise ValueError(msg)
        return self.done

    @property
    def is_empty(self) -> bool:
        """True if nothing has happened in the step."""
        return not (
            self.replies
            or self.calls
            or self.stopped
            or self.approvals
            or self.citations
            or self.submissions
        )

    @property
    def solve_reply(self) -> ModelReplied:
        """The reply that the step acts on. Raises `ValueError` if there is none."""
        for reply in self.replies:
            if reply.role == "solve":
                return reply
        msg = f"step {self.number} has no reply in the role solve"
        raise ValueError(msg)

    @property
    def inner_calls(self) -> dict[int, list[CallRecord]]:
        """By the number of a function's call, the calls that the function made."""
        inner: dict[int, list[CallRecord]] = {}
        for call in self.calls:
            if call.outer is not None:
                inner.setdefault(call.outer, []).append(call)
        return inner

    @property
    def reply_fields(self) -> dict[str, Any]:
        """The fields of `StepDone` that its replies fill: `reply`, `usage` and `cost_usd`.

        The reply is the last one in the role `solve`, or the last one if none has that role. Usage and cost are summed
        over all.
        """
        texts = [reply.reply for reply in self.replies if reply.role == "solve"]
        if not texts:
            texts = [reply.reply for reply in self.replies]
        counts: dict[str, int] = {}
        for name in Usage.model_fields:
            counts[name] = sum(getattr(reply.usage, name) for reply in self.replies)
        # This field is a flag, which is set if it is set in any reply.
        is_estimated = bool(counts.pop("estimated"))
        costs = [reply.cost_usd for reply in self.replies if reply.cost_usd is not None]
        return {
            "reply": texts[-1] if texts else "",
            "usage": Usage(estimated=is_estimated, **counts),
            "cost_usd": sum(costs) if costs else None,
        }


def _replace_from(entries: list[Entry], number: int, entry: Entry) -> None:
    """Put an entry at its number; drop the earlier ones from there on, which a cut-off attempt has left."""
    del entries[number:]
    entries.append(entry)


@dataclass(slots=True)
class SideReply:
    """A reply that was not for the solver: the benchmark or the second reader asked for it."""

    texts: tuple[SaidMessage, ...]
    """The messages of the request."""
    replied: ModelReplied


@dataclass(slots=True)
class TrialRecord:
    """What a journal holds of a trial: enough to resume it, and to run it again."""

    started: TrialStarted | None = None
    """The first start of the trial; None if no attempt has started it."""
    initial_prompt: ConversationOpened | None = None
    """None if the trial did not get that far."""
    whole_steps: list[TrialStep] = field(default_factory=list)
    """The steps that were recorded to their end."""
    open_step: TrialStep = field(default_factory=TrialStep)
    """The step that was cut off, as far as it is recorded; empty, with the number 0, if none was."""
    side_replies: list[SideReply] = field(default_factory=list)
    paid_replies: list[ModelReplied] = field(default_factory=list)
    """All replies of models: those of the steps, side replies, and those that could not be used."""
    notices: list[str] = field(default_factory=list)
    """What was worth knowing, without the retries of requests."""
    answer: AnswerSent | None = None
    """An answer that was sent; whether it arrived may be unknown."""

    @property
    def has_begun(self) -> bool:
        """True if an earlier attempt has started the trial."""
        return self.started is not None

    @property
    def is_resumed(self) -> bool:
        """True if an earlier attempt opened the conversation."""
        return self.initial_prompt is not None

    @property
    def now(self) -> datetime | None:
        """The clock that the trial's scripts saw at the start; None if they had none."""
        if self.started is None or not self.started.now:
            return None
        return datetime.fromisoformat(self.started.now)

    @property
    def origin(self) -> str:
        """The trial from which it was forked; empty if it was not forked."""
        return self.started.origin if self.started else ""

    @property
    def used_s(self) -> float:
        """Seconds that the trial had used at the end of the last whole step."""
        if not self.steps:
            return 0.0
        return self.steps[-1].used_ms / 1000

    @property
    def instruction(self) -> str:
        """The instruction with which the trial began; empty if no attempt has started it."""
        return "" if self.started is None else self.started.instruction

    def has_other_instruction(self, instruction: str) -> bool:
        """Return True if the trial began with another instruction than this one."""
        return self.started is not None and self.started.instruction != instruction

    @property
    def all_calls(self) -> Iterator[CallRecord]:
        """The calls in order: those of the initial prompt, and of each step.

        If the initial prompt was cut off, its calls are left out: they are made anew with it.
        """
        if self.initial_prompt is not None:
            yield from self.initial_prompt.calls
        for step in self.all_steps:
            yield from step.calls

    @property
    def all_steps(self) -> Iterator[TrialStep]:
        """The whole steps, and the one that was cut off."""
        yield from self.whole_steps
        if self.pending is not None:
            yield self.pending

    @property
    def stopped(self) -> dict[int, list[CallStopped]]:
        """By step, the calls that were stopped before they were sent."""
        stopped: dict[int, list[CallStopped]] = {}
        for step in self.all_steps:
            for event in step.stopped:
                if event.then == NOT_DONE:
                    stopped.setdefault(step.number, []).append(event)
        return stopped

    @property
    def approvals(self) -> dict[int, list[CallApproval]]:
        """By step, what the user decided about calls, in order."""
        approvals: dict[int, list[CallApproval]] = {}
        for step in self.all_steps:
            if step.approvals:
                approvals[step.number] = step.approvals
        return approvals

    @property
    def peak_memory_bytes(self) -> dict[int, int]:
        """By step, the most memory that the script's process had taken by the end of the step, where that is known."""
        peaks: dict[int, int] = {}
        for step in self.all_steps:
            if step.measured is not None:
                peaks[step.number] = step.measured.peak_memory_bytes
        return peaks

    @property
    def steps(self) -> list[StepDone]:
        """The whole steps as their solver summed them up."""
        return [step.done for step in self.whole_steps if step.done is not None]

    @property
    def pending(self) -> TrialStep | None:
        """The step that was cut off; None if nothing of it is recorded."""
        return self.open_step if self.open_step.number else None

    @property
    def is_solved(self) -> bool:
        """True if an answer was sent and its step is whole: nothing is left but to have it taken."""
        if self.answer is None:
            return False
        return self.answer.late or self.pending is None
