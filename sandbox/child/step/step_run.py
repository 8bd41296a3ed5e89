"""One step in a script's process: runs the script and exchanges messages with the parent.

While a script runs, it makes requests: calls, citations, the answer. Before it answers
a request, the parent may ask this process to call the script's `verify`, or to run a
function of the benchmark. An exception of a script ends only its step.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from types import ModuleType
from typing import Any, Final, NamedTuple

from controlplane.sandbox.child.language import pinned_library
from controlplane.sandbox.child.language.error_remedies import is_assigned
from controlplane.sandbox.child.language.language_policy import compile_script
from controlplane.sandbox.child.language.remedies import BUILTINS_INSTEAD
from controlplane.sandbox.child.language.script_builtins import (
    STEP,
    forget_step,
    script_names,
)
from controlplane.sandbox.child.language.script_errors import (
    RefusedScript,
    describe_exception,
    describe_refusal,
)
from controlplane.sandbox.child.language.script_modules import (
    READY_MODULES,
    Modules,
    import_hint,
)
from controlplane.sandbox.child.step.harness import function_harness
from controlplane.sandbox.child.step.scratchpad import (
    SCRATCHPAD_METHODS,
    Scratchpad,
    check_size,
)
from controlplane.sandbox.child.step.script_exceptions import (
    EXCEPTIONS,
    CitationError,
    GateRejection,
    HarnessError,
)
from controlplane.sandbox.child.step.script_files import build_open, reading_operation
from controlplane.sandbox.child.step.script_values import decode, encode
from controlplane.sandbox.child.step.step_output import Channel, Console
from controlplane.sandbox.child.step.submission_check import (
    blank_submission,
    is_yes,
    takes_one_argument,
)
from controlplane.sandbox.child.walls.isolation import longer_call, step_timers
from controlplane.sandbox.functions import Call, Outcome, run_function
from controlplane.sandbox.interface.child_messages import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    FunctionFault,
    FunctionFields,
    NamedCall,
    Request,
    StepReport,
    VerifyResult,
)
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.frames import FrameReader, TooLong
from controlplane.sandbox.interface.host import Ending, Layer, VerifyReply
from controlplane.sandbox.interface.message_fields import MessageFields
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.parent_messages import (
    NOT_ACCEPTED,
    UNBOUND,
    Answered,
    Refused,
    RunFunction,
    RunStep,
    RunVerify,
    Setting,
    decode_parent_message,
)
from controlplane.sandbox.interface.records import Record
from controlplane.sandbox.interface.tagged_values import Damaged


class StepContext(NamedTuple):
    """What the steps of a process share."""

    reader: FrameReader
    setting: Setting
    modules: Modules
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""
    harness: Any


class Activity(Enum):
    """What the process is doing in this step."""

    SCRIPT = auto()
    """It runs the script. If the scratchpad has changed, it is sent with the next request."""
    VERIFY = auto()
    """It calls `verify`, the script's own check of its answer. Calls of `verify` may only read."""
    FUNCTION = auto()
    """It runs a function of the benchmark, which may only read and has no scratchpad."""
    OVER = auto()
    """The step is over. Objects of the step may still exist, for example a function
    that the script put somewhere. They can no longer make requests or print."""


class ScriptOutcome(NamedTuple):
    """How a script ended."""

    ending: Ending
    error: str = ""


_STEP_OF_FUNCTION: Final = 0
"""The step number for a function that runs without a script. Steps are numbered from 1.
The number pins a step's randomness, so that a replay gets the same."""


