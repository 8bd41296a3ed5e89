"""The child process: runs one step after another, each with fresh names, and asks the parent for everything else.

One of the borders where any exception is caught: what a script raises ends its step and nothing more.
"""

from __future__ import annotations

import gc
import inspect
import os
import resource
import signal
import socket
import sys
import time
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Final

from sandbox import facades, pinned, replacements
from sandbox.attributes import AttributeGuard
from sandbox.errors import Addresses, describe_exception, describe_refusal
from sandbox.harness import build_harness
from sandbox.host import Ending, Limits
from sandbox.kernel import Kernel
from sandbox.operations import REQUIRED, Operation, Parameter, Plain
from sandbox.plain import decode, encode
from sandbox.policy import INSTEAD, Refused, compile_script, compile_tree, parse_script
from sandbox.scripting import EXCEPTIONS, CitationError, Console, GateRejection, HarnessError, Record, Scratchpad, lend
from sandbox.scriptnames import ScriptNames
from sandbox.walls import Wall
from sandbox.wire import Closed, receive_frame, send_frame

FLUSH_CHARS: Final = 16_000
_MONOTONIC: Final = time.monotonic
BLANKED: Final = ("answer", "outcome", "refs_why")


@dataclass(frozen=True, slots=True)
class Setting:
    """What the parent says once, before the first step."""

    operations: tuple[Operation, ...]
    limits: Limits
    now_us: int
    seed: int
    walls: frozenset[Wall]


def read_setting(message: list[Any]) -> Setting:
    """Return the setting that the first message holds."""
    given = message[1]
    operations = tuple(
        Operation(
            name=each["name"],
            parameters=tuple(Parameter(p["name"], p["type"], p.get("default", REQUIRED)) for p in each["parameters"]),
            fields=(),
            summary=each["summary"],
            json_field=each["json_field"],
            drawn_as_tree=each["drawn_as_tree"],
        )
        for each in given["operations"]
    )
    return Setting(operations, Limits(**given["limits"]), given["now_us"], given["seed"], frozenset(Wall(each) for each in given["walls"]))


class Channel:
    """The child's end of the socket: sends with what was printed and kept so far, receives answers."""

    def __init__(self, connection: socket.socket, limits: Limits) -> None:
        self._connection = connection
        self._limit = limits.call_bytes + limits.scratchpad_bytes * 2 + limits.output_chars * 8 + 65_536
        self._half = limits.output_chars // 2
        self._pending: list[str] = []
        self._pending_chars = 0
        self._sent_chars = 0
        self._tail: list[str] = []
        self._tail_chars = 0
        self._busy = False
        self.expired: Any = None
        self.addresses = Addresses()

    def print(self, text: str) -> None:
        """Keep a text for the parent: the first half of the allowance in full, of the rest the end."""
        room = self._half - self._sent_chars - self._pending_chars
        if room > 0:
            head, text = text[:room], text[room:]
            self._pending.append(head)
            self._pending_chars += len(head)
            if self._pending_chars >= FLUSH_CHARS:
                self.send(["out", None])
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            if self._tail_chars > 4 * self._half + FLUSH_CHARS:
                self._shorten_tail()

    def _shorten_tail(self) -> None:
        kept = "".join(self._tail)[-self._half :] if self._half else ""
        self._dropped += self._tail_chars - len(kept)
        self._tail, self._tail_chars = [kept], len(kept)

    _dropped = 0

    def take_tail(self) -> str:
        """Return the end of the output, with a line that says how much was cut out before it."""
        self._shorten_tail()
        tail = "".join(self._tail)
        if self._dropped:
            tail = f"\n... {self._dropped} characters cut out here ...\n{tail}"
        self._tail, self._tail_chars, self._dropped = [], 0, 0
        return tail

    def begin(self) -> None:
        """Forget the step before."""
        self._pending, self._pending_chars, self._sent_chars = [], 0, 0
        self._tail, self._tail_chars, self._dropped = [], 0, 0
        self.addresses = Addresses()

    def send(self, message: list[Plain]) -> None:
        """Send one message; its second part becomes what was printed since the one before."""
        out = self.addresses.stable("".join(self._pending))
        self._sent_chars += self._pending_chars
        self._pending, self._pending_chars = [], 0
        message[1] = out
        self._busy = True
        try:
            send_frame(self._connection, message, self._limit)
        finally:
            self._busy = False
        if self.expired is not None:
            self.expired()

    @property
    def is_sending(self) -> bool:
        """Say whether a message is half sent."""
        return self._busy

    def receive(self) -> list[Any]:
        """Return the parent's next message."""
        return receive_frame(self._connection, 1 << 30)


