"""The step that a trial is at, and its calls, from their beginning to their outcomes.

    planned_call   returns a call before it is made
    StepLog        gives each call its number in the step: a NumberedCall
    LiveCalls      begins a call in the environment: a RunBesideOthers or a RunWhenNeeded
    CallUnderWay   waits for the outcome of a call that was sent
    CallLearner    learns from the outcome
    StoppedCalls   remembers the calls that were not sent, because a check objected

Most calls are made one after the other. Reads may run side by side, or begin early, if the
environment allows it.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    CallFailure,
    CallRecord,
    CallStopped,
)
from controlplane.agent.evidence.environment import Environment, SideBySide
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    ToolSchema,
    argument_notes,
    guarded,
    plain_result,
)
from controlplane.sandbox.interface.messages import KnownCall

# Limits the memory for the arguments of a step's calls.
#
# A script may write a thousand long files in one step. All calls are in the journal, a file.
# In memory a step keeps each call without its result, and, once its arguments have too
# many characters, without its arguments. Those that decide whether the call may change something
# stay: `exec(path="/bin/count")` only reads if the tool does.

_MOST_ARGUMENT_CHARS: Final = 1_000_000
"""How many characters of arguments a step holds in memory.
The arguments of later calls are only in the journal."""
_CHARS_BESIDE_AN_ARGUMENT: Final = 60
"""An estimate of the memory that an argument takes besides its text, in characters."""


class _ArgumentRoom:
    """The room for the arguments of one step's calls.

    kept_part(write of 900,000 characters)   -> the call without its result
    kept_part(write of 900,000 characters)   -> without its arguments, too: they do not fit
    kept_part(read("/a.md"))                 -> the same: the room is used up
    """

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._tool_schema = tool_schema
        self._room_chars = _MOST_ARGUMENT_CHARS
        """How many more characters fit. Once a call does not fit, it is below 0 for good."""

    def kept_part(self, call: CallRecord) -> CallRecord:
        """Return a call without its result, and without long arguments if they do not fit."""
        self._room_chars -= _size_of(call.arguments)
        kept = call
        if call.result:
            kept = kept.changed(result={})  # `changed` returns a copy.
        if self._room_chars < 0:
            kept = kept.changed(
                arguments=self._tool_schema.deciding_arguments(
                    call.operation, call.arguments
                )
            )
        return kept


def _size_of(arguments: Mapping[str, object]) -> int:
    """Return an estimate of the memory that arguments take, in characters."""
    size = 0
    for argument in arguments.values():
        items = argument if isinstance(argument, list) else [argument]
        for item in items:
            size += _CHARS_BESIDE_AN_ARGUMENT
            if isinstance(item, str):
                size += len(item)
    return size


# Adds the outcome of a call to its record: its result or failure, and the time it took.
#
# The code of an environment may raise any exception, and return anything. Here this becomes an
# outcome of one of two kinds: a result of JSON types, or an error with a code. Example: if
# `compute` returns `{"content": "fee: 7"}`,
#
#     with_outcome(read, compute) -> read, with the state `made`, this result, and 3.1 ms
#
# If it raises `ValueError`, the call has the state `failed`, and an error with code `internal`.


def with_outcome(
    call: CallRecord,
    compute: Callable[[], Mapping[str, Plain]],
    started_at: float | None = None,
) -> CallRecord:
    """Return the call with the result of `compute`, or with the error that it raises.

    The call also gets the time that it took since `started_at`, a moment of
    `time.perf_counter`. By default, it starts now.
    """
    if started_at is None:
        started_at = time.perf_counter()
    try:
        # `plain_result` calls `compute`. It turns any exception, and a result that is not
        # JSON, into a `CallError`.
        result = plain_result(call.operation, compute)
    except CallError as error:
        return failed_call(call, error, started_at)
    return call.changed(
        state="made", result=result, error=None, elapsed_ms=_ms_since(started_at)
    )


def failed_call(call: CallRecord, error: CallError, started_at: float) -> CallRecord:
    """Return the call with its failure, and the time since `started_at`."""
    failure = CallFailure(code=str(error.code), message=str(error.message))
    return call.changed(
        state="failed", result=None, error=failure, elapsed_ms=_ms_since(started_at)
    )


def _ms_since(started_at: float) -> float:
    """Return the milliseconds since a moment of `time.perf_counter`."""
    return round((time.perf_counter() - started_at) * 1000, 3)


# A call that runs beside other calls of the same environment, such as reads of ten files.
#
# All ten are started, and then waited for one by one, so that they take no longer than the slowest:
#
#     run_a = RunBesideOthers(read_a, environment)    starts
#     run_b = RunBesideOthers(read_b, environment)    starts, while the first one runs
#     run_a.wait()                                    -> read_a with its result
#     run_b.wait()                                    -> read_b with its error: there is no such file


class _RunBesideOthers:
    """A call that was started when this object was made. It must only read."""

    __slots__ = ("_call", "_failed", "_started_at", "_wait_for_result")

    def __init__(self, call: CallRecord, environment: SideBySide) -> None:
        self._call = call
        self._started_at = time.perf_counter()
        self._failed: CallRecord | None = None
        """The call with its error, if it could not be started."""

        def begin() -> Callable[[], Mapping[str, Plain]]:
            """Start the call, and return the environment's function that waits for its result."""
            return environment.begin(call.operation, dict(call.arguments))

        try:
            # `guarded` calls `begin`, and turns any exception into a `CallError`.
            self._wait_for_result = guarded(call.operation, begin)
        except CallError as error:
            self._failed = failed_call(call, error, self._started_at)

    def wait(self) -> CallRecord:
        """Wait until the call has ended, and return it with its outcome. Is called once."""
        if self._failed is not None:
            return self._failed
        return with_outcome(self._call, self._wait_for_result, self._started_at)

    def await_end(self) -> None:
        """Wait until the call has ended, although nobody needs its outcome."""
        with suppress(Exception):
            self.wait()


