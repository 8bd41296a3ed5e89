"""Something that happened in a trial, such as a call. Each event is a line of the journal.

Each kind of event is a class with its fields. It derives from one of the bases below, which say
where it happened. Its class attributes tell others how to treat it: `in_totals = True`, for
example, that a run's summary counts it. A line of the class `CallEvent`, a `NumberedEvent`:

    {"at_ms": 1900000000000, "type": "call", "trial_id": "t-3", "step": 2, "number": 0, ...}
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field
from pydantic_core import PydanticUndefined

from controlplane.agent.events.call_record import (
    VARIES_BY_RUN,
    CallFailure,
    CallRecord,
    Data,
    JournalRecord,
    StepEntry,
    Text,
)
from controlplane.agent.model import Capabilities, Count
from controlplane.sandbox.interface import error_codes

# A request to cite a file as a source of the answer, and whether it was allowed.
#
# A file may be cited only if a call of the trial has shown what is in it:
#
#     Citation(path="docs/fees.md", reason="has the fee", spelling="/docs/fees.md")
#     Citation(path="/docs/new.md", reason="has the fee", error="`/docs/new.md` was not read ...")


class Citation(StepEntry):
    """One request to cite a path as a source, and its answer: `spelling`, or `error`."""

    name_in_differences = "citations[{number}]"

    path: Text
    """The path as requested."""
    reason: Text
    """The reason for the citation."""
    spelling: Text = ""
    """The path as the listings spell it, which is cited; empty if the citation was refused."""
    error: Text = ""
    """Why the citation was refused; empty if it was allowed."""
    quote: Text = ""
    """The passage quoted from there; empty without a quotation."""
    line: int = 0
    """The line on which the quotation begins, counted
    from 1; 0 without one, or if that is unknown."""
    after_calls: Count = 0
    """Number of calls that the step made before."""

    @property
    def action(self) -> tuple[str, str, str]:
        """What the script asked to cite."""
        return self.path, self.reason, self.quote


def now_ms() -> int:
    """Return the wall clock in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Event(JournalRecord):
    """One thing that happened. `at_ms` is the wall clock in milliseconds since the epoch."""

    in_totals: ClassVar[bool] = False
    """True if the summary of a run counts the event, such as a reply and its cost."""
    compared_by_replay: ClassVar[tuple[str, ...]] = ()
    """The fields that a replay computes again, and compares with the journal. If somebody changes
    another field of a journal, it shows only if the journal is signed."""

    at_ms: Annotated[Count, VARIES_BY_RUN] = Field(default_factory=now_ms)
    type: str


class TrialEvent(Event):
    """Something that happened in one trial."""

    trial_id: str


class StepEvent(TrialEvent):
    """Something that happened in one step of a trial."""

    in_step_record: ClassVar[bool] = False
    """True if the record of the step, `TrialStep`, keeps the event itself (see `entry`)."""

    step: Count
    """Counts the steps of the trial, from 1; 0 while the initial prompt is prepared."""

    @property
    def is_part_of_step(self) -> bool:
        """True unless it happened after the step had ended, as an answer that is sent late."""
        return True

    @property
    def entry(self) -> JournalRecord | None:
        """What the record of the step, `TrialStep`, keeps of the event; None if it keeps nothing.

        A resumed trial reads this record, and so do the pages that show a trial.
        """
        return self if self.in_step_record and self.is_part_of_step else None

    @property
    def position(self) -> int | None:
        """The place of the entry among those of its class, if the event has its number.

        If the process of a trial is killed within a step, the next one does the step again, and
        may record the entry again. So an entry with a position replaces those from there on. An
        event without one is never recorded twice, so its entry comes last.
        """
        return None


class NumberedEvent(StepEvent):
    """Something that happens several times in a step."""

    number: Count
    """Counts the events of its kind in the step, from 0. For what is decided about a call before it
    is sent, it is the number that the call will have."""


Emit: TypeAlias = Callable[[TrialEvent], None]
"""Takes each event as it happens, for example to write it to the journal."""