class StepRun:
    """One step: its names, its scratchpad, and its talk with the parent."""

    def __init__(self, channel: Channel, setting: Setting, everything: dict[str, Any]) -> None:
        self._channel = channel
        self._setting = setting
        self._facades = everything
        self._sent: Plain = None
        self._requests = 0
        self._verifying = False
        self.scratchpad = Scratchpad()

    def run(self, number: int, code: str, tagged: Plain) -> None:
        """Run a script and send how it ended."""
        channel = self._channel
        channel.begin()
        pinned.begin_step(self._setting.now_us, self._setting.seed, number)
        self._sent = tagged
        dict.update(self.scratchpad, decode(tagged, _zone))
        lend(self.scratchpad, self.ask)
        arm(self._setting.limits, self.expire)
        ending, error = self._execute(code)
        disarm()
        snapshot: Plain = None
        try:
            snapshot = self.snapshot()
        except Exception as fault:
            ending = Ending.RAISED if ending is Ending.FINISHED else ending
            error = f"{error}\n{type(fault).__name__}: {fault}".strip()
        channel.print("")
        tail = channel.addresses.stable(channel.take_tail())
        channel.send(["end", None, snapshot, ending.value, channel.addresses.stable(error), tail])

    def _execute(self, code: str) -> tuple[Ending, str]:
        names: dict[str, Any] = {}
        guarded = Wall.LANGUAGE in self._setting.walls
        try:
            compiled = compile_script(code, facades.import_refusal) if guarded else compile_tree(parse_script(code))
        except Refused as refused:
            return Ending.SYNTAX if refused.is_syntax else Ending.REFUSED, describe_refusal(refused)
        except (MemoryError, RecursionError):
            return Ending.SYNTAX, "SyntaxError:\n  nested too deeply; split it into statements"
        self._fill(names, guarded)
        try:
            exec(compiled, names)
        except SystemExit as leaving:
            return Ending.RAISED, f"SystemExit: the script ended itself (code {leaving.code!s:.200})"
        except BaseException as error:
            try:
                text = describe_exception(error, code, lambda name: INSTEAD.get(name, ""))
            except BaseException as second:
                text = f"{type(second).__name__} while {type(error).__name__} was described"
            return Ending.RAISED, text
        return Ending.FINISHED, ""

    def _fill(self, names: dict[str, Any], guarded: bool) -> None:
        console = Console(self._channel.print)
        sys.stdout = sys.stderr = console  # type: ignore[assignment]
        step = replacements.STEP
        step.console = console
        step.guard = AttributeGuard(names, replacements.guarded_format)
        script = ScriptNames(step.guard, self._facades, (Scratchpad, facades.Facade, Console))
        step.adopt = script.adopt
        given = {
            "harness": build_harness(self._setting.operations, self.ask, self.answer),
            "scratchpad": self.scratchpad,
            "console": console,
            "print": console.log,
            **EXCEPTIONS,
        }
        names["__name__"] = "__main__"
        if guarded:
            names["__builtins__"] = script.mapping() | given
        names |= {name: given[name] for name in ("harness", "scratchpad", "console")}
        if not guarded:
            names |= given

    def snapshot(self) -> Plain:
        """Return the scratchpad's tagged form if it changed since the last one was sent, else None."""
        tagged = encode(dict(self.scratchpad))
        if tagged == self._sent:
            return None
        self._sent = tagged
        return tagged

    def ask(self, kind: str, parts: list[Any]) -> Any:
        """Ask the parent and return its answer, or raise what it refused."""
        snapshot = self.snapshot() if not self._verifying else None
        self._requests += 1
        number = self._requests
        self._channel.send([kind, None, snapshot, number, *parts])
        while True:
            reply = self._channel.receive()
            if reply[0] == "verify":
                yes, error = self._verify(reply[2])
                self._channel.send(["verified", None, reply[1], yes, error])
                continue
            break
        if reply[0] == "ok":
            return reply[2]
        raise _exception(kind, reply[2], reply[3])

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad's answer with the script's own check of it. Raises `GateRejection`."""
        if scratchpad is not None and scratchpad is not self.scratchpad:
            if not isinstance(scratchpad, dict):
                msg = f"harness.answer(scratchpad, verify) takes the scratchpad, not {type(scratchpad).__name__}"
                raise TypeError(msg)
            self.scratchpad.update(scratchpad)
        before, self._check = self._check, verify
        try:
            self.ask("answer", [callable(verify), takes_one(verify)])
        finally:
            self._check = before

    _check: Any = None

    def _verify(self, blank: bool) -> tuple[bool, str]:
        """Call the script's own check on a copy of the scratchpad, and return what it says."""
        copy: dict[str, Any] = decode(encode(dict(self.scratchpad)), _zone)
        if blank:
            for name in BLANKED:
                if name in copy:
                    copy[name] = {} if name == "refs_why" else ""
        self._verifying = True
        try:
            said = self._check(Record(copy))
            return said is True or (isinstance(said, dict) and said.get("ok") is True), ""
        except BaseException as error:
            return False, describe_exception(error, "", lambda name: INSTEAD.get(name, ""))
        finally:
            self._verifying = False

    def expire(self, reason: str) -> None:
        """End the process, the step's output and scratchpad sent."""
        channel = self._channel
        if channel.is_sending:
            channel.expired = lambda: self.expire(reason)
            return
        channel.expired = None
        try:
            snapshot = self.snapshot()
        except Exception:
            snapshot = None
        try:
            channel.send(
                ["end", None, snapshot, Ending.LIMIT.value, reason, channel.addresses.stable(channel.take_tail())]
            )
        finally:
            os._exit(0)