# The ways in which a sent call gets its outcome: its result or its error.
#
# Each run is ended once: by `wait` if the outcome is needed, and by `await_end` if it is not.
#
# | run | before | `wait` | `await_end` |
# |---|---|---|---|
# | `_RunBesideOthers` | the call runs | waits until it has ended | waits, too |
# | `_RunWhenNeeded` | nothing happens | makes the call | does nothing: the call is not made |
# | `RecordedRun` | nothing happens | returns an outcome of an earlier attempt | does nothing |


class _RunWhenNeeded:
    """A call that is not made before its outcome is needed."""

    __slots__ = ("_arguments", "_call", "_environment")

    def __init__(self, call: CallRecord, environment: Environment) -> None:
        self._call = call
        self._environment = environment
        self._arguments = copy.deepcopy(dict(call.arguments))
        """A copy for the environment, whose code may change it."""

    def wait(self) -> CallRecord:
        """Make the call now, and return it with its outcome."""
        return with_outcome(
            self._call,
            lambda: self._environment.call(self._call.operation, self._arguments),
        )

    def await_end(self) -> None:
        """Do nothing: the call has not begun."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A call that is not made, as its outcome is recorded."""

    outcome: CallRecord
    """The call with its result or its error."""

    def wait(self) -> CallRecord:
        """Return the call with its recorded outcome."""
        return self.outcome

    def await_end(self) -> None:
        """Do nothing: the call has ended long ago."""


_CallRun: TypeAlias = _RunBesideOthers | _RunWhenNeeded | RecordedRun


# Keeps calls of the initial prompt that were started early, until they are needed.
#
# The initial prompt shows the results of some reads, such as a listing of `/`. If the environment
# allows several calls at a time (`SideBySide`), these reads start before the prompt is built, which
# then need not wait for them:
#
#     early.start(list_root, environment)   the call runs from now on
#     early.take(list_root)                 -> its run: the prompt needs it now
#     early.take(list_root)                 -> None: it was taken before


