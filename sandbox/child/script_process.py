"""The process of a trial's scripts: prepared once, it runs one step after another, and releases each step's objects.

A step has its names, its scratchpad, its printed text, and its messages to the parent. An exception of a script ends
its step and nothing more.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import gc
import json
import os
import string
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from inspect import signature
from socket import socket, socketpair
from types import ModuleType, NoneType, SimpleNamespace
from typing import Any, Final, NamedTuple, TypeVar, cast

from controlplane.sandbox.child import script_builtins
from controlplane.sandbox.child.isolation import (
    NEEDED,
    Kernel,
    confine_child,
    longer_call,
    step_timers,
)
from controlplane.sandbox.child.language_policy import (
    INSTEAD,
    Refused,
    compile_script,
    describe_exception,
    describe_refusal,
)
from controlplane.sandbox.child.script_builtins import (
    STEP,
    Modules,
    build,
    replacements,
    script_names,
    stable,
)
from controlplane.sandbox.child.script_guards import facade, guard_library
from controlplane.sandbox.child.script_values import (
    EXCEPTIONS,
    Ask,
    CitationError,
    Console,
    GateRejection,
    HarnessError,
    Scratchpad,
    decode,
    encode,
    parsed,
    result_type,
    wrapped,
)
from controlplane.sandbox.functions import Call, Harness, Outcome, run_function
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.frames import (
    UNBOUND,
    Closed,
    FrameReader,
    TooLong,
    is_larger,
    json_text,
    send_body,
    send_frame,
)
from controlplane.sandbox.interface.host import (
    Ending,
    Layer,
    Limits,
    Setting,
    read_setting,
)
from controlplane.sandbox.interface.operations import Operation, Plain
from controlplane.sandbox.interface.records import Record
from controlplane.sandbox.interface.tagged_values import Damaged

Result = TypeVar("Result")
BLANKED: Final = {"answer": "", "outcome": "", "refs_why": {}}
"""The submitted values when `verify` is called with a blank scratchpad."""
FLUSH_CHARS: Final = 16_000

ELSEWHERE: Final = {
    "cite": "scratchpad.cite(path, reason, quote)",
    "uncite": "scratchpad.uncite(path)",
    **dict.fromkeys(("submit", "finish", "done"), "harness.answer(scratchpad, verify)"),
    **dict.fromkeys(("log", "print"), "print(...)"),
}
"""Names that scripts look for in `harness`, with the real names and places."""
SYNONYMS: Final = {
    **dict.fromkeys(("open", "cat", "load", "get"), "read"),
    **dict.fromkeys(("run", "call", "execute", "shell", "sql", "bash"), "exec"),
    **dict.fromkeys(("grep", "query"), "search"),
    **dict.fromkeys(("glob", "locate"), "find"),
    **dict.fromkeys(("ls", "dir", "listdir"), "list"),
    **dict.fromkeys(("rm", "remove", "unlink"), "delete"),
    **dict.fromkeys(("save", "put", "create"), "write"),
    **dict.fromkeys(("exists", "info"), "stat"),
}
"""Names that other tools give an operation, and its name here."""


class Channel:
    """The child's end of the socket in one step: printed text travels with the messages, in order. The first half of
    the allowance and the end of long output are kept."""

    def __init__(self, reader: FrameReader, limits: Limits) -> None:
        self._reader = reader
        self._frame_bytes = limits.frame_bytes
        self._half = limits.output_chars // 2
        self._is_sending = False
        self._expired: Callable[[], None] | None = None
        self._head: list[str] = []
        self._room = self._half
        self._pending = 0
        self._tail: list[str] = []
        self._tail_chars = 0
        self._dropped = 0

    def print(self, text: str) -> None:
        """Keep a text for the parent."""
        text = stable(text)
        if self._room > 0:
            head, text = text[: self._room], text[self._room :]
            self._head.append(head)
            self._room -= len(head)
            self._pending += len(head)
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            if self._tail_chars > 4 * self._half + FLUSH_CHARS:
                self._shorten()
        if self._pending >= FLUSH_CHARS:
            self.send(["out", None])

    def end_of_output(self) -> str:
        """Return the text printed after the first half, with a line that says how much was cut out before it."""
        self._shorten()
        return (
            f"\n... {self._dropped} characters cut out here ...\n{self._tail[0]}"
            if self._dropped
            else self._tail[0]
        )

    def _shorten(self) -> None:
        text = "".join(self._tail)
        kept = text[-self._half :] if self._half else ""
        self._dropped += len(text) - len(kept)
        self._tail, self._tail_chars = [kept], len(kept)

    def send(self, message: list[Plain]) -> None:
        """Send one message; its second part becomes the text printed since the last message."""
        message[1] = "".join(self._head)
        self._is_sending = True
        try:
            body = stable(json_text(message)).encode("utf-8", "replace")
            send_body(self._reader.connection, body, self._frame_bytes)
            self._head, self._pending = [], 0
        finally:
            self._is_sending = False
        if self._expired is not None:
            self._expired()

    def when_sent(self, expired: Callable[[], None]) -> bool:
        """Return False if no message is half sent; otherwise call `expired` once the message is sent."""
        self._expired = expired if self._is_sending else None
        return self._is_sending

    def receive(self) -> list[Any]:
        """Return the parent's next message."""
        return self._reader.receive(bounds.MOST_FROM_PARENT)