def _exception(kind: str, code: str, message: str) -> Exception:
    if kind == "cite" and code == "refused":
        return CitationError(message)
    if kind == "answer" and code == "refused":
        return GateRejection(message)
    if code == "not_found":
        return FileNotFoundError(message)
    return HarnessError(code, message)


def takes_one(function: Any) -> bool:
    """Say whether `function` can be called with one positional argument."""
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(None)
    except (TypeError, ValueError):
        return False
    return True


def _zone(key: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    return ZoneInfo(key)


def arm(limits: Limits, expire: Any) -> None:
    """Start the step's own timers: wall and CPU."""
    signal.signal(signal.SIGALRM, lambda number, frame: expire(f"the step ran longer than {limits.step_wall_s:g} s"))
    signal.signal(
        signal.SIGPROF, lambda number, frame: expire(f"the step used more than {limits.step_cpu_s:g} s of CPU")
    )
    signal.setitimer(signal.ITIMER_REAL, limits.step_wall_s)
    signal.setitimer(signal.ITIMER_PROF, limits.step_cpu_s)
    signal.setitimer(signal.ITIMER_VIRTUAL, limits.step_cpu_s + 0.2)


def disarm() -> None:
    """Stop the step's timers."""
    for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF, signal.ITIMER_VIRTUAL):
        signal.setitimer(timer, 0)


def confine(limits: Limits) -> None:
    """Put the limits of the trial on this process."""
    used = os.sysconf("SC_PAGE_SIZE") * int(_status_pages())
    ceiling = used + limits.memory_mb * 1_048_576
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))
    seconds = int(limits.trial_cpu_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


_VIRTUAL_PAGES = 0


def measure() -> None:
    """Note the address space of this process, before walls hide `/proc`."""
    global _VIRTUAL_PAGES
    with open("/proc/self/statm", encoding="ascii") as status:
        _VIRTUAL_PAGES = int(status.read().split()[0])


def _status_pages() -> int:
    return _VIRTUAL_PAGES


def serve(connection: socket.socket, everything: dict[str, Any], kernel: Kernel | None) -> None:
    """Run the steps that the parent sends, until it closes the connection."""
    try:
        setting = read_setting(receive_frame(connection, 1 << 24))
        if Wall.PROCESS in setting.walls:
            confine(setting.limits)
        if Wall.KERNEL in setting.walls and kernel is not None:
            kernel.filter_child()
        channel = Channel(connection, setting.limits)
        while True:
            message = channel.receive()
            StepRun(channel, setting, everything).run(message[1], message[2], message[3])
            gc.collect()
    except Closed:
        return