class _EarlyCalls:
    """The calls of one trial that have started early, and were not needed yet."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], _RunBesideOthers] = {}
        """The calls by `_key_of`."""

    def start(self, call: CallRecord, environment: SideBySide) -> None:
        """Start a call that only reads."""
        self._runs[_key_of(call)] = _RunBesideOthers(call, environment)

    def take(self, call: CallRecord) -> _RunBesideOthers | None:
        """Return the run of a call that is needed now; None if it has not started."""
        return self._runs.pop(_key_of(call), None)

    def await_all(self) -> None:
        """Wait for the calls that nobody took, because the trial ends."""
        for run in self._runs.values():
            run.await_end()
        self._runs.clear()


def _key_of(call: CallRecord) -> tuple[str, str]:
    """Return the key of a call: `("read", "{'path': '/a.md'}")`.

    If the same arguments come in another order, the key differs. The call is then made
    twice, which does no harm, because it only reads.
    """
    return call.operation, str(call.arguments)


# The calls whose results the environment's pre-call check gets at its start.
#
# The *pre-call check* is a function of the environment that judges each changing call before it is
# sent. It runs in another process, and would have to ask for each file that it reads, even for those
# that the trial has read for the initial prompt. So it gets these reads as *known calls*:
#
#     KnownCall("read", {"path": "/rules.md"}, {"content": "Keep all records of this year."})
#
# After a call that may change something, the files may be others, so no calls are known any more.

_MOST_KNOWN_CALLS: Final = 64
"""How many calls are kept. The memory of the check is limited."""


class _KnownCalls:
    """The calls of one trial that its pre-call check need not make again."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._tool_schema = tool_schema
        self._calls: dict[str, KnownCall] = {}
        """The known calls, by the path of the file that they read."""

    def all(self) -> tuple[KnownCall, ...]:
        """Return the known calls."""
        return tuple(self._calls.values())

    def learn(self, call: CallRecord, *, is_of_initial_prompt: bool) -> None:
        """Learn from a call whether the check need not make the same again."""
        declared = self._tool_schema.operation(call.operation)
        if declared is None:
            return
        if call.changes(self._tool_schema):
            self._calls.clear()
            return
        has_room = len(self._calls) < _MOST_KNOWN_CALLS
        if is_of_initial_prompt and has_room and _has_read_whole_file(declared, call):
            path = str(call.arguments[declared.subject])
            # Its other arguments have their defaults.
            arguments: dict[str, Plain] = {declared.subject: path}
            self._calls[path] = KnownCall(call.operation, arguments, call.result or {})


def _has_read_whole_file(declared: Operation, call: CallRecord) -> bool:
    """Return True if a call read a file, and had no argument such as `end_line`."""
    if declared.effect is not Effect.READS or not call.result:
        return False
    for name, value in call.arguments.items():
        if value and name != declared.subject:
            return False
    return True


# A planned call with its number in the step.
#
# Several calls may run at the same time. Each gets its number before it is made, so that the order
# of the calls in the journal does not depend on which of them returns first:
#
#     NumberedCall(0, read_a)    is made
#     NumberedCall(1, read_b)    runs beside it, and returns first: its outcome is still number 1


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """A call that was added to a step, and has no outcome there yet."""

    number: int
    """The position of the call in its step, from 0."""
    call: CallRecord
    """The call without its outcome."""
    was_announced: bool
    """True if the journal has a line that the call begins. Its outcome will be a second line."""
    recorded_outcome: CallRecord | None
    """The call with its outcome, if an earlier attempt at the trial has recorded it. Then it is not made."""


# A call before it is made, as scripts, functions of the benchmark and the initial prompt ask for it.
#
#     planned_call("read", {"path": "/a.md"})
#         -> CallRecord(operation="read", arguments={"path": "/a.md"}, state="under_way")
#
# The record has no outcome yet. Everything that happens to a call later is added to a copy: its
# number in the step (`NumberedCall`), and its result or its error.


def planned_call(
    operation: str,
    arguments: Mapping[str, Plain],
    *,
    in_verify: bool = False,
    outer: int | None = None,
    origins: Mapping[str, str] | None = None,
) -> CallRecord:
    """Return the record of a call that is about to be made.

    - `in_verify` is true if a script's `verify` makes the call, its own check of its answer.
    - `outer` is the number of the call within which this one is made. If call 3 of a step is
      `books_by("Ann Miller")`, which is code of the benchmark and reads files, each of these
      reads has the `outer` 3.
    - `origins` says where each argument of a changing call comes from: `{"amount": "asked"}`
      if the amount is in the user's request.
    """
    return CallRecord(
        operation=operation,
        arguments=dict(arguments),
        in_verify=in_verify,
        outer=outer,
        origins=dict(origins or {}),
        state="under_way",
    )


# The pre-call check of an environment, which judges each changing call before it is sent.
#
# The check is a function that the environment may have. It knows the environment's rules: asked
# about a call that deletes a record, it reads the record, and objects if it is of last year. The
# tool schema declares it as `service/pre-call-check`. The trial calls it like other operations:
#
#     pre_call_check("delete", {"path": "/records/r4.json"})   -> the record is of last year
#
# While it runs, it may ask the trial for reads. Those that the trial has made for the initial prompt
# need not be made again: the check gets them at its start, as its *known calls*.