class Shared(NamedTuple):
    """What the steps of a process share."""

    reader: FrameReader
    setting: Setting
    modules: Modules
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""
    harness: Any


class StepRun:
    """One step: its names, its scratchpad, and its messages to the parent."""

    def __init__(self, shared: Shared) -> None:
        setting = shared.setting
        self._channel = Channel(shared.reader, setting.limits)
        self._shared = shared
        self._is_computing = False
        self._setting = setting
        self._longest_s = {one.name: one.longest_s for one in setting.operations if one.longest_s}
        self._sent: Plain = None
        self._last: Plain = None
        """The snapshot that the end of the step brings; None if it did not change."""
        self._requests = 0
        self._is_verifying = False
        self._is_over = False
        self._check: Any = None
        self._source = ""
        self._number = 0
        self.is_spent = False
        """True if this process came to its memory limit, so that the next step gets another process."""
        self.scratchpad = Scratchpad(self.ask, self.keep)

    def run(self, number: int, source: str, tagged: Plain) -> None:
        """Run a script and send how it ended."""
        self._source, self._number = source, number
        script_builtins.begin_step(self._setting.now_us, self._setting.seed, number)
        self._sent = tagged
        try:
            dict.update(self.scratchpad, decode(tagged))
        except Damaged as damage:
            self._print(f"(the scratchpad cannot be read back and is empty now: {damage})\n")
        is_timed = Layer.PROCESS in self._setting.isolation
        with (
            step_timers(self._setting.limits, self.expire) if is_timed else contextlib.nullcontext()
        ):
            ending, error = self._execute()
            self._last, fault = attempt(
                lambda: (self.snapshot(), ""), lambda raised: (None, self._described(raised))
            )
            self._is_over, self._check = True, None
            script_builtins.forget_step()
        if fault:
            ending = Ending.RAISED if ending is Ending.FINISHED else ending
            error = f"{error}\n{fault}".strip()
        self._end(ending, error)

    def _end(self, ending: Ending, error: str) -> None:
        channel = self._channel
        channel.send(
            ["end", None, self._last, ending.value, error, channel.end_of_output(), self.is_spent]
        )

    def compute_alone(self, function: str, arguments: dict[str, Any], known: list[Any]) -> None:
        """Run a function of the benchmark without a script, and send what it finds."""
        script_builtins.begin_step(self._setting.now_us, self._setting.seed, 0)
        is_timed = Layer.PROCESS in self._setting.isolation
        with (
            step_timers(self._setting.limits, self.expire) if is_timed else contextlib.nullcontext()
        ):
            self._compute(function, arguments, known)
        self._is_over = True

    def _compute(self, function: str, arguments: dict[str, Any], known: list[Any]) -> None:
        """Run a function of the benchmark, and send what it finds or how it failed."""
        harness = function_harness(
            self._setting.operations, self.ask, self._setting.executables, known
        )

        def failed(error: BaseException) -> tuple[Plain, list[Plain]]:
            self.is_spent |= isinstance(error, MemoryError)
            if isinstance(error, CallError | HarnessError):
                return None, [error.code, error.message]
            return None, [INTERNAL, f"{function} broke: {type(error).__name__}: {error}"]

        self._is_computing = True
        gc.disable()  # It would be searched for garbage a hundred times, and is gone at its end.
        fields, fault = attempt(
            lambda: (run_function(self._shared.functions, function, harness, arguments), None),
            failed,
        )
        gc.enable()
        self._is_computing = False
        try:
            self._channel.send(["found", None, None, fields, fault])
        except (TooLong, TypeError, ValueError, RecursionError) as error:
            self._channel.send(
                ["found", None, None, None, [INTERNAL, f"{function} found no plain data: {error}"]]
            )

    def _execute(self) -> tuple[Ending, str]:
        guarded = Layer.LANGUAGE in self._setting.isolation
        gc.disable()  # It would search the parts of the script for garbage, and there is none.
        try:
            compiled = compile_script(self._source, is_guarded=guarded)
        except Refused as refused:
            return (Ending.SYNTAX if refused.is_syntax else Ending.REFUSED), describe_refusal(
                refused
            )
        finally:
            gc.enable()
        names = self._names(guarded)

        def run() -> tuple[Ending, str]:
            exec(compiled, names)
            return Ending.FINISHED, ""

        return attempt(run, self._raised)

    def _raised(self, error: BaseException) -> tuple[Ending, str]:
        """Return how a step ended whose script raised: an exit without a code, or with code 0, counts as finished."""
        if type(error) is SystemExit and type(error.code) in (int, NoneType) and not error.code:
            return Ending.FINISHED, ""
        self.is_spent = isinstance(error, MemoryError)
        return Ending.RAISED, self._described(error)

    def _described(self, error: BaseException) -> str:
        def describe() -> str:
            if isinstance(error, SystemExit):
                return f"SystemExit: the script ended itself (code {error.code!s:.200})"
            return describe_exception(error, self._source, self._instead)

        return attempt(
            describe,
            lambda second: f"{type(second).__name__} while a {type(error).__name__} was described",
        )

    def _instead(self, name: str) -> str:
        is_later = self._number > 1
        gone = (
            "names end with their step; what a later one needs is kept in scratchpad"
            if is_later
            else ""
        )
        return INSTEAD.get(name) or script_builtins.import_hint(name) or gone

    def _names(self, guarded: bool) -> dict[str, Any]:
        main = sys.modules["__main__"] = ModuleType(
            "__main__"
        )  # The library looks up names of its classes there.
        names = vars(main)
        sys.stdout = sys.stderr = console = Console(self._print)
        STEP.describe, STEP.ask, STEP.answer = self._described, self.ask, self.answer
        if guarded:
            names["__builtins__"] = script_names(self._shared.modules) | EXCEPTIONS
        else:
            names.update(EXCEPTIONS)
        names["harness"], names["scratchpad"], names["console"] = (
            self._shared.harness,
            self.scratchpad,
            console,
        )
        return names

    def _print(self, text: str) -> None:
        """Keep text printed while the step runs, and drop text printed after its end."""
        if not self._is_over:
            self._channel.print(text)

    def snapshot(self) -> Plain:
        """Return the scratchpad's tagged form if it changed since it was last sent, else None."""
        tagged = encode(dict(self.scratchpad))
        if tagged == self._sent:
            return None
        self._check_size(tagged)
        self._sent = tagged
        return tagged

    def _check_size(self, tagged: Any) -> None:
        """Raise `ValueError` for a scratchpad that is too large."""
        bodies = {key: json.dumps([key, value]).encode() for key, value in tagged.items()}
        size, most = sum(map(len, bodies.values())), self._setting.limits.scratchpad_bytes
        if size > most:
            held = f"{size} bytes, at most {most} are kept"
        elif is_larger(b"".join(bodies.values()), bounds.MOST_SCRATCHPAD_PARTS + len(bodies)):
            held = f"more than {bounds.MOST_SCRATCHPAD_PARTS} lists and mappings"
        else:
            return
        largest = max(bodies, key=lambda key: len(bodies[key]))
        msg = f"the scratchpad has {held}; its largest key is {largest[:80]!r}"
        raise ValueError(msg)

    def keep(self) -> None:
        """Send the scratchpad if it changed, without waiting for a reply."""
        if not (self._is_verifying or self._is_computing or self._is_over):
            snapshot = self.snapshot()
            if snapshot is not None:
                self._channel.send(["keep", None, snapshot])

    def ask(self, kind: str, parts: list[Any]) -> Any:
        """Ask the parent and return its answer, or raise its refusal."""
        if self._is_over:
            msg = "the step is over"
            raise RuntimeError(msg)
        snapshot = None if self._is_verifying or self._is_computing else self.snapshot()
        try:
            self._channel.send([kind, None, snapshot, self._requests + 1, *parts])
        except TooLong as error:
            raise HarnessError(RESOURCE_EXHAUSTED, str(error)) from None
        except (TypeError, ValueError, RecursionError) as error:
            msg = f"harness.{parts[0]}: an argument is not plain data ({error})"
            raise TypeError(msg) from None
        self._requests += 1
        longest_s = self._longest_s.get(parts[0], 0.0) if kind == "call" else 0.0
        with longer_call(longest_s) if longest_s else contextlib.nullcontext():
            reply = self._channel.receive()
        while reply[0] in ("verify", "run"):
            if reply[0] == "run":
                self._compute(*reply[2:])
            else:
                says_yes, error_text = self._verify(reply[2])
                self._channel.send(["verified", None, reply[1], says_yes, error_text])
            reply = self._channel.receive()
        if reply[0] == "ok":
            return reply[2]
        raise _refused(kind, *reply[2:])

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad's answer with the script's own check of it. Raises `GateRejection`."""
        if scratchpad is not None and scratchpad is not self.scratchpad:
            if not isinstance(scratchpad, dict):
                msg = f"harness.answer(scratchpad, verify) takes the scratchpad, not {type(scratchpad).__name__}"
                raise TypeError(msg)
            self.scratchpad.update(scratchpad)
        if not self._is_verifying:
            self._check = verify
        self.ask(
            "answer", [callable(verify), attempt(lambda: takes_one(verify), lambda error: True)]
        )

    def _verify(self, blank: bool) -> tuple[bool, str]:
        """Call the script's own check on a copy of the scratchpad, and return its reply."""
        copy: dict[str, Any] = decode(encode(dict(self.scratchpad)))
        if blank:
            copy |= {name: type(empty)() for name, empty in BLANKED.items() if name in copy}

        def check() -> tuple[bool, str]:
            said = self._check(Record(copy))
            return said is True or (isinstance(said, dict) and said.get("ok") is True), ""

        self._is_verifying = True
        try:
            return attempt(check, lambda error: (False, self._described(error)))
        finally:
            self._is_verifying = False

    def expire(self, reason: str) -> None:
        """Send the printed text and the scratchpad of the step, and end the process."""
        if self._channel.when_sent(lambda: self.expire(reason)):
            return
        if not (self._is_over or self._is_computing):
            self._last = attempt(self.snapshot, lambda error: None)
        try:
            self._end(Ending.LIMIT, reason)
        finally:
            os._exit(0)