class StepRun:
    """Runs one step.

    A new object is created for each `RunStep`, and for each `RunFunction` that the parent
    sends while no script is running.
    """

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._setting = context.setting
        self._channel = Channel(context.reader, context.setting.limits)
        self._activity = Activity.SCRIPT
        self._requests = 0
        """The number of the last request that was sent."""
        self._call_seconds = _seconds_of_long_calls(context.setting)
        """The time limits of operations that have one of their own, by name."""

        self.scratchpad = Scratchpad(self.cite, self.send_scratchpad)
        self._parents_scratchpad: Plain = None
        """The encoded scratchpad that was sent last, or that the next message will send."""
        self._scratchpad_for_report: Plain = None
        """The encoded scratchpad to send with the report at
        the end of the step; None if the parent already has it."""

        self._source = ""
        """The script; empty if a function of the benchmark runs alone."""
        self._number = 0
        """The number of the script's step."""
        self._verify: Any = None
        """The `verify` of the submitted answer."""
        self.is_spent = False
        """True if this process reached its memory limit. The next step gets another process."""

    # The script, from the first message to the last

    def run(self, task: RunStep) -> None:
        """Run a script and report how it ended."""
        self._source = task.source
        self._number = task.number
        pinned_library.begin_step(self._setting.now_us, self._setting.seed, task.number)
        self._fill_scratchpad(task.scratchpad)

        # All of this runs code of the script, so it counts as time of the step.
        with self._timers():
            outcome = self._execute()
            # Values may have methods of the script.
            fault = self._prepare_scratchpad_for_report()
            # From here on, nothing of the script can send a message before the report.
            self._activity = Activity.OVER
            # Finalizers of the script's objects run when these are forgotten.
            self._verify = None
            forget_step()

        if fault:
            ending = outcome.ending
            if ending is Ending.FINISHED:
                ending = Ending.RAISED
            outcome = ScriptOutcome(ending, f"{outcome.error}\n{fault}".strip())
        self._send_report(outcome)

    def _fill_scratchpad(self, encoded_scratchpad: Plain) -> None:
        """Give the scratchpad the content that it had at the end of the last step."""
        self._parents_scratchpad = encoded_scratchpad
        try:
            dict.update(self.scratchpad, decode(encoded_scratchpad))
        except Damaged as damage:
            self._print(
                f"(the scratchpad cannot be read back and is empty now: {damage})\n"
            )

    def _timers(self) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that ends the step if the block takes too long."""
        if Layer.PROCESS in self._setting.isolation:
            return step_timers(self._setting.limits, self.expire)
        return contextlib.nullcontext()

    def _execute(self) -> ScriptOutcome:
        """Compile the script, make this step the current one, and run the script."""
        # 1. Compile.
        is_guarded = Layer.LANGUAGE in self._setting.isolation
        gc.disable()  # Compiling makes many objects, none of which are garbage.
        try:
            code = compile_script(self._source, is_guarded=is_guarded)
        except RefusedScript as refused:
            ending = Ending.SYNTAX if refused.is_syntax else Ending.REFUSED
            return ScriptOutcome(ending, describe_refusal(refused))
        finally:
            gc.enable()

        # 2. Run.
        console = Console(self._print)
        main = self._enter_step(console)
        self._set_global_names(main, console, is_guarded=is_guarded)
        try:
            exec(code, vars(main))
        except BaseException as error:  # noqa: BLE001 - the border to the script
            return self._outcome_after(error)
        return ScriptOutcome(Ending.FINISHED)

    def _enter_step(self, console: Console) -> ModuleType:
        """Make this step the current one of the process, and return the module of its script."""
        # `dataclasses`, for example, looks up names of a script's classes in its module.
        main = ModuleType("__main__")
        sys.modules["__main__"] = main

        sys.stdout = console
        sys.stderr = console

        # The modules and builtins of scripts exist only once. They find the step in `STEP`.
        STEP.describe = self._describe
        STEP.call = self.call
        STEP.answer = self.answer
        return main

    def _set_global_names(
        self, main: ModuleType, console: Console, *, is_guarded: bool
    ) -> None:
        """Give the module of a script the names that every script has.

        With the language policy (`is_guarded`), most of them are builtins,
        in place of Python's own. Without it, the script keeps Python's builtins,
        `open` among them, which belong to the whole process. So the names then become
        global names of the script's module.
        """
        names = vars(main)
        ready_modules = {name: self._context.modules[name] for name in READY_MODULES}
        if is_guarded:
            builtin_names = {
                **script_names(self._context.modules),
                **EXCEPTIONS,
                **ready_modules,
            }
            reading = reading_operation(self._setting.operations)
            if reading is not None:
                builtin_names["open"] = build_open(reading, self.call)
            names["__builtins__"] = builtin_names
        else:
            names.update(EXCEPTIONS)
            names.update(ready_modules)
        names["harness"] = self._context.harness
        names["scratchpad"] = self.scratchpad
        names["console"] = console

    def _outcome_after(self, error: BaseException) -> ScriptOutcome:
        """Return the outcome of a script that raised.

        After `exit()` or `exit(0)`, the script counts as finished.
        """
        if type(error) is SystemExit:
            code = error.code
            if code is None or (type(code) is int and code == 0):
                return ScriptOutcome(Ending.FINISHED)
        self.is_spent = isinstance(error, MemoryError)
        return ScriptOutcome(Ending.RAISED, self._describe(error))

    def _describe(self, error: BaseException) -> str:
        """Return the traceback of an exception, through the script's own lines."""
        try:
            if isinstance(error, SystemExit):
                return f"SystemExit: the script ended itself (code {error.code!s:.200})"
            return describe_exception(error, self._source, self._remedy_for_name)
        except BaseException as second:  # noqa: BLE001 - the exception's own methods may raise
            return (
                f"{type(second).__name__} while a {type(error).__name__} was described"
            )

    def _remedy_for_name(self, name: str) -> str:
        """Return what to write instead of an undefined name; empty if unknown."""
        if any(operation.name == name for operation in self._setting.operations):
            return f"write `harness.{name}(...)`"
        if name in SCRATCHPAD_METHODS:
            return f"write `scratchpad.{name}(...)`"
        if name in ("answer", "submit"):
            return "write `harness.answer(scratchpad, verify)`"
        if name == "verify":
            return "define `def verify(sp):` before it is used"
        remedy = BUILTINS_INSTEAD.get(name) or import_hint(name)
        if remedy:
            return remedy
        if is_assigned(name, self._source):
            return f"give it a first value before this line: `{name} = ...`"
        if self._number > 1:
            return "names end with their step: write the whole script again, from its first line on"
        return ""

    def _prepare_scratchpad_for_report(self) -> str:
        """Set `_scratchpad_for_report`.

        Returns an error text if the scratchpad cannot be kept, for example because it
        is too large, and otherwise "".
        """
        try:
            self._scratchpad_for_report = self._changed_scratchpad_to_send()
        except BaseException as error:  # noqa: BLE001 - values may have methods of the script
            return self._describe(error)
        return ""

    def _send_report(self, outcome: ScriptOutcome) -> None:
        """Send the last message of the step."""
        end_of_output = self._channel.end_of_output()
        report = StepReport(outcome.ending, outcome.error, end_of_output, self.is_spent)
        self._channel.send(report, self._scratchpad_for_report)

    def expire(self, reason: str) -> None:
        """Report the step so far, and end this process, because the time of the step is over.

        The handlers of the timers' signals call this.
        It may interrupt any line of this module.
        """
        # 1. If this interrupts the sending of a message, it is called again after that message.
        is_postponed = self._channel.postpone_while_sending(lambda: self.expire(reason))
        if is_postponed:
            return

        # 2. Save the scratchpad if possible. Encoding it may call methods of the script, which may
        #    raise anything; then the report goes without it. A function has no scratchpad, and
        #    after the script, the scratchpad has been prepared already.
        if self._activity in (Activity.SCRIPT, Activity.VERIFY):
            self._scratchpad_for_report = None
            with contextlib.suppress(BaseException):
                self._scratchpad_for_report = self._changed_scratchpad_to_send()

        # 3. Report, and end the process even if that fails. The script would otherwise go on.
        try:
            self._send_report(ScriptOutcome(Ending.LIMIT, reason))
        finally:
            os._exit(0)

    def _print(self, text: str) -> None:
        """Keep text printed while the step runs, and drop text printed after its end."""
        if self._activity is not Activity.OVER:
            self._channel.print(text)

    # The scratchpad

    def _changed_scratchpad_to_send(self) -> Plain:
        """Return the encoded scratchpad if it changed since it was last sent, otherwise None.

        From then on it counts as sent, so the caller must send it with the next message.
        """
        encoded = encode(dict(self.scratchpad))
        if encoded == self._parents_scratchpad:
            return None
        check_size(encoded, self._setting.limits.scratchpad_bytes)
        self._parents_scratchpad = encoded
        return encoded

    def send_scratchpad(self) -> None:
        """Send the scratchpad if it changed.

        This is not a request, so the parent sends no answer.
        """
        if self._activity is not Activity.SCRIPT:
            return
        scratchpad = self._changed_scratchpad_to_send()
        if scratchpad is not None:
            self._channel.send(scratchpad=scratchpad)

    # Requests to the parent

    def call(self, operation: str, positional: list[Any], named: dict[str, Any]) -> Any:
        """Make a call and return its result. Raises what a script's call raises."""
        request = CallRequest(operation, positional, named)
        longest_s = self._call_seconds.get(operation)
        if longest_s is None:
            reply = self._reply_to(request)
        else:
            # The call has its own time limit. Its time does not count as time of the step.
            with longer_call(longest_s):
                reply = self._reply_to(request)

        if isinstance(reply, Refused):
            raise _call_exception(reply)
        return reply.value

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make several calls, which a function of the benchmark wants to be made at the same time.

        Returns their outcomes in the same order:
        results, and errors of calls that failed.
        """
        named_calls = [
            NamedCall(operation, dict(arguments)) for operation, arguments in calls
        ]
        reply = self._reply_to(CallsRequest(named_calls))
        if isinstance(reply, Refused):
            raise _call_exception(reply)

        # The parent's reply has a list. Each item has the form of the reply to a single call.
        outcomes: list[Outcome] = []
        for encoded_reply in reply.value:
            match decode_parent_message(MessageFields(encoded_reply)):
                case Answered(result):
                    outcomes.append(result)
                case Refused(code, message):
                    outcomes.append(CallError(code, message))
        return outcomes

    def cite(self, path: str, reason: str, quote: str) -> str:
        """Cite a path, and return it as the record itself spells it. Raises `CitationError`."""
        reply = self._reply_to(CiteRequest(path, reason, quote))
        if isinstance(reply, Refused):
            if reply.code == NOT_ACCEPTED:
                raise CitationError(reply.message)
            raise _call_exception(reply)
        return str(reply.value)

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad's answer with the script's own check. Raises `GateRejection`."""
        # 1. A script may pass a dict of its own. Its items are then added to the scratchpad.
        if scratchpad is not None and scratchpad is not self.scratchpad:
            if not isinstance(scratchpad, dict):
                kind = type(scratchpad).__name__
                msg = f"harness.answer(scratchpad, verify) takes the scratchpad, not {kind}"
                raise TypeError(msg)
            self.scratchpad.update(scratchpad)

        # 2. Keep `verify`, because the parent will ask for its call. If `verify` itself submits
        #    an answer, which the parent refuses, the first `verify` is kept.
        if self._activity is not Activity.VERIFY:
            self._verify = verify

        # 3. Submit.
        request = AnswerRequest(
            verify_is_callable=callable(verify),
            verify_takes_one_argument=takes_one_argument(verify),
        )
        reply = self._reply_to(request)
        if isinstance(reply, Refused):
            if reply.code == NOT_ACCEPTED:  # by the gates, which check every answer
                raise GateRejection(reply.message)
            raise _call_exception(reply)

    def _reply_to(self, request: Request) -> Answered | Refused:
        """Send a request and return the parent's reply, after doing what the parent asks for."""
        if self._activity is Activity.OVER:
            msg = "the step is over"
            raise RuntimeError(msg)
        self._send_request(request)

        while True:
            message = self._channel.receive()
            match message:
                case Answered() | Refused():
                    return message
                case RunVerify():
                    self._call_verify(message)
                case RunFunction():
                    self._run_function(message)

    def _send_request(self, request: Request) -> None:
        """Send a request. Raises `HarnessError` or `TypeError` if it cannot be sent."""
        # `verify` and functions have no scratchpad that they could change.
        scratchpad: Plain = None
        if self._activity is Activity.SCRIPT:
            scratchpad = self._changed_scratchpad_to_send()
        number = self._requests + 1
        try:
            self._channel.send(request, scratchpad, number)
        except TooLong as error:
            raise HarnessError(RESOURCE_EXHAUSTED, str(error)) from None
        except (TypeError, ValueError, RecursionError) as error:
            name = request.operation if isinstance(request, CallRequest) else "calls"
            msg = f"harness.{name}: an argument is not plain data ({error})"
            raise TypeError(msg) from None
        # Count only requests that were sent: the parent expects numbers without a gap.
        self._requests = number

    @contextlib.contextmanager
    def _during(self, activity: Activity) -> Iterator[None]:
        """Set the current activity within the block, and restore the previous one afterwards."""
        activity_before = self._activity
        self._activity = activity
        try:
            yield
        finally:
            self._activity = activity_before

    # `verify`, for the parent

    def _call_verify(self, task: RunVerify) -> None:
        """Call the script's `verify` on a copy of the scratchpad, and send its reply."""
        # 1. Copy the scratchpad, so that `verify` cannot change it. To encode and decode it
        #    gives the values that the parent and the next step get: a dict for a dataclass.
        copy: dict[str, Any] = decode(encode(dict(self.scratchpad)))

        # 2. With `is_blank`, remove the answer. The parent asks for this second call because
        #    a `verify` that says yes even without an answer does not check anything.
        if task.is_blank:
            for name, blank_value in blank_submission().items():
                if name in copy:
                    copy[name] = blank_value

        # 3. Call `verify`. An exception counts as no.
        says_yes = False
        error_text = ""
        with self._during(Activity.VERIFY):
            try:
                says_yes = is_yes(self._verify(Record(copy)))
            except BaseException as error:  # noqa: BLE001 - the border to the script
                error_text = self._describe(error)
        self._channel.send(VerifyResult(VerifyReply(says_yes, error_text)))

    # Functions of the benchmark, for the parent

    def run_function_alone(self, task: RunFunction) -> None:
        """Run a function of the benchmark without a script, and send its result."""
        pinned_library.begin_step(
            self._setting.now_us, self._setting.seed, _STEP_OF_FUNCTION
        )
        with self._timers():
            self._run_function(task)
        self._activity = Activity.OVER

    def _run_function(self, task: RunFunction) -> None:
        """Run a function of the benchmark, and send its result or its error."""
        gc.disable()  # A function makes little garbage, and searching for it takes time.
        with self._during(Activity.FUNCTION):
            outcome = self._function_outcome(task)
        gc.enable()

        try:
            self._channel.send(outcome)
        except (TooLong, TypeError, ValueError, RecursionError) as error:
            text = f"{task.function} found no plain data: {error}"
            self._channel.send(FunctionFault(INTERNAL, text))

    def _function_outcome(self, task: RunFunction) -> FunctionFields | FunctionFault:
        """Return the result of a function of the benchmark, or its error."""
        setting = self._setting
        known_calls = []
        for call in task.known_calls:
            known_calls.append((call.operation, call.arguments, call.result))
        harness = function_harness(
            setting.operations,
            self.call,
            self.call_all,
            setting.executables,
            known_calls,
        )

        functions = self._context.functions
        try:
            fields = run_function(functions, task.function, harness, task.arguments)
        except (CallError, HarnessError) as error:
            # A call of the function failed, or the function raised such an error on purpose.
            return FunctionFault(error.code, error.message)
        except BaseException as error:  # noqa: BLE001 - the border to the function
            if isinstance(error, MemoryError):
                self.is_spent = True
            text = f"{task.function} broke: {type(error).__name__}: {error}"
            return FunctionFault(INTERNAL, text)
        return FunctionFields(fields)


def _seconds_of_long_calls(setting: Setting) -> dict[str, float]:
    """Return, by operation, the seconds of calls that have time of their own."""
    seconds = {}
    for operation in setting.operations:
        if operation.longest_s:
            seconds[operation.name] = operation.longest_s
    return seconds


def _call_exception(refused: Refused) -> Exception:
    """Return the exception that a script's call raises if the parent refuses it or it fails."""
    if refused.code == UNBOUND:
        return TypeError(refused.message)
    if refused.code == NOT_ACCEPTED:
        return GateRejection(refused.message)
    if refused.code == NOT_FOUND:
        return FileNotFoundError(refused.message)
    return HarnessError(refused.code, refused.message)