class PreCallCheck:
    """The pre-call check of one trial's environment, which may have none."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        # Declared as `service/pre-call-check`, it is the operation `pre_call_check`.
        declared_name = tool_schema.pre_call_check.rpartition("/")[2]
        self.name = declared_name.replace("-", "_")
        """The operation that is the check: `pre_call_check`. Empty if there is none."""
        self._known_calls = _KnownCalls(tool_schema)
        """The reads that the check need not ask for."""

    @property
    def exists(self) -> bool:
        """True if the environment has a pre-call check."""
        return self.name != ""

    def is_operation(self, operation: str) -> bool:
        """Return True if the check is the operation of this name."""
        return self.exists and operation == self.name

    def known_calls_of(self, operation: str) -> tuple[KnownCall, ...]:
        """Return the known calls if the operation is the check. Other operations have none."""
        return self._known_calls.all() if self.is_operation(operation) else ()

    def learn(self, call: CallRecord, *, is_of_initial_prompt: bool) -> None:
        """Learn from a call of the trial whether the check need not ask for the same.

        `is_of_initial_prompt` is true for a call that was made before the model was asked. Only
        its result is kept.
        """
        if self.exists:
            self._known_calls.learn(call, is_of_initial_prompt=is_of_initial_prompt)


# Keeps what has happened in the step that a trial is at.
#
# In a step, the model writes a script, and the script makes calls. Later parts of the trial
# ask what has happened: which calls were made, what the user decided, what was cited.
#
#     step_log.begin(2)
#     step_log.add_call(read)               -> 0, the number of the call in step 2
#     step_log.add_outcome(0, read_done)    the call has returned
#     step_log.trial_step.calls             -> [read_done], without its result


class StepLog:
    """What has happened in the current step of one trial, and what the model is told about it."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._tool_schema = tool_schema
        self.trial_step = TrialStep()
        """The events of the step. Calls are kept without their results (see `add_outcome`)."""
        self.notes: list[str] = []
        """Messages about the calls, which the model reads after the step."""
        self._argument_room = _ArgumentRoom(tool_schema)
        """Limits the memory for the arguments of the step's calls."""

    def begin(self, number: int) -> None:
        """Begin the step with this number. Step 0 prepares the initial prompt."""
        self.trial_step = TrialStep(number)
        self.notes = []
        self._argument_room = _ArgumentRoom(self._tool_schema)

    def begin_next(self) -> None:
        """Begin the step after the current one."""
        self.begin(self.number + 1)

    @property
    def number(self) -> int:
        """The number of the step, from 0."""
        return self.trial_step.number

    @property
    def call_count(self) -> int:
        """How many calls the step has. It is also the number of the next call."""
        return len(self.trial_step.calls)

    def function_of(self, call: CallRecord) -> str:
        """Return the function that has asked for a call: `books_by`; empty if none has."""
        if call.outer is None:
            return ""
        return self.trial_step.calls[call.outer].operation

    def add_call(self, call: CallRecord) -> int:
        """Give a call its place in the step, and return its number there, from 0."""
        calls = self.trial_step.calls
        calls.append(call)
        return len(calls) - 1

    def add_outcome(self, number: int, call: CallRecord) -> None:
        """Put a call with its outcome in its place, without its result, to save memory.

        If the step's calls have too many arguments, long ones are left out, too. The journal has
        them.
        """
        self.trial_step.calls[number] = self._argument_room.kept_part(call)

    def add_new_notes(self, notes: Iterable[str]) -> None:
        """Add those messages to the model that the step does not have yet."""
        for note in notes:
            if note not in self.notes:
                self.notes.append(note)


# The key by which a stopped call is recognised when it is made again.
#
# Two *checks* may object to a call before it is sent, and stop it. If the model makes the same call
# again, it insists, and the call is usually sent. So the stopped calls are kept by their keys. A
# key does not depend on the order of the arguments:
#
#     stop_key("check", "move", {"from": "/b", "to": "/a"})
#         -> ("check", '["move", {"from": "/b", "to": "/a"}]')

CheckName: TypeAlias = Literal["check", "provenance"]
"""The name of a check in events."""
ENVIRONMENT_CHECK: Final = "check"
"""The environment's pre-call check, a function that knows the environment's rules."""
ORIGIN_RULE: Final = "provenance"
"""The check of origins, which objects to values that only running text has."""
_StopKey: TypeAlias = tuple[CheckName, str]
"""The check that stopped a call, and the call as text."""


def _stop_key(
    check: CheckName, operation: str, arguments: Mapping[str, Any]
) -> _StopKey:
    """Return the key of a call that a check has stopped, or may have stopped."""
    return check, json.dumps([operation, arguments], sort_keys=True)


