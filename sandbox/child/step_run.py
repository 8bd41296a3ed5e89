"""One step in a script's process: its names, its scratchpad, and its messages to the parent.

An exception of a script ends its step and nothing more.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
from collections.abc import Mapping
from enum import Enum, auto
from inspect import signature
from types import ModuleType
from typing import Any, NamedTuple

from controlplane.sandbox.child import pinned_library
from controlplane.sandbox.child.error_remedies import is_assigned
from controlplane.sandbox.child.harness import function_harness
from controlplane.sandbox.child.isolation import longer_call, step_timers
from controlplane.sandbox.child.language_policy import compile_script
from controlplane.sandbox.child.remedies import BUILTINS_INSTEAD
from controlplane.sandbox.child.scratchpad import Scratchpad
from controlplane.sandbox.child.script_builtins import STEP, forget_step, script_names
from controlplane.sandbox.child.script_errors import (
    Refused,
    describe_exception,
    describe_refusal,
)
from controlplane.sandbox.child.script_exceptions import (
    EXCEPTIONS,
    CitationError,
    GateRejection,
    HarnessError,
)
from controlplane.sandbox.child.script_files import build_open, reading_operation
from controlplane.sandbox.child.script_modules import Modules, import_hint
from controlplane.sandbox.child.script_values import decode, encode
from controlplane.sandbox.child.step_output import Channel, Console
from controlplane.sandbox.functions import run_function
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.frames import UNBOUND, FrameReader, TooLong, is_larger
from controlplane.sandbox.interface.host import Ending, Layer, Setting
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.records import Record
from controlplane.sandbox.interface.tagged_values import Damaged


def blank_submission() -> dict[str, Plain]:
    """Return the submitted values when `verify` is called with a blank scratchpad."""
    return {"answer": "", "outcome": "", "refs_why": {}}


class StepContext(NamedTuple):
    """What the steps of a process share."""

    reader: FrameReader
    setting: Setting
    modules: Modules
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""
    harness: Any


class Activity(Enum):
    """What a step is doing when a call comes."""

    SCRIPT = auto()
    VERIFY = auto()
    """The parent asked for the script's own check, which only reads."""
    FUNCTION = auto()
    """A function of the benchmark runs, which only reads and has no scratchpad."""
    OVER = auto()


class ScriptOutcome(NamedTuple):
    """How a script ended."""

    ending: Ending
    error: str = ""