def step_harness(operations: tuple[Operation, ...]) -> Any:
    """Return `harness` for all steps of a process: its calls are those of the running step."""
    return build_harness(
        operations, lambda *asked: STEP.ask(*asked), lambda *given: STEP.answer(*given)
    )


def build_harness(operations: tuple[Operation, ...], ask: Ask, answer: Callable[..., None]) -> Any:
    """Return the object behind the name `harness`: one method for each operation, and `answer`."""
    methods: dict[str, Any] = {}
    servers: dict[str, dict[str, Any]] = {}
    for one in operations:
        server, dot, name = one.name.partition(".")
        if not one.finds:
            home = servers.setdefault(server, {}) if dot else methods
            home[name or server] = _method(one, one.name, ask)
    methods |= {
        name: _namespace(f"harness.{name}", members, {}) for name, members in servers.items()
    }
    tools: dict[str, Any] = {
        one.name: _method(one, f"tools.{one.name}", ask) for one in operations if one.finds
    }

    def submit(
        scratchpad: Any = None, verify: Any = None
    ) -> None:  # A function: messages count the arguments.
        answer(scratchpad, verify)

    methods["answer"] = _named(submit, "harness.answer", StepRun.answer.__doc__)
    if tools:
        methods["tools"] = _namespace("harness.tools", tools, {})
    return _namespace(
        "harness", methods, ELSEWHERE | {name: f"harness.tools.{name}" for name in tools}
    )


