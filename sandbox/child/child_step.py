"""One step on the child's side: its names, its scratchpad, and its messages to the parent.

Whatever a script raises ends its step and nothing more.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import resource
import sys
import zoneinfo
from collections.abc import Callable
from inspect import CO_VARARGS
from types import FunctionType, MethodType, ModuleType, NoneType
from typing import Any, TypeVar

from sandbox.child.harness_builder import build_harness
from sandbox.interface.error_codes import NOT_FOUND, RESOURCE_EXHAUSTED
from sandbox.interface.host import Ending
from sandbox.interface.json_shape import JsonShape
from sandbox.interface.operations import Plain
from sandbox.interface.scratchpad_values import MAX_PARTS, Damaged, check, decode, encode
from sandbox.interface.script_objects import (
    EXCEPTIONS,
    CitationError,
    Console,
    GateRejection,
    HarnessError,
    Record,
    Scratchpad,
    lend,
)
from sandbox.interface.walls import Wall
from sandbox.language.advice import INSTEAD
from sandbox.language.compiler import compile_script, compile_tree, parse_script
from sandbox.language.language_policy import Refused
from sandbox.language.script_errors import describe_exception, describe_refusal
from sandbox.library import module_facades, pinned_clock
from sandbox.library.attribute_guard import AttributeGuard, owns
from sandbox.library.current_step import STEP
from sandbox.library.module_facades import Modules
from sandbox.library.replacements import exit_script
from sandbox.library.script_builtins import ScriptNames
from sandbox.process.child_settings import Setting
from sandbox.process.confinement import VerifyTooLong, step_timers, verify_timer
from sandbox.process.output_channel import Channel

Result = TypeVar("Result")
WORN_MB = 48
"""If a step needed this much more memory than any before, the child ends after it and gives the memory back."""
BLANKED = {"answer": "", "outcome": "", "refs_why": {}}
"""The values that stand in for what was submitted when `verify` is asked with a blank scratchpad."""


class StepRun:
    """One step: its names, its scratchpad, and its talk with the parent."""

    def __init__(self, channel: Channel, setting: Setting, modules: Modules) -> None:
        self._channel = channel
        self._setting = setting
        self._modules = modules
        self._sent: Plain = None
        self._requests = 0
        self._is_verifying = False
        self._is_over = False
        self._check: Any = None
        self._source = ""
        self._number = 0
        self._peak_before_mb = peak_memory_mb()
        self.is_spent = False
        """This process has been close to its memory limit, so the next step gets another."""
        self.scratchpad = Scratchpad()

    def run(self, number: int, source: str, tagged: Plain) -> None:
        """Run a script and send how it ended."""
        channel, self._source, self._number = self._channel, source, number
        channel.begin()
        pinned_clock.begin_step(self._setting.now_us, self._setting.seed, number)
        self._sent = tagged
        lend(self.scratchpad, self.ask, self.keep)
        STEP.zone_data = self._zone_data
        try:
            dict.update(self.scratchpad, decode(tagged))
        except Damaged as damage:
            self._print(f"(the scratchpad cannot be read back and is empty now: {damage})\n")
        is_timed = Wall.PROCESS in self._setting.walls
        with step_timers(self._setting.limits, self.expire) if is_timed else contextlib.nullcontext():
            ending, error = self._execute()
        snapshot, fault = attempt(lambda: (self.snapshot(), ""), lambda raised: (None, self._described(raised)))
        if fault:
            ending = Ending.RAISED if ending is Ending.FINISHED else ending
            error = f"{error}\n{fault}".strip()
        self._is_over = True
        self.is_spent = self.is_spent or peak_memory_mb() > self._peak_before_mb + WORN_MB
        channel.send(["end", None, snapshot, ending.value, error, channel.output.take_end(), self.is_spent])

    def _execute(self) -> tuple[Ending, str]:
        guarded = Wall.LANGUAGE in self._setting.walls
        try:
            if guarded:
                compiled = compile_script(self._source, module_facades.import_refusal)
            else:
                compiled = compile_tree(parse_script(self._source))
        except Refused as refused:
            return (Ending.SYNTAX if refused.is_syntax else Ending.REFUSED), describe_refusal(refused)
        except (MemoryError, RecursionError):
            return Ending.SYNTAX, "SyntaxError:\n  the script is too large or nested too deeply; split it"
        names = self._names(guarded)

        def run() -> tuple[Ending, str]:
            exec(compiled, names)
            return Ending.FINISHED, ""

        return attempt(run, self._raised)

    def _raised(self, error: BaseException) -> tuple[Ending, str]:
        """Return how a step ended whose script raised: leaving with no exit code, or 0, is finishing."""
        if type(error) is SystemExit and type(error.code) in (int, NoneType) and not error.code:
            return Ending.FINISHED, ""
        self.is_spent = isinstance(error, MemoryError)
        return Ending.RAISED, self._described(error)

    def _described(self, error: BaseException) -> str:
        def describe() -> str:
            if isinstance(error, SystemExit):
                return f"SystemExit: the script ended itself (code {error.code!s:.200})"
            return describe_exception(error, self._source, self._instead)

        return attempt(describe, lambda second: f"{type(second).__name__} while a {type(error).__name__} was described")

    def _instead(self, name: str) -> str:
        """Return what to write in place of a name that is not defined, or nothing."""
        is_later = self._number > 1
        gone = "names end with their step; what a later one needs is kept in scratchpad" if is_later else ""
        return INSTEAD.get(name) or module_facades.import_hint(name) or gone

    def _names(self, guarded: bool) -> dict[str, Any]:
        """Return the script's global names."""
        main = sys.modules["__main__"] = ModuleType("__main__")  # Where the library looks up names of its classes.
        names = vars(main)
        sys.stdout = sys.stderr = console = Console(self._print)
        STEP.guard = AttributeGuard(names)
        STEP.describe = self._described
        if guarded:
            script = ScriptNames(STEP.guard, self._modules)
            names["__builtins__"] = script.mapping() | {"exit": exit_script, "quit": exit_script} | EXCEPTIONS
        else:
            names.update(EXCEPTIONS)
        names["harness"] = build_harness(self._setting.operations, self.ask, self.answer)
        names["scratchpad"], names["console"] = self.scratchpad, console
        return names

    def _print(self, text: str) -> None:
        """Keep what is printed while the step runs, and drop what is printed after its end."""
        if not self._is_over:
            self._channel.print(text)

    def snapshot(self) -> Plain:
        """Return the scratchpad's tagged form if it changed since the last one was sent, else None."""
        tagged = encode(dict(self.scratchpad))
        if tagged == self._sent:
            return None
        self._check_size(tagged)
        self._sent = tagged
        return tagged

    def _check_size(self, tagged: Any) -> None:
        bodies = {key: json.dumps([key, each]).encode() for key, each in tagged.items()}
        _refuse_more({key: len(each) for key, each in bodies.items()}, "bytes", self._setting.limits.scratchpad_bytes)
        if sum(JsonShape.of(each).parts - 1 for each in bodies.values()) > MAX_PARTS:
            parts = {key: JsonShape.outside_texts(each).parts - 1 for key, each in bodies.items()}
            _refuse_more(parts, "lists and mappings", MAX_PARTS)
        check(tagged)

    def keep(self) -> None:
        """Send the scratchpad if it changed, without waiting for an answer."""
        if not self._is_verifying and not self._is_over:
            snapshot = self.snapshot()
            if snapshot is not None:
                self._channel.send(["keep", None, snapshot])

    def ask(self, kind: str, parts: list[Any]) -> Any:
        """Ask the parent and return its answer, or raise what it refused."""
        if self._is_over:
            msg = "the step is over"
            raise RuntimeError(msg)
        snapshot = None if self._is_verifying or kind == "zone" else self.snapshot()
        try:
            self._channel.send([kind, None, snapshot, self._requests + 1, *parts])
        except ValueError as error:
            raise HarnessError(RESOURCE_EXHAUSTED, str(error)) from None
        self._requests += 1
        reply = self._channel.receive()
        while reply[0] == "verify":
            says_yes, error_text = self._verify(reply[2])
            self._channel.send(["verified", None, reply[1], says_yes, error_text])
            reply = self._channel.receive()
        if reply[0] == "ok":
            return reply[2]
        raise _refused(kind, reply[2], reply[3])

    def _zone_data(self, key: str) -> io.BytesIO:
        """Return the data of a time zone; only the parent can read its file."""
        try:
            return io.BytesIO(base64.b64decode(self.ask("zone", [key, ""])))
        except FileNotFoundError:
            msg = f"No time zone found with key {key}"
            raise zoneinfo.ZoneInfoNotFoundError(msg) from None

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad's answer with the script's own check of it. Raises `GateRejection`."""
        if scratchpad is not None and scratchpad is not self.scratchpad:
            if not isinstance(scratchpad, dict):
                msg = f"harness.answer(scratchpad, verify) takes the scratchpad, not {type(scratchpad).__name__}"
                raise TypeError(msg)
            self.scratchpad.update(scratchpad)
        if not self._is_verifying:
            self._check = verify
        self.ask("answer", [callable(verify), takes_one(verify)])

    def _verify(self, blank: bool) -> tuple[bool, str]:
        """Call the script's own check on a copy of the scratchpad, and return what it says."""
        copy: dict[str, Any] = decode(encode(dict(self.scratchpad)))
        if blank:
            copy |= {name: type(empty)() for name, empty in BLANKED.items() if name in copy}
        limit_s = self._setting.limits.verify_s

        def check() -> tuple[bool, str]:
            with verify_timer(limit_s):
                said = self._check(Record(copy))
            return said is True or (isinstance(said, dict) and said.get("ok") is True), ""

        def fail(error: BaseException) -> tuple[bool, str]:
            is_late = isinstance(error, VerifyTooLong)
            return False, f"verify ran longer than {limit_s:g} s" if is_late else self._described(error)

        self._is_verifying = True
        try:
            return attempt(check, fail)
        finally:
            self._is_verifying = False

    def expire(self, reason: str) -> None:
        """Send what the step printed and kept, and end the process."""
        channel = self._channel
        if channel.when_sent(lambda: self.expire(reason)):
            return
        snapshot = attempt(self.snapshot, lambda error: None)
        try:
            channel.send(["end", None, snapshot, Ending.LIMIT.value, reason, channel.output.take_end(), True])
        finally:
            os._exit(0)