class StepRun:
    """One step: its names, its scratchpad, and its messages to the parent."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._setting = context.setting
        self._channel = Channel(context.reader, context.setting.limits)
        self._activity = Activity.SCRIPT
        self._requests = 0
        self._longest_s = {
            operation.name: operation.longest_s
            for operation in context.setting.operations
            if operation.longest_s
        }
        """The operations whose calls have time of their own, in seconds."""

        self.scratchpad = Scratchpad(self.ask, self.keep)
        self._sent_scratchpad: Plain = None
        """The tagged form that the parent has."""
        self._last_snapshot: Plain = None
        """The tagged form that the end of the step brings; None if the parent has it."""

        self._source = ""
        self._number = 0
        self._check: Any = None
        """The `verify` of the submission."""
        self.is_spent = False
        """True if this process came to its memory limit: the next step gets another process."""

    # A script, from its first message to its end

    def run(self, number: int, source: str, tagged_scratchpad: Plain) -> None:
        """Run a script and send how it ended."""
        self._source = source
        self._number = number
        pinned_library.begin_step(self._setting.now_us, self._setting.seed, number)
        self._fill_scratchpad(tagged_scratchpad)

        with self._timers():
            outcome = self._execute()
            fault = self._take_last_snapshot()
            self._activity = Activity.OVER
            self._check = None
            forget_step()

        if fault:
            outcome = _with_fault(outcome, fault)
        self._send_end(outcome)

    def _fill_scratchpad(self, tagged_scratchpad: Plain) -> None:
        """Give the scratchpad the content that it had at the end of the last step."""
        self._sent_scratchpad = tagged_scratchpad
        try:
            dict.update(self.scratchpad, decode(tagged_scratchpad))
        except Damaged as damage:
            self._print(f"(the scratchpad cannot be read back and is empty now: {damage})\n")

    def _timers(self) -> contextlib.AbstractContextManager[None]:
        """Return the block within which the step has its time, if it is limited."""
        if Layer.PROCESS in self._setting.isolation:
            return step_timers(self._setting.limits, self.expire)
        return contextlib.nullcontext()

    def _execute(self) -> ScriptOutcome:
        """Compile and run the script."""
        is_guarded = Layer.LANGUAGE in self._setting.isolation
        gc.disable()  # It would search the parts of the script for garbage, and there is none.
        try:
            code = compile_script(self._source, is_guarded=is_guarded)
        except Refused as refused:
            ending = Ending.SYNTAX if refused.is_syntax else Ending.REFUSED
            return ScriptOutcome(ending, describe_refusal(refused))
        finally:
            gc.enable()

        names = self._names(is_guarded)
        try:
            exec(code, names)
        except BaseException as error:  # noqa: BLE001 - the border to the script
            return self._outcome_of(error)
        return ScriptOutcome(Ending.FINISHED)

    def _names(self, is_guarded: bool) -> dict[str, Any]:
        """Return the global names of the script, and set what the library asks of the step."""
        # The library looks up names of a script's classes in its module.
        main = ModuleType("__main__")
        sys.modules["__main__"] = main

        console = Console(self._print)
        sys.stdout = console
        sys.stderr = console

        STEP.describe = self._describe
        STEP.ask = self.ask
        STEP.answer = self.answer

        names = vars(main)
        if is_guarded:
            builtin_names = {**script_names(self._context.modules), **EXCEPTIONS}
            reading = reading_operation(self._setting.operations)
            if reading is not None:
                builtin_names["open"] = build_open(reading, self.ask)
            names["__builtins__"] = builtin_names
        else:
            names.update(EXCEPTIONS)
        names["harness"] = self._context.harness
        names["scratchpad"] = self.scratchpad
        names["console"] = console
        return names

    def _outcome_of(self, error: BaseException) -> ScriptOutcome:
        """Return how a step ended whose script raised; an exit with code 0 or none is no fault."""
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
            return f"{type(second).__name__} while a {type(error).__name__} was described"

    def _remedy_for_name(self, name: str) -> str:
        """Return what to write instead of an undefined name; empty if unknown."""
        remedy = BUILTINS_INSTEAD.get(name) or import_hint(name)
        if remedy:
            return remedy
        if is_assigned(name, self._source):
            return f"give it a first value before this line: `{name} = ...`"
        if self._number > 1:
            return (
                "names end with their step: compute it again in this script, or keep it as "
                f'`scratchpad["{name}"] = ...` in the step that computes it'
            )
        return ""

    def _take_last_snapshot(self) -> str:
        """Keep the scratchpad for the last message of the step.

        Returns why it cannot be kept, for instance because it is too large; empty if it can.
        """
        try:
            self._last_snapshot = self.snapshot()
        except BaseException as error:  # noqa: BLE001 - values may have methods of the script
            return self._describe(error)
        return ""

    def _send_end(self, outcome: ScriptOutcome) -> None:
        """Send the last message of the step.

        The parent kills the process after it if the process is spent.
        """
        end_of_output = self._channel.end_of_output()
        self._channel.send(
            [
                "end",
                None,
                self._last_snapshot,
                outcome.ending.value,
                outcome.error,
                end_of_output,
                self.is_spent,
            ]
        )

    def expire(self, reason: str) -> None:
        """Send the printed text and the scratchpad of the step, and end the process."""
        # A timer may interrupt this process anywhere, even halfway through a message.
        if self._channel.postpone(lambda: self.expire(reason)):
            return

        if self._activity in (Activity.SCRIPT, Activity.VERIFY):
            self._last_snapshot = None
            with contextlib.suppress(BaseException):  # Values may have methods of the script.
                self._last_snapshot = self.snapshot()
        try:
            self._send_end(ScriptOutcome(Ending.LIMIT, reason))
        finally:
            os._exit(0)

    def _print(self, text: str) -> None:
        """Keep text printed while the step runs, and drop text printed after its end."""
        if self._activity is not Activity.OVER:
            self._channel.print(text)

    # The scratchpad

    def snapshot(self) -> Plain:
        """Return the scratchpad's tagged form if it changed since it was last sent, else None."""
        tagged = encode(dict(self.scratchpad))
        if tagged == self._sent_scratchpad:
            return None
        check_size(tagged, self._setting.limits.scratchpad_bytes)
        self._sent_scratchpad = tagged
        return tagged

    def keep(self) -> None:
        """Send the scratchpad if it changed, without waiting for a reply."""
        if self._activity is not Activity.SCRIPT:
            return
        snapshot = self.snapshot()
        if snapshot is not None:
            self._channel.send(["keep", None, snapshot])

    # Requests to the parent

    def ask(self, kind: str, parts: list[Any]) -> Any:
        """Ask the parent and return its answer, or raise its refusal."""
        if self._activity is Activity.OVER:
            msg = "the step is over"
            raise RuntimeError(msg)
        self._send_request(kind, parts)

        reply = self._receive_reply(kind, parts)
        while reply[0] in ("verify", "run"):
            # Before it answers, the parent asks in turn: for the script's own check, or for what
            # a function of the benchmark finds.
            if reply[0] == "run":
                self._compute(*reply[2:])
            else:
                self._answer_verify(request=reply[1], is_blank=reply[2])
            reply = self._channel.receive()

        if reply[0] == "ok":
            return reply[2]
        raise _refusal(kind, *reply[2:])

    def _send_request(self, kind: str, parts: list[Any]) -> None:
        """Send a request. Raises `HarnessError` or `TypeError` if it cannot be sent."""
        snapshot = self.snapshot() if self._activity is Activity.SCRIPT else None
        try:
            self._channel.send([kind, None, snapshot, self._requests + 1, *parts])
        except TooLong as error:
            raise HarnessError(RESOURCE_EXHAUSTED, str(error)) from None
        except (TypeError, ValueError, RecursionError) as error:
            msg = f"harness.{parts[0]}: an argument is not plain data ({error})"
            raise TypeError(msg) from None
        self._requests += 1

    def _receive_reply(self, kind: str, parts: list[Any]) -> list[Any]:
        """Wait for the reply; the time of a call that may take long is not the step's."""
        longest_s = self._longest_s.get(parts[0]) if kind == "call" else None
        if longest_s is None:
            return self._channel.receive()
        with longer_call(longest_s):
            return self._channel.receive()

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad's answer with the script's own check. Raises `GateRejection`."""
        if scratchpad is not None and scratchpad is not self.scratchpad:
            if not isinstance(scratchpad, dict):
                kind = type(scratchpad).__name__
                msg = f"harness.answer(scratchpad, verify) takes the scratchpad, not {kind}"
                raise TypeError(msg)
            self.scratchpad.update(scratchpad)
        if self._activity is not Activity.VERIFY:
            self._check = verify
        self.ask("answer", [callable(verify), takes_one_argument(verify)])

    def _answer_verify(self, request: int, is_blank: bool) -> None:
        """Call the script's own check on a copy of the scratchpad, and send what it says."""
        copy: dict[str, Any] = decode(encode(dict(self.scratchpad)))
        if is_blank:
            for name, blank in blank_submission().items():
                if name in copy:
                    copy[name] = blank

        says_yes = False
        error_text = ""
        activity = self._activity
        self._activity = Activity.VERIFY
        try:
            says_yes = is_yes(self._check(Record(copy)))
        except BaseException as error:  # noqa: BLE001 - the border to the script
            error_text = self._describe(error)
        finally:
            self._activity = activity
        self._channel.send(["verified", None, request, says_yes, error_text])

    # Functions of the benchmark

    def compute_alone(self, function: str, arguments: dict[str, Any], known: list[Any]) -> None:
        """Run a function of the benchmark without a script, and send what it finds."""
        pinned_library.begin_step(self._setting.now_us, self._setting.seed, 0)
        with self._timers():
            self._compute(function, arguments, known)
        self._activity = Activity.OVER

    def _compute(self, function: str, arguments: dict[str, Any], known: list[Any]) -> None:
        """Run a function of the benchmark, and send what it finds or how it failed."""
        fields: Any = None
        fault: Plain = None
        setting = self._setting
        harness = function_harness(setting.operations, self.ask, setting.executables, known)

        activity = self._activity
        self._activity = Activity.FUNCTION
        gc.disable()  # It would be searched for garbage a hundred times, and is gone at its end.
        try:
            fields = run_function(self._context.functions, function, harness, arguments)
        except (CallError, HarnessError) as error:
            fault = [error.code, error.message]
        except BaseException as error:  # noqa: BLE001 - the border to the function
            self.is_spent |= isinstance(error, MemoryError)
            fault = [INTERNAL, f"{function} broke: {type(error).__name__}: {error}"]
        finally:
            gc.enable()
            self._activity = activity

        try:
            self._channel.send(["found", None, None, fields, fault])
        except (TooLong, TypeError, ValueError, RecursionError) as error:
            fault = [INTERNAL, f"{function} found no plain data: {error}"]
            self._channel.send(["found", None, None, None, fault])