# The events of an answer: it is sent to the environment, which takes or refuses it.
#
# The environment may refuse the answer, for example for its form. Then the solver may send another:
#
#     answer_sent   step 3  "7 EUR"
#     answer_done   step 3  error: invalid_argument, "the answer must be a number"
#     answer_sent   step 4  "7"
#     answer_done   step 4  error: null


class AnswerSent(StepEvent):
    """An answer is about to be sent to the environment."""

    in_totals = True  # The summary of a run counts it.
    # A replay computes these fields again, and compares them with the recorded ones.
    compared_by_replay = ("message", "outcome", "refs", "fallback", "failed")
    in_step_record = True

    type: Literal["answer_sent"] = "answer_sent"
    message: Text
    """The answer."""
    outcome: str
    """How the trial ends: `OUTCOME_OK`, or why the task was not done."""
    refs: tuple[Text, ...]
    """The citations."""
    fallback: bool = False
    """True if the trial ended without an answer that the gates accept, so that this one is sent.
    A fallback is always `late`."""
    failed: tuple[str, ...] = ()
    """For a fallback that repeats a rejected submission: the gates and rules that rejected it."""
    late: bool = False
    """True if it is sent at the end of the trial, after its last step."""
    ended_by_environment: bool = False
    """True if the environment ended the trial by itself. The answer is then empty."""

    @property
    def is_part_of_step(self) -> bool:
        """True unless it belongs to the end of the trial."""
        return not self.late


class AnswerDone(StepEvent):
    """The environment took the answer, or `error` says why it did not."""

    in_step_record = True

    type: Literal["answer_done"] = "answer_done"
    error: CallFailure | None = None
    """Why it was not taken; null if it was."""
    late: bool = False
    """True if it was sent at the end of the trial."""

    @property
    def is_part_of_step(self) -> bool:
        """True unless it belongs to the end of the trial."""
        return not self.late

    @property
    def is_taken(self) -> bool:
        """True if the environment has an answer: this one, or an earlier one that it has taken."""
        return self.error is None or self.error.code == error_codes.ALREADY_EXISTS


# The event that the user was asked whether a call may be sent.
#
# The model wants to pay, and the account stands only in a mail, whose author may lie:
#
#     call_approval  number 2  pay(account="DE12")  answer: refused


class CallApproval(StepEntry, NumberedEvent):
    """The user was asked whether a call may be sent that has a value only from running text."""

    in_totals = True  # The summary of a run counts it.
    # If a trial is resumed within a step, it relives the step. Its new question is then compared
    # by `action` and `compared`. A message about a difference has this name:
    name_in_differences = "approvals"
    # A *replay* tests this program by a whole trial. It compares these fields, but takes the
    # answer from the journal.
    compared_by_replay = ("operation", "arguments", "text")
    in_step_record = True

    type: Literal["call_approval"] = "call_approval"
    number: Count
    """The number that the call has in its step once it is sent: 2 after the calls 0 and 1."""
    operation: str
    """The name of the operation."""
    arguments: Data
    """Its arguments by name."""
    text: Text
    """What the user was shown."""
    answer: Literal["approved", "refused", "unasked"]
    """What the user decided; `unasked` if nobody could be asked, so that the call is not sent."""

    @property
    def action(self) -> tuple[str, Data]:
        """The call of the question. If a relived step asks about another call, it fails."""
        return self.operation, self.arguments

    @property
    def compared(self) -> str:
        """The text of the question. If a relived step has another text, this is only noted."""
        return self.text


# The event of a call of the environment, such as `read(path="/docs/a.md")`.
#
# A call that may change something is announced in the journal before it is made, because the
# process may end during the call. The event has the fields of the call (`CallRecord`), and its
# place in the trial, so that its line is flat:
#
#     call  number 0  read(path="/docs/a.md")    state: made, with its result
#     call  number 1  write(path="/b.md", ...)   state: under_way
#     call  number 1  write(path="/b.md", ...)   state: made, with its result


