"""Everything that happened in one step of a trial: a list for each kind of event, in order.

In a step, the solver gets a reply of its model, and carries it out: it makes calls, and may
submit an answer. A running trial fills the lists itself. For a reader of its journal,
`add_event` does so: of a `CitationAnswered`, it adds the `Citation` to `citations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

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
from controlplane.agent.model import SIDE_ROLES, Usage
from controlplane.agent.record.step_calls import StepCalls


@dataclass(slots=True)
class TrialStep:
    """Everything that happened in one step of a trial."""

    number: int = 0
    """The step's number in the trial, from 1; 0 while the initial prompt is prepared."""
    replies: list[ModelReplied] = field(default_factory=list)
    """The replies to the solver, without those to a grader or a second reader (`SideReply`)."""
    step_calls: StepCalls = field(default_factory=StepCalls)
    """The calls that were sent or refused, as their events add them. Read them from `calls`."""
    stopped: list[CallStopped] = field(default_factory=list)
    """The calls that a check stopped, which are not among `calls`. One that was stopped after
    `calls[0]` has the `number` 1."""
    approvals: list[CallApproval] = field(default_factory=list)
    """The user's decisions about calls."""
    citations: list[Citation] = field(default_factory=list)
    """The requests to cite a path, with their answers."""
    submissions: list[Judged] = field(default_factory=list)
    """The submissions: answers that were handed in, with the verdicts of the gates on them."""
    sent_answers: list[AnswerSent] = field(default_factory=list)
    """The answers that were then sent to the environment, while the step's script ran."""
    answer_results: list[AnswerDone] = field(default_factory=list)
    """Whether the environment took each of `sent_answers`. The last may be missing."""
    measured: ScriptMeasured | None = None
    """How much memory the script used; None if that is unknown, or without a script."""
    done: StepDone | None = None
    """The summary of the step; None while the step runs, or if it was cut off."""

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


# Ends a step that is read from a journal: with its summary, or where the process was killed.
#
# If the process is killed within step 3, the step has no summary. The next *attempt* at the trial
# goes on in the step, and its first event says at which call. It makes this call and those after it
# again, so their records are dropped. Of the calls 0 to 3 of step 3, these stay:
#
#     TrialStarted(step=3, number=2)   -> calls 0 and 1
#     TrialStarted(step=3, number=1)   -> call 0


def begin_attempt(step: TrialStep, started: TrialStarted) -> None:
    """Drop the calls of the cut-off step that a new attempt at the trial makes again.

    Calls that are sent side by side may be recorded with a gap. If there are 0, 1 and 3, call 3
    waits until 2 is recorded. Since 2 is made again, 3 is, too.
    """
    if started.step == step.number:
        step.step_calls.drop_from(started.number)
    step.step_calls.drop_waiting()


def end_step(step: TrialStep, done: StepDone) -> None:
    """Complete a step with its summary.

    Most journals have an event for each call, citation and submission of the step. Others
    have them only in the summary, from which they are taken then.
    """
    if not step.calls:
        step.step_calls = StepCalls(list(done.calls))
    if not step.citations:
        step.citations = list(done.citations)
    if not step.submissions:
        step.submissions = list(done.verdicts)
    step.done = done


# Adds the events of a journal to the step in which they happened.
#
# A step is one reply of the model, with what it led to. If the process of a trial is killed within a
# step, the next one does the step again, and may record a reply, call, citation or submission of it
# again. So an entry replaces the entries from its number on:
#
#     the step has calls 0, 1, 2; the next process records call 1   -> calls 0, 1
#
# Other events are never recorded twice, so they are appended.

Entry = TypeVar("Entry")


def add_event(step: TrialStep, event: Event) -> None:
    """Add an event to its step. Raises `ValueError` if the outcome of a call fits no call."""
    match event:
        case CallEvent():  # `step_calls` replaces calls by their number, too.
            step.step_calls.add(event)
        case CallStopped():
            step.stopped.append(event)
        case CallApproval():
            step.approvals.append(event)
        # In a side role, a model only grades the trial, for example: its reply is no part of a step.
        case ModelReplied() if event.role not in SIDE_ROLES:
            _replace_from(step.replies, event.number, event)
        case ScriptMeasured():
            step.measured = event
        case CitationAnswered():
            _replace_from(step.citations, event.number, event.citation)
        case SubmissionJudged():
            _replace_from(step.submissions, event.number, event.judged)
        case AnswerSent() if event.is_part_of_step:
            step.sent_answers.append(event)
        case AnswerDone() if event.is_part_of_step:
            step.answer_results.append(event)
        case _:
            pass  # The event adds nothing to a step.


def _replace_from(entries: list[Entry], number: int, entry: Entry) -> None:
    """Put an entry at its number. The entries from there on, of a killed process, are removed."""
    del entries[number:]
    entries.append(entry)


# What the summary of a step says about its replies: the last one, and the cost of all.
#
# A step usually has one reply, which it carries out. If a solver also asks other models, there
# are several.


def reply_fields(replies: Sequence[ModelReplied]) -> dict[str, Any]:
    """Return the fields of a step's summary, `StepDone`, that come from its replies.

    {"reply": "...", "usage": Usage(prompt_tokens=900), "cost_usd": 0.02}

    The cost is None if it is known of none of the replies.
    """
    known_costs = [reply.cost_usd for reply in replies if reply.cost_usd is not None]
    return {
        "reply": _last_reply(replies),
        "usage": _sum_of_usage([reply.usage for reply in replies]),
        "cost_usd": sum(known_costs) if known_costs else None,
    }


def _last_reply(replies: Sequence[ModelReplied]) -> str:
    """Return the text of the last reply in the role `solve`; empty if there is no reply.

    If no reply has this role, it is the last of all.
    """
    solve_replies = [reply for reply in replies if reply.role == "solve"]
    candidates = solve_replies or replies
    return candidates[-1].reply if candidates else ""


def _sum_of_usage(usages: Iterable[Usage]) -> Usage:
    """Return the sums of all counts of tokens. The sum is `estimated` if one of them is."""
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