def function_harness(
    operations: tuple[Operation, ...],
    ask: Ask,
    executables: Mapping[str, str],
    known: Sequence[Any] = (),
) -> Harness:
    """Return `harness` for the benchmark's functions: the operations of scripts, and calls side by side."""

    def side_by_side(calls: Sequence[Call]) -> list[Outcome]:
        outcomes = ask("calls", [[[operation, dict(given)] for operation, given in calls]])
        return [parts[0] if kind == "ok" else CallError(*parts) for kind, *parts in outcomes]

    names: dict[str, Any] = {
        one.name: _method(one, one.name, ask) for one in operations if not one.finds
    }
    return cast(
        "Harness",
        SimpleNamespace(**names, executables=executables, known=known, side_by_side=side_by_side),
    )


def _namespace(called: str, members: dict[str, Any], elsewhere: Mapping[str, str]) -> Any:
    """Return an object with these members; asked for any other, the object names them to the script."""
    names = sorted(members)

    def missing(name: str) -> str:
        synonym = SYNONYMS.get(name)
        near = [synonym] if synonym in names else difflib.get_close_matches(name, names, n=1)
        meant = elsewhere.get(name) or "".join(f"{called}.{member}" for member in near)
        hint = f"did you mean {meant}? It" if meant else "it"
        return f"{called} has no {name!r}; {hint} has {', '.join(names)}."

    return facade(f"{called}: {', '.join(names)}", members, missing)


