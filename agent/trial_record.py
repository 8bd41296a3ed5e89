"""Records of a step and of a whole trial, built from events.

A running trial and a reader of its journal both add the events to a `TrialStep` one by
one. An attempt is one run of a trial. A trial that was cut off has several: the next
one resumes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """Everything that happened in one step: a list for each kind of event, in order."""

    number: int = 0
    """Counts the steps of the trial, from 1; 0 while the initial prompt is prepared."""
    replies: list[ModelReplied] = field(default_factory=list)
    """The replies to the solver, without replies to side requests (see `SideReply`)."""
    calls: list[CallRecord] = field(default_factory=list)
    """The calls that were sent or refused. A call under way has no outcome yet."""
    stopped: list[CallStopped] = field(default_factory=list)
    """The calls that a check stopped before they were sent, and what happened to them
    later. They are not in `calls`, so each has the number of the next call there."""
    approvals: list[CallApproval] = field(default_factory=list)
    """The user's decisions about calls."""
    citations: list[Citation] = field(default_factory=list)
    """The requests to cite a path, with their answers."""
    submissions: list[Judged] = field(default_factory=list)
    """The submissions with the verdicts of the gates."""
    sent_answers: list[AnswerSent] = field(default_factory=list)
    """The answers that were sent while the step's script ran."""
    answers: list[AnswerDone] = field(default_factory=list)
    """Whether the environment took each sent answer. The last may be missing."""
    measured: ScriptMeasured | None = None
    """The peak memory of its script's process; None if unknown, or without a script."""
    done: StepDone | None = None
    """The summary of the step; None while the step runs, or if it was cut off."""
    _early_calls: dict[int, CallRecord] = field(default_factory=dict)
    """By number, the calls that returned before an earlier call did (see `_add_read`)."""

    def add(self, event: Event) -> None:
        """Add an event of the step.

        If it has the number of an earlier event, an attempt repeats the step from
        there. It then replaces the earlier event and all that follow it.

        Raises `ValueError` if an outcome does not match its announced call.
        """
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
            case AnswerSent() if event.is_part_of_step:
                self.sent_answers.append(event)
            case AnswerDone() if event.is_part_of_step:
                self.answers.append(event)
            case _:
                pass  # The event adds nothing to a step.

    def _add_call(self, event: CallEvent) -> None:
        """Add a call, or the outcome of a call that is already in `calls`.

        A call that may change something has two events: its announcement, and its
        outcome. A call that only reads has one event, with its outcome.
        """
        if event.is_announcement:
            _replace_from(self.calls, event.number, event.call)
        elif event.was_announced:
            self._add_outcome(event)
        else:
            self._add_read(event)

    def _add_outcome(self, event: CallEvent) -> None:
        """Add the outcome of a call that `calls` has without one.

        Raises `ValueError` if the outcome is that of another call.
        """
        if event.number >= len(self.calls):
            return  # The record has no announcement that the outcome could complete.
        announced_call = self.calls[event.number]
        if announced_call.request != event.request:
            msg = "it has the outcome of another call than the announced one"
            raise ValueError(msg)
        self.calls[event.number] = event.call

    def _add_read(self, event: CallEvent) -> None:
        """Add a call that only reads. Such calls run in parallel, and may return in any order.

        With the calls 0 and 1 in `calls`, call 3 waits in `_early_calls` until call 2 is
        added.
        """
        # If `calls` has this number already, a new attempt repeats the step from there.
        del self.calls[event.number :]
        self._early_calls[event.number] = event.call
        self._add_early_calls()

    def _add_early_calls(self) -> None:
        """Add the waiting calls whose turn it is: all earlier calls have been added."""
        next_call = self._early_calls.pop(len(self.calls), None)
        while next_call is not None:
            self.calls.append(next_call)
            next_call = self._early_calls.pop(len(self.calls), None)

    def begin_attempt(self, started: TrialStarted) -> None:
        """Drop the calls of this step that the new attempt will make again."""
        if started.step == self.number:
            del self.calls[started.number :]
        self._early_calls.clear()

    def end(self, done: StepDone) -> None:
        """Complete the step with its summary.

        Calls, citations and submissions usually have events of their own. If they have
        none, they are taken from the summary.
        """
        self.number = done.step
        if not self.calls:
            self.calls = list(done.calls)
        if not self.citations:
            self.citations = list(done.citations)
        if not self.submissions:
            self.submissions = list(done.verdicts)
        self.done = done

    @property
    def summary(self) -> StepDone:
        """The summary of the step. Raises `ValueError` if the step is not done."""
        if self.done is None:
            msg = f"step {self.number} is not done"
            raise ValueError(msg)
        return self.done

    @property
    def is_empty(self) -> bool:
        """True if the step has no reply, call, decision, citation or submission."""
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
        """The reply that the step carries out. Raises `ValueError` if there is none."""
        for reply in self.replies:
            if reply.role == "solve":
                return reply
        msg = f"step {self.number} has no reply in the role solve"
        raise ValueError(msg)

    @property
    def inner_calls(self) -> dict[int, list[CallRecord]]:
        """The calls that functions made, by the number of the function's own call."""
        inner: dict[int, list[CallRecord]] = {}
        for call in self.calls:
            if call.outer is not None:
                inner.setdefault(call.outer, []).append(call)
        return inner

    @property
    def reply_fields(self) -> dict[str, Any]:
        """The fields of `StepDone` that come from the replies: `reply`, `usage` and `cost_usd`."""
        known_costs = [
            reply.cost_usd for reply in self.replies if reply.cost_usd is not None
        ]
        return {
            "reply": self._last_reply,
            "usage": sum_of_usage([reply.usage for reply in self.replies]),
            "cost_usd": sum(known_costs) if known_costs else None,
        }

    @property
    def _last_reply(self) -> str:
        """The last reply in the role `solve`, or the last of all if none has it."""
        solve_replies = [reply for reply in self.replies if reply.role == "solve"]
        replies = solve_replies or self.replies
        return replies[-1].reply if replies else ""