def _with_fault(outcome: ScriptOutcome, fault: str) -> ScriptOutcome:
    """Return the outcome of a script whose scratchpad cannot be kept."""
    ending = Ending.RAISED if outcome.ending is Ending.FINISHED else outcome.ending
    return ScriptOutcome(ending, f"{outcome.error}\n{fault}".strip())


def check_size(tagged: Any, max_bytes: int) -> None:
    """Raise `ValueError` for a scratchpad that is too large; the message names its largest key."""
    items = {key: json.dumps([key, value]).encode() for key, value in tagged.items()}
    size = sum(len(body) for body in items.values())
    max_parts = bounds.MOST_SCRATCHPAD_PARTS

    if size > max_bytes:
        fault = f"{size} bytes, at most {max_bytes} are kept"
    elif is_larger(b"".join(items.values()), max_parts + len(items)):
        # Each item is written as a list, which does not count.
        fault = f"more than {max_parts} lists and mappings"
    else:
        return
    largest = max(items, key=lambda key: len(items[key]))
    msg = f"the scratchpad has {fault}; its largest key is {largest[:80]!r}"
    raise ValueError(msg)


def is_yes(reply: Any) -> bool:
    """Say whether a `verify` says yes: `True`, or a mapping whose `ok` is true."""
    if isinstance(reply, dict):
        return reply.get("ok") is True
    return reply is True


def takes_one_argument(function: Any) -> bool:
    """Say whether `function` can be called with one positional argument; True if unknown."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    except BaseException:  # noqa: BLE001 - a signature may be the script's own
        return True
    return True


def _refusal(kind: str, code: str, message: str) -> Exception:
    """Return the exception by which a script learns that its request was refused."""
    if code == UNBOUND:
        return TypeError(message)
    if code == "refused":
        return CitationError(message) if kind == "cite" else GateRejection(message)
    if code == NOT_FOUND:
        return FileNotFoundError(message)
    return HarnessError(code, message)