# Adds the outcome of each call to what the trial knows.
#
# After `read("/mails/7.txt")` has returned "Pay to DE12", two more things are known:
#
#     evidence_log   an answer may cite /mails/7.txt
#     call_origins   "DE12" is from a mail: if a later call has this argument, the user may be asked
#
# Before a call that pays is sent, the *pre-call check* may judge it. It is a function of the environment,
# and a call itself. Its objection is shown to the model, so it may support an answer. The function
# may read files for this. The model does not see them, so nothing is learnt from these reads.


@dataclass(frozen=True, slots=True)
class CallLearner:
    """Adds the outcomes of one trial's calls to what it knows."""

    tool_schema: ToolSchema
    step: StepLog
    """The current step, which also gets notes on its calls for the model."""
    evidence_log: EvidenceLog
    call_origins: CallOrigins
    pre_call_check: PreCallCheck
    """Knows which operation is the check, and whether there is one."""

    def learn(self, call: CallRecord) -> None:
        """Learn from a call of the current step, which has its outcome.

        Nothing is learnt from a call that was refused before it was sent: it has no result.
        """
        if not call.was_sent:
            return
        asking_function = self.step.function_of(call)  # empty if no function has asked
        is_read_of_check = self.pre_call_check.is_operation(asking_function)
        if is_read_of_check:
            return
        is_check = self.pre_call_check.is_operation(call.operation)
        if is_check:
            self._learn_objection(call)
        else:
            self._learn_outcome(call)

    def _learn_objection(self, check: CallRecord) -> None:
        """Learn the objection `{"value": "is not due"}`. The value is empty if there is none."""
        if check.result and check.result.get("value"):
            self.evidence_log.add_function_result(
                check.operation, check.arguments, check.result
            )

    def _learn_outcome(self, call: CallRecord) -> None:
        """Learn the result or the error of a call, and add notes on it for the model."""
        # The check gets the results of the calls for the initial prompt: those of step 0.
        self.pre_call_check.learn(call, is_of_initial_prompt=self.step.number == 0)
        # The origins come first: they look up which files the trial wrote before this call.
        self.call_origins.learn(call)
        self.step.notes += self.evidence_log.add_call(
            call.operation, call.arguments, call.result, call.error, call.shown_chars
        )
        declared = self.tool_schema.operation(call.operation)
        if declared is not None:
            self.step.add_new_notes(argument_notes(declared, call.arguments))


# A call that was sent, and has its outcome when somebody waits for it.
#
# A call that changes something must not be made twice. So its outcome is kept once it is there:
#
#     write = CallUnderWay(NumberedCall(0, ...), run)
#     write.outcome()     waits -> the write with its result
#     write.outcome()     -> the same, at once
#
# If a trial ends early, nobody needs the outcomes of the calls that were sent. Some may still run, and
# have to end before the environment is closed:
#
#     read = CallUnderWay(NumberedCall(1, ...), run)
#     read.await_end()    waits, and drops the outcome


class CallUnderWay:
    """A call that was sent, and is waited for at most once."""

    __slots__ = ("_is_waited_for", "_outcome", "_run", "numbered")

    def __init__(self, numbered: NumberedCall, run: _CallRun) -> None:
        """`run` makes the call, or has begun to make it (see `calls.py`)."""
        self.numbered = numbered
        """The call with its number in the step."""
        self._run = run
        self._outcome: CallRecord | None = None
        """The call with its outcome, once somebody has waited for it."""
        self._is_waited_for = False
        """True once somebody has begun to wait, even if the user has interrupted the wait."""

    @property
    def number(self) -> int:
        """The position of the call in its step, from 0."""
        return self.numbered.number

    @property
    def call(self) -> CallRecord:
        """The call without its outcome."""
        return self.numbered.call

    def outcome(self) -> CallRecord:
        """Wait for the call if nobody has yet, and return it with its outcome.

        Must not be called again after an exception, such as an interrupt by the user.
        """
        if self._outcome is None:
            assert not self._is_waited_for, "the wait for this call was interrupted"
            self._is_waited_for = True
            self._outcome = self._run.wait()
        return self._outcome

    def result(self) -> Mapping[str, Plain]:
        """Wait for the call like `outcome`, and return its result; empty if it failed."""
        return self.outcome().result or {}

    def await_end(self) -> None:
        """End a call whose outcome nobody needs: `outcome` must not be called any more.

        A call that has not begun is not made.
        """
        if not self._is_waited_for:
            self._is_waited_for = True
            self._run.await_end()