def _method(operation: Operation, name: str, ask: Ask) -> Callable[..., Any]:
    kind, declared = (
        result_type(operation, ask),
        [parameter.name for parameter in operation.parameters],
    )

    def call(*given: Any, **named: Any) -> Any:
        try:
            result = ask("call", [operation.name, list(given), named])
        except TypeError as error:
            wrong = next((name for name in named if name not in declared), "")
            near = difflib.get_close_matches(wrong, declared, n=1)
            raise TypeError(str(error) + (f"; did you mean {near[0]!r}?" if near else "")) from None
        return wrapped(parsed(result, operation), kind)

    return _named(call, name, operation.summary)


def _named(function: Callable[..., Any], name: str, text: str | None) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def attempt(action: Callable[[], Result], otherwise: Callable[[BaseException], Result]) -> Result:
    """Return the result of a script's code, or of `otherwise` for any exception."""
    try:
        return action()
    except BaseException as error:  # noqa: BLE001 - the border to the script
        return otherwise(error)


def _refused(kind: str, code: str, message: str) -> Exception:
    if code == UNBOUND:
        return TypeError(message)
    if code == "refused":
        return CitationError(message) if kind == "cite" else GateRejection(message)
    if code == NOT_FOUND:
        return FileNotFoundError(message)
    return HarnessError(code, message)