class CallEvent(CallRecord, NumberedEvent):
    """A call is about to be made (`under_way`), or has an outcome.

    A call that only reads has one line in the journal, with its outcome. Any other call has
    a line before it is made, and one with its outcome, which has the request, too. If the
    second line is missing, the call may have happened.
    """

    compared_by_replay = (
        "operation",
        "arguments",
        "in_verify",
    )  # A replay computes them.
    in_step_record = True

    type: Literal["call"] = "call"
    number: Count
    """The call's number in its step, from 0."""
    was_announced: bool = False
    """True if an earlier line says that it was about to be made."""

    @property
    def call(self) -> CallRecord:
        """The call without its place in the trial."""
        fields = {name: getattr(self, name) for name in CallRecord.model_fields}
        # The event has validated them, so `model_construct` need not do it again.
        return CallRecord.model_construct(**fields)


# The event that a call was stopped before it was sent, and what became of it.
#
# A check of the environment, for example, may object to a call that changes something. The solver
# reads why, and may make the call once more. Here the third call of a step is stopped:
#
#     call_stopped  number 2  delete(path="/a.md")  objection: is of last year
#     call_stopped  number 2  delete(path="/a.md")  then: repeated and sent
#     call          number 2  delete(path="/a.md")  state: made

# What became of a stopped call: values of `CallStopped.then`.
NOT_DONE: Final = "not done"
"""No later call did it."""
DONE_ALL_THE_SAME: Final = "repeated and sent"
"""The solver made the same call again, and it was sent."""
DONE_OTHERWISE: Final = "done otherwise"
"""A later call with the same operation and path, but other arguments, was sent."""


class CallStopped(StepEntry, NumberedEvent):
    """A call was stopped before it was sent; or, in a second event, its *outcome*.

    The solver is told why. If it makes the same call again, the call is sent, except if
    `--provenance` is `block`, `strict` or `approve`. If the same call or a similar one is sent
    later, the second event is written.
    """

    # How a message names the event, if a relived step does not stop the call that was recorded.
    name_in_differences = "stopped"
    in_totals = True  # The summary of a run counts it.
    # A replay computes these fields again, and compares them with the recorded ones.
    compared_by_replay = ("operation", "arguments", "objection", "by", "then")
    in_step_record = True

    type: Literal["call_stopped"] = "call_stopped"
    number: Count
    """The number that the stopped call would have had in its step; in an outcome, the number of
    the later call, which was sent."""
    operation: str
    """The name of the operation that was not called."""
    arguments: Data
    """Its arguments by name."""
    objection: Text = ""
    """What speaks against the call, as the solver was told; empty in an outcome."""
    by: Literal["check", "provenance"] = "check"
    """What stopped it: the environment's check, or the rule on where arguments come from."""
    then: str = NOT_DONE
    """Only an outcome has another value than `not done`: `repeated and sent`, or `done otherwise`,
    by another call with the same operation and path."""

    @property
    def is_outcome(self) -> bool:
        """True if it says what became of a call that an earlier event says was stopped."""
        return self.then != NOT_DONE

    @property
    def action(self) -> tuple[int, str, str, Data, str]:
        """Which call was stopped by which check, or what became of it."""
        return self.number, self.by, self.operation, self.arguments, self.then

    @property
    def compared(self) -> str | None:
        """The objection; None if there is none. Of an outcome, what became of the call."""
        if self.is_outcome:
            return self.then
        return self.objection or None


# Finds the classes of all events: `CallEvent`, `StepDone` and so on.
#
# The reader of a journal needs the class of each line. The reference and the JSON schema of the
# journal list them all:
#
#     event_classes()         -> [ModelAsked, ModelReplied, CallEvent, ...]
#     type_of(CallEvent)      -> "call", as in the line {"type": "call", ...}
#
# Only classes whose modules are imported are found. Import `controlplane.journal.run_events` to
# have all.


def event_classes(base: type[Event] = Event) -> list[type[Event]]:
    """Return the class of every event that the imported modules declare, such as `TrialStarted`.

    Classes without a type of their own, such as `StepEvent`, are only bases of others.
    """
    classes: list[type[Event]] = []
    for kind in base.__subclasses__():
        if kind.model_fields["type"].default is not PydanticUndefined:
            classes.append(kind)
        classes += event_classes(kind)
    return classes