# Makes calls in an environment.
#
# Most calls are made one after the other. If the environment allows several at a time, reads run
# side by side:
#
#     code                      one at a time            several at a time
#     a = begin(read of /a.md)                           the read starts
#     b = begin(read of /b.md)                           the read starts, too
#     a.wait()                  the read is made         waits for the first read
#     b.wait()                  the read is made         waits for the second read


class LiveCalls:
    """Makes the calls of one trial in its environment. Nothing is written to the journal here."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._side_by_side: SideBySide | None = None
        """The environment if it allows several reads at a time."""
        is_declared = environment.tool_schema.reads_side_by_side
        if is_declared and isinstance(environment, SideBySide):
            self._side_by_side = environment
        self._early_calls = _EarlyCalls()
        """The calls of the initial prompt that were started before their turn."""

    def begin(self, call: CallRecord, *, runs_beside_others: bool) -> _CallRun:
        """Begin a call, and return its run. `wait` of the run returns the call with its outcome.

        With `runs_beside_others`, which is only for calls that read, the call starts now if the
        environment allows several at a time. Otherwise it is made when it is waited for.
        """
        early_run = self._early_calls.take(call)
        if early_run is not None:
            return early_run
        if runs_beside_others and self._side_by_side is not None:
            return _RunBesideOthers(call, self._side_by_side)
        return _RunWhenNeeded(call, self.environment)

    def begin_early(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Start a call of the initial prompt before its turn. A later `begin` takes it over.

        Does nothing if the call may change something, or if calls run one at a time.
        """
        schema = self.environment.tool_schema
        if self._side_by_side is None or schema.may_change(operation, arguments):
            return
        call = planned_call(operation, arguments)
        self._early_calls.start(call, self._side_by_side)

    def await_early_calls(self) -> None:
        """Wait for early calls that no `begin` took over, because the trial ends."""
        self._early_calls.await_all()


# Remembers the calls that a check has stopped, and what became of them.
#
# A check, such as a rule of the environment, may object to a call before it is sent. The call is
# then *stopped*, and the model reads the objection. The stopped call is *open* until a call that
# is sent shows what became of it. If `write("/a.md", "x")` was stopped:
#
#     write("/a.md", "x") is sent    `DONE_ALL_THE_SAME`: it is the stopped call
#     write("/a.md", "y") is sent    `DONE_OTHERWISE`: the operation and the path are the same
#     write("/b.md", "x") is sent    the stopped call is still open


class _ClosedStop(NamedTuple):
    """A stopped call that is no longer open."""

    stop: CallStopped
    """The event that it was stopped."""
    outcome: str
    """What became of it: `DONE_ALL_THE_SAME` or `DONE_OTHERWISE`."""


class StoppedCalls:
    """The calls of one trial that a check stopped: they were not sent."""

    def __init__(self) -> None:
        self._stops: dict[_StopKey, CallStopped] = {}
        """Why each call was stopped. The order of its arguments does not change its key."""
        self._open: set[_StopKey] = set()
        """The stopped calls of which it is not known what became of them."""

    def add(self, event: CallStopped) -> None:
        """Add the event that a call was stopped, or the later event with its outcome."""
        key = _stop_key(event.by, event.operation, event.arguments)
        if event.is_outcome:
            self._open.discard(key)
        else:
            self._stops[key] = event
            # It is open again, if the same call was stopped and closed before.
            self._open.add(key)

    def has(
        self, check: CheckName, operation: str, arguments: Mapping[str, Any]
    ) -> bool:
        """Return True if a check has stopped the same call before."""
        return _stop_key(check, operation, arguments) in self._stops

    def closed_by(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> list[_ClosedStop]:
        """Return the open stops that a call closes if it is sent now, with their outcomes."""
        closed: list[_ClosedStop] = []
        for stopped_key, stop in self._stops.items():
            if stopped_key not in self._open or stop.operation != operation:
                continue
            sent_key = _stop_key(stop.by, operation, arguments)
            # Calls without a path, such as `pay(amount=12)`, count as having the same one.
            is_same_path = arguments.get("path") == stop.arguments.get("path")
            repeats_another_stop = sent_key in self._stops
            if sent_key == stopped_key:
                closed.append(_ClosedStop(stop, DONE_ALL_THE_SAME))
            elif is_same_path and not repeats_another_stop:
                closed.append(_ClosedStop(stop, DONE_OTHERWISE))
        return closed
