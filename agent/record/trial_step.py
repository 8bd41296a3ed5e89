"""Everything that happened in one step of a trial, built from the step's events.

In a step, the solver gets a reply of its model, and carries it out: it makes calls, and may
submit an answer. A running trial and a reader of its journal both add the events one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallApproval,
    CallEvent,
    CallRecord,
    CallStopped,
    Citation,
    CitationAnswered,
    Event,
    Judged,
    ModelReplied,
    ScriptMeasured,
    StepDone,
    SubmissionJudged,
    TrialStarted,
)
from controlplane.agent.model import SIDE_ROLES
from controlplane.agent.record.step_calls import StepCalls

Entry = TypeVar("Entry")


@dataclass(slots=True)
class TrialStep:
    """Everything that happened in one step of a trial: a list for each kind of event, in order.

    In a step, the solver gets a reply of its model, and carries it out: it makes calls, and may
    submit an answer. A running trial and a reader of its journal both add the events.
    """

    number: int = 0
    """The step's number in the trial, from 1; 0 while the initial prompt is prepared."""
    replies: list[ModelReplied] = field(default_factory=list)
    """The replies to the solver, without those to a grader or a second reader (`SideReply`)."""
    step_calls: StepCalls = field(default_factory=StepCalls)
    """The calls that were sent or refused. Read them from `calls`."""
    stopped: list[CallStopped] = field(default_factory=list)
    """The calls that a check stopped before they were sent, and what happened to them later.

    They are not among `calls`. Each has the `number` that the next sent call gets:

        write("/a.md")     sent      number 0
        delete("/b.md")    stopped   number 1
        delete("/c.md")    stopped   number 1
        read("/d.md")      sent      number 1
    """
    approvals: list[CallApproval] = field(default_factory=list)
    """The user's decisions about calls."""
    citations: list[Citation] = field(default_factory=list)
    """The requests to cite a path, with their answers."""
    submissions: list[Judged] = field(default_factory=list)
    """The submissions with the verdicts of the gates."""
    sent_answers: list[AnswerSent] = field(default_factory=list)
    """The answers that were sent while the step's script ran."""
    answer_results: list[AnswerDone] = field(default_factory=list)
    """Whether the environment took each of `sent_answers`. The last may be missing."""
    measured: ScriptMeasured | None = None
    """How much memory the script used; None if that is unknown, or without a script."""
    done: StepDone | None = None
    """The summary of the step; None while the step runs, or if it was cut off."""

    def add(self, event: Event) -> None:
        """Add an event of the step. Raises `ValueError` if the outcome of a call fits no call.

        A trial that was cut off within the step repeats the step in its next attempt, which may
        record a reply, call, citation or submission again. Of the calls 0, 1 and 2, a new call 1
        replaces the last two. Other events are never recorded twice, so they are appended.
        """
        match event:
            case CallEvent():
                self.step_calls.add(event)
            case CallStopped():
                self.stopped.append(event)
            case CallApproval():
                self.approvals.append(event)
            case ModelReplied() if event.role not in SIDE_ROLES:
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
                self.answer_results.append(event)
            case _:
                pass  # The event adds nothing to a step.

    def begin_attempt(self, started: TrialStarted) -> None:
        """Drop the calls of this step that a new attempt of the trial makes again.

        The attempt may begin in this step, with its third call: `started.step` is the number of
        the step, and `started.number` is 2. The calls from there on are dropped. So are calls
        that wait for one before them: if the outcomes of 0, 1 and 3 are recorded, then 3.
        """
        if started.step == self.number:
            self.step_calls.drop_from(started.number)
        self.step_calls.drop_waiting()

    def end(self, done: StepDone) -> None:
        """Complete the step with its summary, `done`.

        Usually each call, citation and submission had an event of its own before. Only if none
        had one, they are taken from the summary, which may have them, too.
        """
        if not self.calls:
            self.step_calls = StepCalls(list(done.calls))
        if not self.citations:
            self.citations = list(done.citations)
        if not self.submissions:
            self.submissions = list(done.verdicts)
        self.done = done

    @property
    def calls(self) -> list[CallRecord]:
        """The calls that were sent or refused. A call under way has no outcome yet."""
        return self.step_calls.in_order

    @property
    def summary(self) -> StepDone:
        """The summary of the step. Raises `ValueError` if the step is not done."""
        if self.done is None:
            msg = f"step {self.number} is not done"
            raise ValueError(msg)
        return self.done

    @property
    def solve_reply(self) -> ModelReplied:
        """The reply that the step carries out. Raises `ValueError` if there is none."""
        for reply in self.replies:
            if reply.role == "solve":
                return reply
        msg = f"step {self.number} has no reply in the role solve"
        raise ValueError(msg)


def _replace_from(entries: list[Entry], number: int, entry: Entry) -> None:
    """Put an entry at its number. It replaces the entries from there on, of an earlier attempt."""
    del entries[number:]
    entries.append(entry)