def attempt(action: Callable[[], Result], otherwise: Callable[[BaseException], Result]) -> Result:
    """Return what code of the script gives, or what `otherwise` makes of whatever it raises."""
    try:
        return action()
    except BaseException as error:  # noqa: BLE001 - the border to the script
        return otherwise(error)


def _refused(kind: str, code: str, message: str) -> Exception:
    if code == "refused":
        return CitationError(message) if kind == "cite" else GateRejection(message)
    if code == NOT_FOUND:
        return FileNotFoundError(message)
    return HarnessError(code, message)


def _refuse_more(counts: dict[str, int], what: str, limit: int) -> None:
    """Raise `ValueError` if the keys of a scratchpad hold more than `limit` together."""
    total = sum(counts.values())
    if total > limit:
        largest = max(counts, key=lambda key: counts[key])
        msg = f"the scratchpad has {total} {what}, at most {limit} are kept; its largest key is {largest[:80]!r}"
        raise ValueError(msg)


def takes_one(function: Any) -> bool:
    """Say whether `function` can be called with one positional argument, by its code alone: nothing of it is run."""
    if not callable(function):
        return False
    taken = 0
    if type(function) is MethodType:
        function, taken = function.__func__, 1
    elif owns(type(function)):
        calls = (each.__dict__["__call__"] for each in type(function).__mro__ if "__call__" in each.__dict__)
        function, taken = next(calls, None), 1
    if type(function) is not FunctionType:
        return True
    code = function.__code__
    most = code.co_argcount - taken
    least = most - len(function.__defaults__ or ())
    needs_names = code.co_kwonlyargcount > len(function.__kwdefaults__ or ())
    has_room = most >= 1 or bool(code.co_flags & CO_VARARGS)
    return least <= 1 and has_room and not needs_names


def peak_memory_mb() -> float:
    """Return the most memory that this process ever had resident, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