def type_of(kind: type[Event]) -> str:
    """Return the name that an event has in the journal."""
    return str(kind.model_fields["type"].default)


# The events that the user may want to know of, beside the work on the trial.
#
# They tell those who watch a run, or read its journal, why it waits, for example:
#
#     endpoint_learned   the endpoint does not take `seed`
#     notice             the endpoint is busy; asking again in 0.7 s (try 2)
#     call_output        a command that still runs has printed "42 files"


class EndpointLearned(TrialEvent):
    """The endpoint refused a part of a request, such as `seed`.

    Requests in the rest of the run leave this part out.
    """

    in_totals = True  # The summary of a run counts it.

    type: Literal["endpoint_learned"] = "endpoint_learned"
    capabilities: Capabilities
    """All that is known of which parts of requests the endpoint takes."""


class Noticed(TrialEvent):
    """Something that the user may want to know: a retry, a pause, a sandbox that was restarted."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["notice"] = "notice"
    text: Text
    """What happened, in one line."""
    retry: bool = False
    """True if a request to a model failed for a moment, and is sent again."""


class CallOutput(TrialEvent):
    """What a call prints while it still runs, such as a command in a container.

    It is for those who watch; the result of the call has the whole output.
    """

    in_totals = True  # The summary of a run counts it.

    type: Literal["call_output"] = "call_output"
    text: str
    """The end of what it has printed so far."""


# The events of a script, the Python code with which a model acts.
#
# They record the citations that it makes, and the memory that its process took.


class ScriptMeasured(StepEvent):
    """A step's script has ended, and the memory of its process was measured.

    The scripts of a trial share one process, until one of them fills its memory or does not end: the
    next script then has a new one.
    """

    in_step_record = True

    type: Literal["script_measured"] = "script_measured"
    peak_memory_bytes: Annotated[Count, VARIES_BY_RUN]
    """The most memory that the process had taken by the end of the step."""


class CitationAnswered(NumberedEvent):
    """A script has cited a file as a source of its answer, which was allowed or refused."""

    # A replay runs the script again, which cites the file again.
    compared_by_replay = ("citation",)

    type: Literal["citation"] = "citation"
    citation: Citation
    """The file that the script wants to cite, and how it is cited or why it is refused."""

    @property
    def entry(self) -> Citation:
        """The citation."""
        return self.citation

    @property
    def position(self) -> int:
        """The number, which counts the citations of the step."""
        return self.number


# The event that a trial has begun, or goes on after its process was killed.
#
# A trial is one try at a task. Each process that works on it is an *attempt*. Here the first one
# was killed during call 2 of step 3, with which the next one begins:
#
#     trial_started  step 0  number 0
#     trial_started  step 3  number 2


def _time_or_empty(text: str) -> str:
    """Return a text that is empty or a time in ISO 8601. Raises `ValueError` for any other text."""
    if text:
        datetime.fromisoformat(text)
    return text


class TrialStarted(TrialEvent):
    """A trial has begun, or goes on after an interruption: each attempt at it has one."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["trial_started"] = "trial_started"
    task_id: str
    """The task that the trial is a try at."""
    instruction: Text
    """The task's text."""
    now: Annotated[str, AfterValidator(_time_or_empty)]
    """The time that the trial's scripts see, ISO 8601; empty if they have no clock."""
    tool_schema: Text
    """The operations that the trial's environment declares, as JSON text."""
    origin: str = ""
    """The id of the trial from which this one was forked: its scripts draw the same random
    numbers. Empty if it is not a fork."""
    step: Count = 0
    """The step with which a later attempt continues the trial; 0 for the first attempt."""
    number: Count = 0
    """The first call of that step that a later attempt has to make, counted from 0. The calls
    before it are in the journal."""
    begins_anew: bool = False
    """True if the environment was lost, so that the trial begins again.
    What was recorded before no longer counts as its work."""
