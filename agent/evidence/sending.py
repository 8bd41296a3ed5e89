"""Sends the calls of a trial and its functions, and writes them to the journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from controlplane.agent.events import CallFailure, CallRecord, Emit
from controlplane.agent.evidence.calls import (
    CallLearner,
    CallUnderWay,
    LiveCalls,
    NumberedCall,
    PreCallCheck,
    RecordedRun,
    planned_call,
    with_outcome,
)
from controlplane.agent.evidence.tape import TapeReader
from controlplane.agent.evidence.tape.tape_reader import CallEvents, RecordedCalls
from controlplane.gates.quoting import quote
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    ToolSchema,
    bound_arguments,
    bounds,
    error_codes,
)
from controlplane.sandbox.interface.messages import KnownCall

# Declares the interface of what runs a benchmark's functions, in another process.
#
# A benchmark may declare `total_fee`, which the function of this name in its module `library`
# computes. If a script calls `harness.tools.total_fee("L-4")`, this reaches the sandbox, which
# implements the interface (`sandbox.Sandbox`):
#
#     compute("library:total_fee", {"loan": "L-4"})   -> {"value": 21}


class _FunctionRunner(Protocol):
    """Runs the functions that a benchmark declares."""

    def compute(
        self,
        function: str,
        arguments: Mapping[str, Plain],
        known_calls: Sequence[KnownCall] = (),
    ) -> Mapping[str, Plain]:
        """Return the result of a function, given as `module:name`. Raises `CallError`.

        The function cannot reach the environment. If it calls `read("/a.md")`, the trial makes
        this call for it, and sends the result to its process. For `known_calls`, the process has
        the results from the start, and does not ask.
        """
        ...


# Adds the calls of a trial to its current step, and to the journal.
#
# If the process is killed while a call deletes a file, the next one has to know that the file may be
# gone. So a call that may change something is *announced*, that is, written before it is made, and
# written again with its outcome:
#
#     add_call(delete)             number 1  delete("/b.md")   under way
#     add_outcome(1, outcome)      number 1  delete("/b.md")   made, with its result
#
# A call that only reads is written once, with its outcome: the next process may make it again.


class CallJournal:
    """Adds the calls of one trial. First `add_call`, and later `add_outcome` for the same call."""

    def __init__(
        self, trial_id: str, reader: TapeReader, emit: Emit, learner: CallLearner
    ) -> None:
        self.recorded_calls = RecordedCalls(reader, learner.tool_schema)
        """Has the calls that an earlier process of the trial has recorded, with their outcomes."""
        self._events = CallEvents(trial_id, reader, emit)
        """Writes the events of calls to the journal, except those that are recorded."""
        self._step = learner.step
        """The current step of the trial, with its calls so far."""
        self._learner = learner
        """Learns from the outcome of each call, such as which files an answer may cite."""

    def add_call(self, call: CallRecord) -> NumberedCall:
        """Add a call to the step, and return it with its number, and its outcome if it is recorded.

        Raises `CallError` if a recorded trial is replayed, and has another call here.
        """
        recorded_outcome = self.recorded_calls.take(call)
        is_announced = self._is_announced(call)
        if is_announced:
            self._events.write_call(call, self._step.call_count)
        number = self._step.add_call(call)
        return NumberedCall(
            number=number,
            call=call,
            was_announced=is_announced,
            recorded_outcome=recorded_outcome,
        )

    def add_outcome(
        self, numbered: NumberedCall, outcome: CallRecord
    ) -> dict[str, Plain]:
        """Add `outcome`, the call with its result or error; return the one, or raise the other."""
        self._events.write_outcome(numbered, outcome)
        self._step.add_outcome(numbered.number, outcome)
        self._learner.learn(outcome)
        if outcome.error is not None:
            # It is not kept in a variable: by its traceback, the error refers to this frame, and
            # the frame would refer to the error, so that neither is freed at once.
            raise CallError(outcome.error.code, outcome.error.message)
        return outcome.result or {}

    def _is_announced(self, call: CallRecord) -> bool:
        """Return True unless a call only reads, or is refused before it is sent."""
        if not call.was_sent:
            return False
        tool_schema = self._learner.tool_schema
        return not tool_schema.is_plain_read(call.operation, call.arguments)


# Sends the calls of a trial to its environment, of which several may run at a time.
#
# Two files are read side by side, if the environment allows it:
#
#     first = sender.send(read_a, runs_beside_others=True)     starts to run
#     second = sender.send(read_b, runs_beside_others=True)    runs beside it
#     sender.receive(first)      waits for it -> {"content": "fee: 7"}
#     sender.receive(second)     waits for it, and raises its error: there is no such file
#
# If an earlier process of the trial has recorded a call, it is not made again: `receive` returns the
# recorded result.


@dataclass(frozen=True, slots=True)
class CallSender:
    """Sends the calls of one trial. Used by one thread at a time.

    Calls may run at the same time, but are received in the order in which they were sent, each once.
    """

    journal: CallJournal
    """Writes calls to the journal, and knows which are recorded already."""
    live: LiveCalls
    """Makes calls in the environment."""

    def send(
        self, call: CallRecord, *, runs_beside_others: bool = False
    ) -> CallUnderWay:
        """Send a call to the environment. `receive` waits for its outcome.

        With `runs_beside_others`, which is only for calls that read, the call starts at
        once if the environment allows several calls at a time. Otherwise it starts when
        its outcome is wanted.

        Raises `CallError` in a replay, if the call differs from the recorded one.
        """
        numbered = self.journal.add_call(call)
        if numbered.recorded_outcome is not None:
            return CallUnderWay(numbered, RecordedRun(numbered.recorded_outcome))
        run = self.live.begin(call, runs_beside_others=runs_beside_others)
        return CallUnderWay(numbered, run)

    def receive(
        self, sent: CallUnderWay, *, shown_chars: int | None = None
    ) -> dict[str, Plain]:
        """Wait for a call, record its outcome, and return its result. Raises `CallError`.

        `shown_chars` is the number of characters of the result that the initial prompt shows;
        None for a call of a script, which gets the whole result.
        """
        outcome = sent.outcome()
        if shown_chars is not None:
            outcome = outcome.changed(shown_chars=shown_chars)
        return self.journal.add_outcome(sent.numbered, outcome)

    def refuse_unless_recorded(self, refused: CallRecord) -> dict[str, Plain]:
        """Write a call to the journal that is not sent, and raise its `CallError`.

        If the process of the trial was killed, the next one may have fewer calls left. If this
        call was sent when its step was recorded, its recorded result is returned instead.
        """
        numbered = self.journal.add_call(refused)
        outcome = numbered.recorded_outcome or refused
        return self.journal.add_outcome(numbered, outcome)  # raises the outcome's error

    def await_end(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait until no call runs: neither these, nor those that were started early."""
        for call in calls:
            call.await_end()
        self.live.await_early_calls()


