"""One step in a script's process, from the first message to the last.

A step runs a script, or one function of the benchmark. The script sends requests; before the parent
replies, it may ask this process to call the script's `verify` (the script's own check of its answer),
or to run a function. An exception of a script ends only its step; the next step runs in the same
process.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from inspect import signature
from types import CodeType, ModuleType
from typing import Any, Final

from controlplane.sandbox.child.language.pinned_clock import CLOCK
from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.language.script_errors import (
    RefusedScript,
    describe_exception,
    describe_refusal,
    is_assigned,
)
from controlplane.sandbox.child.language.script_modules import (
    BUILTINS_INSTEAD,
    STEP,
    forget_step,
    import_hint,
)
from controlplane.sandbox.child.library import seed_step
from controlplane.sandbox.child.step.conversation import Conversation, Requests
from controlplane.sandbox.child.step.harness import function_harness
from controlplane.sandbox.child.step.scratchpad import (
    SCRATCHPAD_METHODS,
    HarnessError,
    Scratchpad,
    SentScratchpad,
)
from controlplane.sandbox.child.step.script_run import (
    Console,
    StepContext,
    names_of_script,
)
from controlplane.sandbox.child.walls.process_layer import SPARE_MEMORY
from controlplane.sandbox.functions import run_function
from controlplane.sandbox.interface.error_codes import INTERNAL, CallError
from controlplane.sandbox.interface.frames import TooLong
from controlplane.sandbox.interface.host import Ending
from controlplane.sandbox.interface.messages import (
    AnswerRequest,
    Failed,
    Outcome,
    Request,
    Returned,
    RunFunction,
    RunScript,
    RunVerify,
    StepReport,
)
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.records import Record
from controlplane.sandbox.interface.tagged_values import Damaged

NO_SCRIPT: Final = RunScript(number=0, source="", scratchpad=None, wall_ms=0)
"""The task of a step in which only a function of the benchmark runs. Steps with a script
are numbered from 1. The number pins a step's randomness, so that a replay gets the same."""


