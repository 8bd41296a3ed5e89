"""Everything that happened in one step of a trial, by class: its calls, citations, submissions ...

In a step, the solver gets a reply of its model, and carries it out: it makes calls, and may
submit an answer. A running trial adds these entries itself. For a reader of its journal, `add`
does so: of a `CitationAnswered`, it adds the `Citation` (see `StepEvent.entry`).

    step.entries_of(Citation)    the citations of the step, in order
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args

from controlplane.agent.events import (
    IN_OWN_LINES,
    AnswerDone,
    CallApproval,
    CallEvent,
    CallRecord,
    CallStopped,
    Citation,
    Event,
    JournalRecord,
    Judged,
    ModelReplied,
    ScriptMeasured,
    StepDone,
    StepEvent,
    TrialStarted,
    fields_marked,
)
from controlplane.agent.model import Usage

Entry = TypeVar("Entry", bound=JournalRecord)


@functools.cache
def entry_fields(kind: type[Event]) -> dict[str, type[JournalRecord]]:
    """Return the fields of an event whose entries have lines of their own, with their classes.

    entry_fields(StepDone)   -> {"calls": CallRecord, "citations": Citation, "verdicts": Judged}
    """
    fields: dict[str, type[JournalRecord]] = {}
    for name in fields_marked(kind, IN_OWN_LINES):
        # `tuple[CallRecord, ...]`
        fields[name] = get_args(kind.model_fields[name].annotation)[0]
    return fields


# Tells the calls of a solver from *inner* calls: those that functions of a benchmark make.
#
# A script calls the function `total_fee()`, and the function reads two files. A step has all calls
# in one list, in which an inner call has the number of its function's call in `outer`:
#
#     0  total_fee()                    a call of the solver
#     1  read("/a.md")    outer 0       an inner call
#     2  read("/b.md")    outer 0       an inner call
#     3  read("/c.md")                  a call of the solver


def calls_by_function(calls: Iterable[CallRecord]) -> dict[int, list[CallRecord]]:
    """Return the inner calls of a step, by the number of their function's call.

    For the calls above: {0: [read("/a.md"), read("/b.md")]}
    """
    inner_calls: dict[int, list[CallRecord]] = {}
    for call in calls:
        if call.outer is not None:
            inner_calls.setdefault(call.outer, []).append(call)
    return inner_calls


@dataclass(slots=True)
class TrialStep:
    """Everything that happened in one step of a trial."""

    number: int = 0
    """The step's number in the trial, from 1; 0 while the initial prompt is prepared."""
    done: StepDone | None = None
    """The summary of the step; None while the step runs, or if it was interrupted."""
    _entries: dict[type[JournalRecord], list[Any]] = field(default_factory=dict)
    """What happened, by class, in order."""
    _waiting_calls: dict[int, CallRecord] = field(default_factory=dict)
    """The calls after a gap, by number: call 2 waits for 0 and 1."""

    def entries_of(self, kind: type[Entry]) -> list[Entry]:
        """Return the entries of a class, such as `Citation`, to which others may be added."""
        return self._entries.setdefault(kind, [])

    @property
    def replies(self) -> list[ModelReplied]:
        """The replies to the solver, without those to a grader or a second reader (`SideReply`)."""
        return self.entries_of(ModelReplied)

    @property
    def calls(self) -> list[CallRecord]:
        """The calls that were sent or refused. A call under way has no outcome yet."""
        return self.entries_of(CallRecord)

    @property
    def stopped(self) -> list[CallStopped]:
        """The calls that a check stopped, which are not among `calls`, and what became of them.

        One that was stopped after `calls[0]` has the `number` 1.
        """
        return self.entries_of(CallStopped)

    @property
    def held(self) -> list[CallStopped]:
        """The calls that a check stopped, one event for each, without what became of them."""
        return [event for event in self.stopped if not event.is_outcome]

    @property
    def approvals(self) -> list[CallApproval]:
        """The user's decisions about calls."""
        return self.entries_of(CallApproval)

    @property
    def citations(self) -> list[Citation]:
        """The requests to cite a path, with their answers."""
        return self.entries_of(Citation)

    @property
    def submissions(self) -> list[Judged]:
        """The answers that were handed in, with the verdicts of the gates on them."""
        return self.entries_of(Judged)

    @property
    def answer_results(self) -> list[AnswerDone]:
        """Whether the environment took each answer that was sent. The last may be missing."""
        return self.entries_of(AnswerDone)

    @property
    def peak_memory_bytes(self) -> int | None:
        """How much memory the script used; None if that is unknown, or without a script."""
        measured = self.entries_of(ScriptMeasured)
        return measured[-1].peak_memory_bytes if measured else None

    @property
    def summary(self) -> StepDone:
        """The summary of the step. Raises `ValueError` if the step is not done."""
        if self.done is None:
            msg = f"step {self.number} is not done"
            raise ValueError(msg)
        return self.done

    @property
    def solver_reply(self) -> ModelReplied | None:
        """The reply that the step carries out; None if the solver's model was not asked in it."""
        for reply in self.replies:
            if reply.role == "solve":
                return reply
        return None

    @property
    def solve_reply(self) -> ModelReplied:
        """The reply that the step carries out. Raises `ValueError` if there is none."""
        reply = self.solver_reply
        if reply is None:
            msg = f"step {self.number} has no reply in the role solve"
            raise ValueError(msg)
        return reply

    # The fields of the step's summary, `StepDone`, that come from its entries.

    @property
    def summary_fields(self) -> dict[str, Any]:
        """The fields of the summary that come from entries: replies, calls and so on."""
        fields = self.reply_fields
        for name, kind in entry_fields(StepDone).items():
            fields[name] = tuple(self.entries_of(kind))
        return fields

    @property
    def reply_fields(self) -> dict[str, Any]:
        """Those that come from the replies: the text of the last one, and the cost of all.

        {"reply": "...", "usage": Usage(prompt_tokens=900), "cost_usd": 0.02}

        A step usually has one reply, which it carries out. If a solver also asks other models,
        there are several. The text is that of the last one in the role `solve`, if any. The cost
        is None if it is known of none.
        """
        text = ""
        usage = Usage()
        cost_usd = None
        for reply in self.replies:
            if reply.role == "solve" or self.solver_reply is None:
                text = reply.reply
            usage = usage.plus(reply.usage)
            if reply.cost_usd is not None:
                cost_usd = (cost_usd or 0) + reply.cost_usd
        return {"reply": text, "usage": usage, "cost_usd": cost_usd}

    def add(self, event: StepEvent) -> None:
        """Add the entry of an event. Raises `ValueError` if the outcome of a call fits no call."""
        if isinstance(event, CallEvent):
            self._add_call_event(event)
            return
        entry = event.entry
        if entry is None:
            return
        entries = self.entries_of(type(entry))
        if event.position is not None:
            del entries[event.position :]  # They are of an earlier attempt.
        entries.append(entry)

    # The calls in order, built from their events, which may come in another order.
    #
    # A call that only reads has one event, with its outcome. A call that may change something has
    # two: it is *announced*, before it is sent, and its outcome follows. Calls may run side by
    # side, so that call 1, which changes something, is announced before call 0 has its outcome:
    #
    #     event            calls in order   waiting
    #     announced 1      none             1, as call 0 is missing
    #     outcome of 0     0, 1             none
    #     outcome of 1     0, 1             none (call 1 has its outcome now)

    def _add_call_event(self, event: CallEvent) -> None:
        """Add a call, or the outcome of an announced one.

        Raises `ValueError` if the outcome is that of another call.
        """
        calls = self.calls
        if not event.was_announced:
            del calls[event.number :]  # They are of an earlier attempt.
            self._waiting_calls[event.number] = event.call
            # If the call is the next one, add it, and then those that have waited for it.
            while len(calls) in self._waiting_calls:
                calls.append(self._waiting_calls.pop(len(calls)))
            return
        if event.number >= len(calls):
            return  # The journal lacks the announcement, or a new attempt has dropped it.
        if calls[event.number].action != event.action:
            msg = "it has the outcome of another call than the announced one"
            raise ValueError(msg)
        calls[event.number] = event.call

    def begin_attempt(self, started: TrialStarted) -> None:
        """Drop the calls of the unfinished step that a new attempt at the trial makes again.

        The first event of the attempt says at which call of which step it goes on. Of the calls
        0 to 3 of step 3, `TrialStarted(step=3, number=2)` leaves 0 and 1.

        Calls that are sent side by side may be recorded with a gap. If there are 0, 1 and 3, call
        3 waits until 2 is recorded. Since 2 is made again, 3 is, too.
        """
        if started.step == self.number:
            del self.calls[started.number :]
        self._waiting_calls.clear()

    def with_calls_until(self, number: int) -> TrialStep:
        """Return a copy of the step with its calls up to this one, which is left out."""
        entries = dict(self._entries)
        entries[CallRecord] = self.calls[:number]
        return TrialStep(self.number, self.done, entries)

    def complete(self, done: StepDone) -> None:
        """Complete a step that is read from a journal with its summary.

        Most journals have an event for each call, citation and submission of the step. Others
        have them only in the summary, from which they are taken then.
        """
        for name, kind in entry_fields(StepDone).items():
            entries = self.entries_of(kind)
            if not entries:
                entries += getattr(done, name)
        self.done = done