def sum_of_usage(usages: Iterable[Usage]) -> Usage:
    """Return the sums of all counts. They are `estimated` if one of them is."""
    sums = Usage()
    for usage in usages:
        sums = Usage(
            prompt_tokens=sums.prompt_tokens + usage.prompt_tokens,
            completion_tokens=sums.completion_tokens + usage.completion_tokens,
            cached_tokens=sums.cached_tokens + usage.cached_tokens,
            reasoning_tokens=sums.reasoning_tokens + usage.reasoning_tokens,
            estimated=sums.estimated or usage.estimated,
        )
    return sums


def _replace_from(entries: list[Entry], number: int, entry: Entry) -> None:
    """Put an entry at its number. It replaces the entries from there on, of an earlier attempt."""
    del entries[number:]
    entries.append(entry)


@dataclass(slots=True)
class SideReply:
    """A reply to a request of the benchmark or for the second reader, not of the solver."""

    texts: tuple[SaidMessage, ...]
    """The messages of the request."""
    replied: ModelReplied
    """The event with the reply."""


@dataclass(slots=True)
class TrialRecord:
    """The record of a trial in its journal: enough to resume the trial, or to replay it."""

    started: TrialStarted | None = None
    """The first start of the trial; None if no attempt has started it."""
    initial_prompt: ConversationOpened | None = None
    """The initial prompt; None if the trial broke off before it was ready."""
    whole_steps: list[TrialStep] = field(default_factory=list)
    """The steps with a recorded end."""
    open_step: TrialStep = field(default_factory=TrialStep)
    """The step that was cut off. It has the number 0 if no step was cut off."""
    side_replies: list[SideReply] = field(default_factory=list)
    """The replies outside of the solver's conversation, such as to a grader."""
    paid_replies: list[ModelReplied] = field(default_factory=list)
    """All replies of models: replies of the steps,
    side replies, and replies that could not be used."""
    notices: list[str] = field(default_factory=list)
    """The texts of the notices, except notices about retries."""
    answer: AnswerSent | None = None
    """An answer that was sent; whether it arrived may be unknown."""

    @property
    def has_begun(self) -> bool:
        """True if an earlier attempt has started the trial."""
        return self.started is not None

    @property
    def is_resumed(self) -> bool:
        """True if an earlier attempt did more than start: its initial prompt was ready."""
        return self.initial_prompt is not None

    @property
    def now(self) -> datetime | None:
        """The time that the trial's scripts saw at the start; None if they had no clock."""
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
        """The calls in order: the calls of the initial prompt, then of each step.

        If the initial prompt was cut off, its calls
        are left out, because they are made again.
        """
        if self.initial_prompt is not None:
            yield from self.initial_prompt.calls
        for step in self.all_steps:
            yield from step.calls

    @property
    def all_steps(self) -> Iterator[TrialStep]:
        """The completed steps, then the step that was cut off, if there is one."""
        yield from self.whole_steps
        if self.pending is not None:
            yield self.pending

    def submissions_of_step(self, number: int) -> list[Judged]:
        """Return the submissions of a step, which may have been cut off."""
        submissions: list[Judged] = []
        for step in self.all_steps:
            if step.number == number:
                submissions += step.submissions
        return submissions

    def calls_of_whole_step(self, number: int) -> list[CallRecord]:
        """Return the calls of a step with a recorded end; none if it was cut off."""
        calls: list[CallRecord] = []
        for step in self.whole_steps:
            if step.number == number:
                calls += step.calls
        return calls

    @property
    def step_of_answer(self) -> int | None:
        """The number of the step that sent the answer; None if no step did.

        Fallback and late answers belong to no step, since they are sent after the last one.
        """
        for step in self.all_steps:
            was_taken = any(answer.error is None for answer in step.answers)
            if was_taken:
                return step.number

        # The result of the answer may be missing in the record.
        sent = self.answer
        if sent is None or sent.fallback or sent.late:
            return None
        return sent.step

    @property
    def stopped(self) -> dict[int, list[CallStopped]]:
        """By the number of the step, the calls that a check stopped before they were sent."""
        stopped: dict[int, list[CallStopped]] = {}
        for step in self.all_steps:
            # A second event about a call says what happened to it later.
            events = [event for event in step.stopped if event.then == NOT_DONE]
            if events:
                stopped[step.number] = events
        return stopped

    @property
    def approvals(self) -> dict[int, list[CallApproval]]:
        """By the number of the step, the user's decisions about calls, in order."""
        approvals: dict[int, list[CallApproval]] = {}
        for step in self.all_steps:
            if step.approvals:
                approvals[step.number] = step.approvals
        return approvals

    @property
    def peak_memory_bytes(self) -> dict[int, int]:
        """By the number of the step, the peak memory of the script's process so far, if known."""
        peaks: dict[int, int] = {}
        for step in self.all_steps:
            if step.measured is not None:
                peaks[step.number] = step.measured.peak_memory_bytes
        return peaks

    @property
    def steps(self) -> list[StepDone]:
        """The summaries of the completed steps."""
        return [step.done for step in self.whole_steps if step.done is not None]

    @property
    def pending(self) -> TrialStep | None:
        """The step that was cut off; None if nothing of it is recorded."""
        return self.open_step if self.open_step.number else None

    @property
    def is_solved(self) -> bool:
        """True if the solver's work is done: an answer was sent, and its step is complete.

        It may be unknown whether the answer arrived,
        so the next attempt sends it again.
        """
        if self.answer is None:
            return False
        is_sent_after_all_steps = self.answer.late  # Not by a script.
        return is_sent_after_all_steps or self.pending is None