class Step:
    """Runs one step: a script, or only a function of the benchmark (`NO_SCRIPT`).

    A step begins with a fresh clock and fresh random numbers. It ends with a report to the
    parent; nothing of the script is left for the next step but its scratchpad.
    """

    def __init__(self, context: StepContext, task: RunScript) -> None:
        setting = context.setting
        self._context = context
        """What all steps of this process share: the connection, the setting, the modules."""
        self._task = task
        self.conversation = Conversation(context.connection, setting.limits)
        self.activity = self.conversation.activity
        self.requests = Requests(self._reply_to, context.call_seconds)
        """What scripts and functions use: the calls of `harness`, such as `read`."""
        self.scratchpad = Scratchpad(self.requests.cite, self.send_scratchpad)
        """The dict that the script sees."""
        self._sent_scratchpad = SentScratchpad(
            self.scratchpad, setting.limits.scratchpad_bytes
        )
        """What the parent knows of that dict."""
        self._last_scratchpad: Plain = None
        """The encoded scratchpad to send with the report; None if the parent already has it."""
        self._submitted_verify: Any = None
        """The `verify` of the submitted answer."""
        self.is_spent = False
        """True if this process reached its memory limit. The next step gets another process."""

    # From the beginning to the end

    def run(self) -> None:
        """Run the script and report how it ended. The order of the last steps matters."""
        self._pin_library()
        try:
            self._sent_scratchpad.fill(self._task.scratchpad)
        except Damaged as damage:
            # It stays empty.
            self.conversation.print(
                f"(the scratchpad cannot be read back and is empty now: {damage})\n"
            )

        # All of this may run code of the script, so it counts as time of the step.
        with self._timers():
            ending, error_text = self._execute()
            # Encoding the scratchpad may call methods of its values, which may send requests.
            try:
                self._last_scratchpad = self._sent_scratchpad.take_changed()
            except BaseException as error:  # noqa: BLE001 - values may have methods of the script
                # A script that finished then counts as one that raised.
                if ending is Ending.FINISHED:
                    ending = Ending.RAISED
                error_text = f"{error_text}\n{self._describe(error)}".strip()
            # From here on, the script can send nothing: the report will be the next message.
            self.activity.is_over = True
            # Nothing may refer to the script's objects in the next step: neither its `verify`
            # nor what the modules keep for it. Their finalizers run now.
            self._submitted_verify = None
            forget_step()
        self._report(ending, error_text)

    def _execute(self) -> tuple[Ending, str]:
        """Compile the script, make its step the current one, and run the script.

        Returns how it ended, and the traceback or the refusal that the model is shown. Nothing
        that the script raises leaves this method.
        """
        try:
            code = self._compile()
        except RefusedScript as refused:
            ending = Ending.SYNTAX if refused.is_syntax else Ending.REFUSED
            return ending, describe_refusal(refused)

        main = self._enter()
        try:
            exec(code, vars(main))
        except BaseException as error:  # noqa: BLE001 - the border to the script
            if type(error) is SystemExit and _is_success(error.code):
                return Ending.FINISHED, ""
            if isinstance(error, MemoryError):
                SPARE_MEMORY.clear()
                self.is_spent = True
            return Ending.RAISED, self._describe(error)
        return Ending.FINISHED, ""

    def _compile(self) -> CodeType:
        """Return the compiled script. Raises `RefusedScript` if it is not Python, or not allowed."""
        gc.disable()  # Compiling makes many objects, none of which are garbage.
        try:
            is_guarded = self._context.has_language_policy
            return compile_script(self._task.source, is_guarded=is_guarded)
        finally:
            gc.enable()

    def _enter(self) -> ModuleType:
        """Make this step the current one of the process, and return the module of its script.

        The next step replaces all that is set here.
        """
        # `dataclasses`, for example, looks up names of a script's classes in its module.
        main = ModuleType("__main__")
        sys.modules["__main__"] = main

        console = Console(self.conversation.print)
        sys.stdout = console
        sys.stderr = console

        # The modules and builtins of scripts exist only once. They find the step in `STEP`.
        STEP.describe = self._describe
        STEP.call = self.requests.call
        STEP.answer = self.answer

        source = self._task.source
        call = self.requests.call
        names = names_of_script(self._context, source, call, self.scratchpad, console)
        vars(main).update(names)
        return main

    def run_alone(self, task: RunFunction) -> None:
        """Run a function of the benchmark without a script, and send its result."""
        self._pin_library()
        with self._timers():
            self._compute(task)
        self.activity.is_over = True

    def _pin_library(self) -> None:
        """Set the clock and the random numbers of this step, which a replay gets again."""
        setting = self._context.setting
        CLOCK.begin_step(setting.now_us)
        seed_step(setting.seed, self._task.number)

    def _timers(self) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that ends the step if the block takes too long."""
        timers = self._context.timers
        if timers is None:
            return contextlib.nullcontext()
        # A function that runs alone has the time of any step. The parent ends it with its trial.
        wall_s = self._task.wall_ms / 1000 or self._context.setting.limits.step_wall_s
        return timers.during_step(self._expire, wall_s)

    def _report(self, ending: Ending, error_text: str) -> None:
        """Send the last message of the step."""
        end_of_output = self.conversation.output.end()
        report = StepReport(ending, error_text, end_of_output, self.is_spent)
        self.conversation.send(report, self._last_scratchpad)

    def _expire(self, reason: str) -> None:
        """Report the step so far, and end this process, because the time of the step is over.

        The handlers of the timers' signals call this.
        It may interrupt any line of the step.
        """
        # 1. If this interrupts the sending of a message, it is called again after that message.
        if self.conversation.postpone_while_sending(lambda: self._expire(reason)):
            return

        # 2. While the script or its `verify` runs, save the scratchpad if possible. Encoding it may
        #    call methods of the script, which may raise anything; then the report goes without
        #    it. (A function of the benchmark has no scratchpad. After the script, it was saved.)
        if not self.activity.in_function and not self.activity.is_over:
            self._last_scratchpad = None
            with contextlib.suppress(BaseException):
                self._last_scratchpad = self._sent_scratchpad.take_changed()

        # 3. Report, and end the process even if that fails. The script would otherwise go on.
        try:
            self._report(Ending.LIMIT, reason)
        finally:
            os._exit(0)

    # The errors of the script, as the model is shown them

    def _describe(self, error: BaseException) -> str:
        """Return the traceback of an exception, through the script's own lines."""
        try:
            if isinstance(error, SystemExit):
                return f"SystemExit: the script ended itself (code {error.code!s:.200})"
            return describe_exception(error, self._task.source, self._remedy_for_name)
        except BaseException as second:  # noqa: BLE001 - the exception's own methods may raise
            return (
                f"{type(second).__name__} while a {type(error).__name__} was described"
            )

    def _remedy_for_name(self, name: str) -> str:
        """Return what to write instead of an undefined name; empty if unknown."""
        for operation in self._context.setting.operations:
            if operation.name == name:
                place = "tools" if operation.is_function else "harness"
                return f"write `{place}.{name}(...)`"
        if name in SCRATCHPAD_METHODS:
            return f"write `scratchpad.{name}(...)`"
        if name in ("answer", "submit"):
            return "write `harness.answer(scratchpad, verify)`"
        if name == "verify":
            return "define `def verify(sp):` before it is used"
        remedy = BUILTINS_INSTEAD.get(name) or import_hint(name)
        if remedy:
            return remedy
        if is_assigned(name, self._task.source):
            return f"give it a first value before this line: `{name} = ...`"
        if self._task.number > 1:
            return "names end with their step: write the whole script again, from its first line on"
        return ""

    # Requests, and the parent's tasks before it replies

    def _reply_to(self, request: Request) -> Outcome:
        """Send a request and return the parent's reply, after doing what the parent asks for.

        Raises `RuntimeError` if the step is over, for example in a finalizer of the script.
        """
        if self.activity.is_over:
            msg = "the step is over"
            raise RuntimeError(msg)
        self.conversation.request(request, self._changed_scratchpad())

        while True:
            message = self.conversation.receive()
            match message:
                case Returned() | Failed():
                    return message
                case RunVerify():
                    self.conversation.send(self._verify(message))
                case RunFunction():
                    self._compute(message)

    def send_scratchpad(self) -> None:
        """Send the scratchpad if it changed.

        This is not a request, so the parent sends no reply.
        """
        scratchpad = self._changed_scratchpad()
        if scratchpad is not None:
            self.conversation.send(scratchpad=scratchpad)

    def _changed_scratchpad(self) -> Plain:
        """Return the scratchpad if the script has changed it since it was sent, otherwise None.

        The caller sends it, so it counts as sent from now on.
        """
        # `verify` and functions have no scratchpad that they could change.
        if not self.activity.is_script:
            return None
        return self._sent_scratchpad.take_changed()

    # The answer, and the script's own check of it
    #
    # The parent asks for two calls of `verify`: one with the scratchpad as it is, and one
    # without the submitted values. A check that says yes to both checks nothing.

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad's answer with the script's own check. Raises `GateRejection`."""
        # A script may pass a dict of its own. Its items are then added to the scratchpad.
        if scratchpad is not None and scratchpad is not self.scratchpad:
            if not isinstance(scratchpad, dict):
                kind = type(scratchpad).__name__
                msg = f"harness.answer(scratchpad, verify) takes the scratchpad, not {kind}"
                raise TypeError(msg)
            self.scratchpad.update(scratchpad)

        # `verify` may submit an answer itself. The parent refuses that, so the `verify` of the
        # first answer is kept.
        if not self.activity.in_verify:
            self._submitted_verify = verify

        request = AnswerRequest(
            verify_is_callable=callable(verify),
            verify_takes_one_argument=_takes_one_argument(verify),
        )
        self.requests.answer(request)

    def _verify(self, task: RunVerify) -> Outcome:
        """Call the script's `verify` with a copy of the scratchpad, and return what it said.

        `is_blank` asks for a copy without the answer. A `verify` that then says yes checks
        nothing. An exception counts as no.
        """
        if self.is_spent:
            return Failed(INTERNAL, "there is no memory left")
        copy = self._sent_scratchpad.copy()
        if task.is_blank:
            copy = _without_submission(copy)
        with self.activity.during_verify():
            try:
                return Returned(_is_yes(self._submitted_verify(Record(copy))))
            except BaseException as error:  # noqa: BLE001 - the border to the script
                if isinstance(error, MemoryError):
                    SPARE_MEMORY.clear()
                    self.is_spent = True
                return Failed(INTERNAL, self._describe(error))

    # Functions of the benchmark

    def _compute(self, task: RunFunction) -> None:
        """Run a function of the benchmark, and send its result or its error.

        A result that cannot be sent, for example because it is too long, becomes an error.
        """
        with self.activity.during_function():
            outcome = self._outcome_of_function(task)
        try:
            self.conversation.send(outcome)
        except (TooLong, TypeError, ValueError, RecursionError) as error:
            text = f"{task.function} found no plain data: {error}"
            self.conversation.send(Failed(INTERNAL, text))

    def _outcome_of_function(self, task: RunFunction) -> Outcome:
        """Run a function, and return its result or its error."""
        setting = self._context.setting
        harness = function_harness(
            setting.operations,
            self.requests.call,
            self.requests.call_all,
            setting.executables,
            [tuple(call) for call in task.known_calls],
        )
        gc.disable()  # A function makes little garbage, and searching for it takes time.
        try:
            functions = self._context.functions
            return Returned(run_function(functions, task.function, harness, task.named))
        except (CallError, HarnessError) as error:
            # A call of the function failed, or the function raised such an error on purpose.
            return Failed(error.code, error.message)
        except BaseException as error:  # noqa: BLE001 - the border to the function
            if isinstance(error, MemoryError):
                SPARE_MEMORY.clear()
                self.is_spent = True
            text = f"{task.function} broke: {type(error).__name__}: {error}"
            return Failed(INTERNAL, text)
        finally:
            gc.enable()


def _is_success(exit_code: object) -> bool:
    """Return True for the code of `exit()` and `exit(0)`, after which a script counts as finished."""
    return exit_code is None or (type(exit_code) is int and exit_code == 0)


def _without_submission(scratchpad: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a scratchpad in which the submitted values are blank."""
    blank_values: dict[str, Plain] = {"answer": "", "outcome": "", "refs_why": {}}
    copy = dict(scratchpad)
    for name, blank_value in blank_values.items():
        if name in copy:
            copy[name] = blank_value
    return copy


def _is_yes(reply: Any) -> bool:
    """Return True if a reply of `verify` is a yes: `True`, or a mapping whose `ok` is `True`."""
    if isinstance(reply, dict):
        return reply.get("ok") is True
    return reply is True


def _takes_one_argument(function: Any) -> bool:
    """Return True if `function` can be called with one positional argument; True if unknown."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    except BaseException:  # noqa: BLE001 - the object may have a `__signature__` of the script
        return True
    return True