# Runs the functions of a benchmark, each in the process that runs the scripts.
#
# A function is code of the benchmark that scripts call like an operation of the environment. It is
# declared with the name of its code:
#
#     Operation("books_by", finds="library.functions:books_by", ...)
#     compute(books_by, {"author": "Ann Miller"})   -> {"value": ["/books/b1.json"]}
#
# While it runs, it asks the trial for the calls that it needs: see `InnerCalls`.


@dataclass(slots=True)
class FunctionProcess:
    """Runs the functions of one trial's benchmark."""

    pre_call_check: PreCallCheck
    """The function that judges changing calls. It also gets the results of calls that the trial
    has made already, so that it need not ask for them."""
    runner: _FunctionRunner | None = None
    """The other process, in which functions run. None if no function can be called."""

    def compute(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> Mapping[str, Plain]:
        """Run a function in its process, and return its result. Raises `CallError`."""
        if self.runner is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        code_name = declared.finds  # `library.functions:books_by`
        known_calls = self.pre_call_check.known_calls_of(declared.name)
        return self.runner.compute(code_name, dict(arguments), known_calls)


# Turns the request of a benchmark's function for a call into this call, or refuses it.
#
# A function, such as `books_by(author)`, is code of the benchmark that runs in another process. To
# compute its result, it asks the trial for calls. It might ask for anything, but may only read:
#
#     ("read", {"path": "/books/b1.json"})   -> the call, which is sent
#     ("write", {"path": "/a.md", ...})      -> CallError: write is not declared to only read
#     ("read", {"file": "/books/b1.json"})   -> CallError: read has no argument file

Request: TypeAlias = tuple[str, Mapping[str, Plain]]
"""The operation that a function asks for, with its arguments."""


def _requested_call(
    request: Request, tool_schema: ToolSchema, function: NumberedCall | None
) -> CallRecord | CallError:
    """Return the call that a function asks for, or the error with which it is refused.

    `function` is the call of the function that asks. If it is number 3 of the step, then the
    returned call has the `outer` 3, so that the journal says who asked for it.
    """
    operation, arguments = request
    declared = tool_schema.operation(operation)
    if declared is None:
        return _refusal(operation)
    try:
        arguments = bound_arguments(declared, (), dict(arguments))
    except CallError as error:
        return error  # It has an argument that the operation does not have.
    if not tool_schema.is_plain_read(operation, arguments):
        return _refusal(operation)
    return planned_call(
        operation,
        arguments,
        in_verify=function is not None and function.call.in_verify,
        outer=None if function is None else function.number,
    )


def _refusal(operation: str) -> CallError:
    """Return the error of a call that may change something, or that is not declared at all."""
    msg = f"{operation} is not declared to only read"
    return CallError(error_codes.PERMISSION_DENIED, msg)


# Makes several calls that only read side by side, if the environment allows it.
#
# A function of the benchmark may ask for a hundred files at once. Sixteen reads run at a time, so that
# they neither take as long as a hundred reads in a row, nor flood the environment. Each answer is at
# the position of its call. Here there is no file `b`, and the third call was not allowed:
#
#     make_side_by_side([read_a, read_b, refusal], sender)    `refusal` is a `CallError`
#         -> [{"content": "fee: 7"}, CallError("no such file"), refusal]

_MOST_AT_A_TIME: Final = 16
"""How many of the calls may run at a time."""

Answer: TypeAlias = Mapping[str, Plain] | CallError
"""The result of a call, or its error."""


def _make_side_by_side(
    calls: Sequence[CallRecord | CallError], sender: CallSender
) -> list[Answer]:
    """Make the calls, and return an answer for each, in order.

    A call that was refused is given as its error, which is also its answer.
    """
    running: list[CallUnderWay] = []  # the calls that were sent, in order
    begun: list[CallUnderWay | CallError] = []
    try:
        for call in calls:
            if isinstance(call, CallError):
                begun.append(call)
                continue
            if len(running) >= _MOST_AT_A_TIME:
                # Wait for the oldest of the last sixteen, as was done for each call before it.
                oldest = running[-_MOST_AT_A_TIME]
                oldest.outcome()
            sent = sender.send(call, runs_beside_others=True)
            running.append(sent)
            begun.append(sent)
        return [_answer_to(call, sender) for call in begun]
    finally:
        sender.await_end(running)  # After an exception, some still run.


def _answer_to(call: CallUnderWay | CallError, sender: CallSender) -> Answer:
    """Wait for a call, record its outcome, and return its result or its error."""
    if isinstance(call, CallError):
        return call
    try:
        return sender.receive(call)
    except CallError as error:
        return error


# Makes the *inner calls*: those that a benchmark's function asks for while it runs.
#
# A function, such as `books_by(author)`, is code that runs in another process. It asks the trial for
# calls, one by one or in lists, and gets a result or an error for each. The calls may only read:
#
#     [("read", {"path": "/books/b1.json"}), ("write", {"path": "/a.md", "content": "x"})]
#         -> [{"content": "..."}, CallError("write is not declared to only read")]


@dataclass(slots=True)
class InnerCalls:
    """Makes the calls that the functions of one trial ask for. One function runs at a time."""

    sender: CallSender
    """Sends the calls to the environment."""
    tool_schema: ToolSchema
    """The declared operations, which say which calls only read."""
    running_function: NumberedCall | None = None
    """The call of the function that runs now, set while it runs. The journal names this call with
    each inner call."""

    def make(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call, and return its result. Raises `CallError`."""
        [answer] = self.make_all([(operation, arguments)])
        if isinstance(answer, CallError):
            raise answer
        return dict(answer)

    def make_all(self, requests: Sequence[Request]) -> list[Answer]:
        """Make the calls of a list, side by side if possible, and return the answers in order."""
        function = self.running_function
        # A request for a call that may change something becomes an error here.
        calls = [
            _requested_call(request, self.tool_schema, function) for request in requests
        ]
        return _make_side_by_side(calls, self.sender)


# Calls the functions of a benchmark, and records them with the reads that they ask for.
#
# A function, such as `books_by(author)`, is code of the benchmark. In the journal, its call has two
# lines, its start and its end. The reads that it asks for are between them:
#
#     number 3  books_by("Ann Miller")            starts
#     number 4  read("/books/b1.json"), outer=3   read for number 3
#     number 3  books_by("Ann Miller")            ends: {"value": ["/books/b1.json"]}
#
# If the process of the trial is killed, the next one repeats this: number 3 gets its recorded result,
# and does not run. Number 4 gets its result, too, so that an answer may cite the file.


@dataclass(frozen=True, slots=True)
class FunctionCaller:
    """Calls the functions of one trial. One function runs at a time."""

    functions: FunctionProcess
    """Runs the functions in another process."""
    inner_calls: InnerCalls
    """Makes the reads that a function asks for."""
    journal: CallJournal
    """Writes the function's own call to the journal. It is not sent to the environment."""

    def call(
        self, declared: Operation, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Call a function, and return its result. Raises `CallError`.

        `in_verify` is true if the script's `verify`, its own check of its answer, makes the call.
        """
        call = planned_call(declared.name, arguments, in_verify=in_verify)
        function = self.journal.add_call(call)
        self.inner_calls.running_function = function  # Reads are made for it.
        try:
            outcome = self._outcome_of(function, declared)
        finally:
            self.inner_calls.running_function = None
        return self.journal.add_outcome(function, outcome)

    def _outcome_of(self, function: NumberedCall, declared: Operation) -> CallRecord:
        """Return a function's call with its outcome. Without a recorded one, the function runs."""
        if function.recorded_outcome is not None:
            # The function does not run, and its reads are not sent: they have recorded results.
            for read in self.journal.recorded_calls.asked_for_by(function.number):
                self.inner_calls.make_all([(read.operation, read.arguments)])
            return function.recorded_outcome

        arguments = function.call.arguments
        return with_outcome(
            function.call, lambda: self.functions.compute(declared, arguments)
        )


# A call of a trial that is refused before it is sent, as the journal has it.
#
# A call is refused if its path is too long, or if the trial has no calls left:
#
#     refused_call("read", {"path": "/a.md"}, "resource_exhausted", "the trial has made 4 calls")
#         -> read("/a.md")  not made: the trial has made 4 calls


def refused_call(
    operation: str,
    arguments: Mapping[str, Plain],
    code: str,
    reason: str,
    *,
    in_verify: bool,
) -> CallRecord:
    """Return a call that is not sent for a reason. `code` is one of `error_codes`.

    `in_verify` is true if a script's `verify`, its own check of its answer, makes the call.
    """
    return CallRecord(
        operation=operation,
        arguments=dict(arguments),
        in_verify=in_verify,
        state="not_made",
        error=CallFailure(code=code, message=reason),
    )


def _fault_of_path(declared: Operation | None, arguments: Mapping[str, Plain]) -> str:
    """Return a message if the path argument of a call is too long; empty if it is not."""
    path = None if declared is None else arguments.get(declared.subject)
    if not isinstance(path, str) or len(path) <= bounds.MOST_PATH_CHARS:
        return ""
    return f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(path)}"


# Makes the calls of a trial: calls of its environment, and of the benchmark's functions.
#
# A script calls both in the same way, and each call is written to the journal:
#
#     make("read", {"path": "/a.md"})     is sent to the environment -> {"content": "fee: 7"}
#     make("books_by", {"author": "A"})   runs code of the benchmark -> {"value": ["/books/b1.json"]}


@dataclass(frozen=True, slots=True)
class TrialCalls:
    """Makes the calls of one trial, one after the other, and writes them to the journal."""

    tool_schema: ToolSchema
    """The declared operations, which say what is a function."""
    sender: CallSender
    """Sends calls to the environment."""
    function_caller: FunctionCaller
    """Calls the functions of the benchmark."""
    inner_calls: InnerCalls
    """Makes the calls that such a function asks for while it runs."""

    def make(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        origins: Mapping[str, str] | None = None,
    ) -> dict[str, Plain]:
        """Make a call, write it to the journal, and return its result. Raises `CallError`.

        `in_verify` is true if a script's `verify`, its own check of its answer, makes the call.
        `origins` says where each argument of a changing call comes from: `{"amount": "asked"}`.
        """
        declared = self.tool_schema.operation(operation)
        path_fault = _fault_of_path(declared, arguments)
        if path_fault:
            code = error_codes.INVALID_ARGUMENT
            refused = refused_call(
                operation, arguments, code, path_fault, in_verify=in_verify
            )
            return self.sender.refuse_unless_recorded(refused)

        if self.inner_calls.running_function is not None:
            # The function asks for this call: the script waits for it meanwhile.
            return self.inner_calls.make(operation, arguments)
        if declared is not None and declared.is_function:
            return self.function_caller.call(declared, arguments, in_verify=in_verify)
        call = planned_call(operation, arguments, in_verify=in_verify, origins=origins)
        return self.sender.receive(self.sender.send(call))