def takes_one(function: Any) -> bool:
    """Say whether `function` can be called with one positional argument. Raises what its own signature raises."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    return True


_WARM_SCRIPT: Final = """
record = harness.read("/a.json").json()
print(len(record), f"{sorted(record)}")
scratchpad["answer"] = str(record["id"])
scratchpad.cite("/a.json", "holds the id that was asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "a")
"""
_WARM_REPLIES: Final[tuple[list[Plain], ...]] = (
    [
        "ok",
        1,
        {"path": "/a.json", "content": '{"id": "a", "count": 1}', "truncated": False, "sha256": ""},
    ],
    ["ok", 2, "/a.json"],
    ["verify", 3, False],
    ["ok", 3, None],
)


def prepare(function_modules: tuple[str, ...] = ()) -> partial[None]:
    """Pin this process's library, load the benchmark's functions, and return the function that serves scripts."""
    script_builtins.pin_library()
    functions = dict(map(_loaded, function_modules))  # Before a script's guards are in the library.
    guard_library()
    script_builtins.begin_step(
        0, 0, 0
    )  # Some versions of Python import what seeding needs when they first seed,
    divmod(1 << 20_000, 1 << 10_000)  # and others when they first divide big numbers.
    ast.unparse(
        ast.Constant(0)
    )  # From Python 3.14 on, annotations are written with modules that this imports.
    string.Template("").substitute()  # From Python 3.14 on, its pattern is made at the first use,
    time.strptime("1", "%d")  # as is the module behind this in every version.
    modules = build(replacements())
    warm_up(modules)
    return partial(serve, modules, functions)


def _loaded(name: str) -> tuple[str, ModuleType]:
    """Return a module of functions with its name. Raises `ImportError` that says what such a module may import."""
    try:
        return name, import_module(name)
    except BaseException as error:  # noqa: BLE001 - a library may end its import by an exception of its own
        msg = (
            f"the functions of {name} cannot be loaded beside scripts ({type(error).__name__}: {error!s:.200}): such a "
            "module imports the standard library and Python's own modules, no library that needs datetime's C part"
        )
        raise ImportError(msg) from None


def serve(
    modules: Modules, functions: Mapping[str, ModuleType], connection: socket, kernel: Kernel | None
) -> None:
    """Run the steps and the functions that the parent sends, until it closes the connection."""
    sys.stdin = None  # Its descriptor is now the connection; the library must not read from it.
    try:
        reader = FrameReader(connection)
        setting = read_setting(reader.receive(bounds.MOST_FROM_PARENT))
        confine_child(kernel, setting.isolation, setting.limits, NEEDED)
        shared = Shared(reader, setting, modules, functions, step_harness(setting.operations))
        while _serve_one(shared):
            pass
    except Closed:
        return


def warm_up(modules: Modules) -> None:
    """Run an ordinary step a few times in the process from which children are forked.

    The interpreter specialises code when it runs first; otherwise each child would do so again, in memory of its own.
    """
    gc.freeze()  # Imported objects are not to be searched after each step.
    parent, connection = socketpair()
    with parent, connection:
        reader, sent = FrameReader(connection), FrameReader(parent)
        setting = Setting(
            FILE_OPERATIONS, Limits(), 0, 0, frozenset({Layer.LANGUAGE, Layer.PROCESS})
        )
        # Enough for the interpreter to specialise the code.
        for number in range(12):
            for message in (setting.message(), *_WARM_REPLIES):
                send_frame(parent, message, bounds.MOST_FROM_PARENT)
            setting = read_setting(reader.receive(bounds.MOST_FROM_PARENT))
            shared = Shared(reader, setting, modules, {}, step_harness(setting.operations))
            StepRun(shared).run(number, _WARM_SCRIPT, {})
            while sent.receive(bounds.MOST_FROM_PARENT)[0] != "end":
                pass


def _serve_one(shared: Shared) -> bool:
    """Run the next step or function; say whether this process can run another. No local name here outlives it."""
    kind, *parts = shared.reader.receive(bounds.MOST_FROM_PARENT)
    step = StepRun(shared)
    if kind == "step":
        step.run(*parts)
    else:
        step.compute_alone(*parts)
    return not step.is_spent
