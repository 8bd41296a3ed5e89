"""The process of a trial's scripts, from its preparation to its last step.

A trial is one attempt of a model at one task. The model solves it in steps: each step
runs one script that the model wrote. A benchmark may also bring functions in Python,
which are trusted.

`prepare` runs in the process from which children are forked: it imports and replaces
everything that scripts need. `ScriptServer.serve` runs in a child, which belongs to one
trial: it receives the trial's `Setting` (its operations, limits and clock), confines
itself, and then runs one step after another.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import dataclasses
import datetime
import decimal
import functools
import gc
import io
import os
import posixpath
import random
import string
import sys
import time
import uuid
import zoneinfo
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import WRAPPER_ASSIGNMENTS, WRAPPER_UPDATES, partial
from importlib import import_module
from socket import socket, socketpair
from types import ModuleType
from typing import Any, BinaryIO, Final, get_origin

import RestrictedPython.compile

from controlplane.sandbox.child.language.guards import (
    check_format,
    check_settable,
    evaluate_annotation,
    guard_quoted_annotations,
    guarded_getattr,
    script_type,
)
from controlplane.sandbox.child.language.module_facades import Live
from controlplane.sandbox.child.language.pinned_clock import CLOCK, pin_time
from controlplane.sandbox.child.language.script_builtins import exit_script
from controlplane.sandbox.child.language.script_compiler import compile_annotation
from controlplane.sandbox.child.language.script_modules import (
    DEFAULT_DIGITS,
    STEP,
    Modules,
    build_modules,
    forget_step,
)
from controlplane.sandbox.child.language.special_names import (
    BINDABLE,
    is_special,
    needs_no_guard,
)
from controlplane.sandbox.child.step.dialogue import Dialogue
from controlplane.sandbox.child.step.harness import build_harness
from controlplane.sandbox.child.step.script_run import CurrentScript, ScriptOutcome
from controlplane.sandbox.child.step.step_errors import StepContext, StepErrors
from controlplane.sandbox.child.walls.isolation import NEEDED_BY_SCRIPTS, confine_child
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.child.walls.step_timers import step_timers
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.host import Ending
from controlplane.sandbox.interface.isolation_layers import Layer
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.child_messages import ChildMessage
from controlplane.sandbox.interface.messages.child_results import StepReport
from controlplane.sandbox.interface.messages.frames import (
    Closed,
    FrameReader,
    send_frame,
)
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.interface.messages.parent_messages import (
    Answered,
    ParentMessage,
    RunFunction,
    RunStep,
    RunVerify,
    Setting,
    decode_parent_message,
)
from controlplane.sandbox.interface.messages.tagged_values import Damaged
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.parameters import Plain

# Guards of data classes and named tuples, which the library makes from names of a script.
#
# `@dataclass` writes source text with the names of fields, runs it, and sets attributes of a
# class. Without the guards, a script could attack in two ways:
#
# - It puts code into that text. A field with the name `x=print("...")` gives
#   `def __init__(self, x=print("...")): ...`, and the library runs the call without guards.
# - It changes a class of the library: `dataclass(decimal.Decimal)` sets methods of `Decimal`.
#
# The functions here replace functions of the library for the whole process.


def guard_dataclasses() -> None:
    """Make `@dataclass` change only classes of the script, and evaluate annotations with guards.

    A class is the script's own if its `__module__` is `__main__` (`own_objects.is_own`).
    """
    # `dataclass` and `make_dataclass` both call this private function.
    process_class = vars(dataclasses)["_process_class"]
    make_class: Any = dataclasses.make_dataclass

    def process_own_class(cls: Any, *arguments: Any, **options: Any) -> Any:
        """Do as `dataclasses._process_class`, which adds the methods to a class."""
        _check_fields(cls)
        _require_own(cls)
        made_class = process_class(cls, *arguments, **options)
        return _without_guarded_patterns(made_class)

    def make_own_class(*arguments: Any, **options: Any) -> Any:
        """Do as `dataclasses.make_dataclass`, but make a class that is the script's own."""
        options.setdefault("module", "__main__")
        return make_class(*arguments, **options)

    vars(dataclasses)["_process_class"] = process_own_class
    vars(dataclasses)["_is_type"] = _is_type
    if sys.version_info >= (3, 12):  # Earlier versions have no option `module`.
        vars(dataclasses)["make_dataclass"] = make_own_class


def _require_own(cls: Any) -> None:
    """Raise `AttributeError` unless a class is the script's own: `decimal.Decimal` is refused."""
    # The library sets several attributes of the class, such as `__doc__`. A script
    # may set that one in its own classes, but not in those of the library.
    check_settable(cls, "__doc__")


def _is_type(
    annotation: str,
    cls: Any,
    module: Any,
    kind: Any,
    predicate: Callable[[Any, Any], bool],
) -> bool:
    """Do the same as `dataclasses._is_type`, but evaluate the annotation with guards.

    The library asks if an annotation in quotes stands for a type that `predicate`
    accepts: for `ClassVar` or `InitVar`, as in `x: "ClassVar[int]"`. It passes five
    arguments; `cls` and `kind` are not needed here.
    """
    names_of_script = vars(sys.modules["__main__"])
    try:
        value = evaluate_annotation(compile_annotation(annotation), names_of_script)
        return predicate(value, module)
    except Exception:  # noqa: BLE001 - it may have any fault, such as a name that is defined later
        return False  # Like the library, take it for an ordinary type.


def _check_fields(cls: Any) -> None:
    """Raise `TypeError` if the fields of a class would put code into its `__init__`.

    For the fields `x` and `y`, the library writes and runs the source text
    `def __init__(self, x, y): ...`. A script could put any text in place of a name in
    `__annotations__`, such as `x=print("...")`. It could also put an object of its own in
    place of a field, whose `name` is such a text.
    """
    # 1. The names of the class's own fields. Python 3.14 and later keep them in the second
    #    attribute once they have been computed.
    attributes = vars(cls)
    for attribute in ("__annotations__", "__annotations_cache__"):
        for name in attributes.get(attribute, ()):
            if type(name) is not str or not name.isidentifier():
                msg = "the fields of a data class have names"
                raise TypeError(msg)

    # 2. The fields that the class inherits. The library reads them from `__dataclass_fields__`,
    #    which a script may have set.
    for kind in cls.__mro__:
        for field in vars(kind).get("__dataclass_fields__", {}).values():
            if type(field) is not dataclasses.Field:
                msg = "the fields of a data class are made by the library"
                raise TypeError(msg)


def guard_named_tuples() -> None:
    """Make the classes of `namedtuple` the script's own, by the module name `__main__`."""
    make_tuple: Any = collections.namedtuple

    def make_own_tuple(*arguments: Any, **options: Any) -> Any:
        options.setdefault("module", "__main__")
        return _without_guarded_patterns(make_tuple(*arguments, **options))

    vars(collections)["namedtuple"] = make_own_tuple


def _without_guarded_patterns(kind: Any) -> Any:
    """Empty the `__match_args__` of a class if one of its names needs a guard. Returns the class.

    `case Point(a, b)` reads the attributes that `Point.__match_args__` names, by position,
    without calling a guard. With the name `tb_frame` there, for example, a script would get an
    attribute that it may not read. Without names, such a pattern fails.
    """
    names = vars(kind).get("__match_args__", ())
    if not all(needs_no_guard(name) for name in names):
        type.__setattr__(kind, "__match_args__", ())
    return kind


# Functions that a script gets instead of the library's functions of these names.
#
# The language policy guards the attributes that a script reads itself. But
# `operator.attrgetter("__globals__")(function)` reads an attribute inside the library, and
# other functions set attributes or make classes there. The functions here do the same
# with the guards of scripts.


def attrgetter(*names: str) -> Callable[[Any], Any]:
    """Do the same as `operator.attrgetter`, but read each attribute with the guards of scripts."""

    def read_dotted_name(target: Any, dotted_name: str) -> Any:
        for name in dotted_name.split("."):
            target = guarded_getattr(target, name)
        return target

    def read(target: Any) -> Any:
        values = tuple(read_dotted_name(target, name) for name in names)
        return values[0] if len(values) <= 1 else values

    return read


def methodcaller(name: str, /, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
    """Do the same as `operator.methodcaller`, but read the method with the guards of scripts."""

    def call(target: Any) -> Any:
        method = guarded_getattr(target, name)
        return method(*arguments, **options)

    return call


def update_wrapper(
    wrapper: Any,
    wrapped: Any,
    assigned: Any = WRAPPER_ASSIGNMENTS,
    updated: Any = WRAPPER_UPDATES,
) -> Any:
    """Do the same as `functools.update_wrapper`, but change only functions of the script.

    The library copies the attributes named in `assigned` from `wrapped` to `wrapper`. By
    `update_wrapper(mine, function, ["__globals__"])`, a script could get an attribute that
    it may not read. So only the usual names are accepted.
    """
    assigned = [*assigned]
    updated = [*updated]
    if not set(assigned) <= set(WRAPPER_ASSIGNMENTS) or not set(updated) <= set(
        WRAPPER_UPDATES
    ):
        msg = (
            "a wrapper takes over the names of WRAPPER_ASSIGNMENTS and WRAPPER_UPDATES"
        )
        raise AttributeError(msg)
    # Raises if `wrapper` is not the script's own function.
    check_settable(wrapper, "__wrapped__")
    return functools.update_wrapper(wrapper, wrapped, assigned, updated)


def wraps(
    wrapped: Any, assigned: Any = WRAPPER_ASSIGNMENTS, updated: Any = WRAPPER_UPDATES
) -> Any:
    """Do the same as `functools.wraps`, with the `update_wrapper` above."""
    return partial(update_wrapper, wrapped=wrapped, assigned=assigned, updated=updated)


def make_dataclass(
    cls_name: str, fields: Any, *, namespace: Any = None, **options: Any
) -> Any:
    """Do the same as `dataclasses.make_dataclass`, but refuse special names such as `__del__`.

    A class statement of a script may not use these names either (`BINDABLE` lists the others).
    """
    for name in namespace or ():
        if type(name) is not str or (is_special(name) and name not in BINDABLE):
            msg = f"a class may not bind {name!r}"
            raise TypeError(msg)
    return dataclasses.make_dataclass(
        cls_name, fields, namespace=dict(namespace or {}), **options
    )


@contextlib.contextmanager
def redirect_stdout(new_target: Any) -> Iterator[Any]:
    """Do the same as `contextlib.redirect_stdout`.

    The library's own is a class with an attribute `_stream = "stdout"`, and sets the attribute
    of `sys` with this name. In a subclass, a script could name any other one.
    """
    before = sys.stdout
    sys.stdout = new_target
    try:
        yield new_target
    finally:
        sys.stdout = before


@contextlib.contextmanager
def redirect_stderr(new_target: Any) -> Iterator[Any]:
    """Do the same as `contextlib.redirect_stderr`; replaced for the same reason."""
    before = sys.stderr
    sys.stderr = new_target
    try:
        yield new_target
    finally:
        sys.stderr = before


def origin_of(kind: Any) -> Any:
    """Do the same as `typing.get_origin`, but return the `type` of scripts for `type[X]`."""
    origin: Any = get_origin(kind)
    return script_type if origin is type else origin


# Guards the library itself, for the whole process, against what it would do for a script.
#
# The library reads and sets attributes on behalf of a script: `string.Formatter().format("{0.x}", a)`
# reads `a.x`. What a script calls itself, such as `operator.attrgetter`, it gets in another version
# (`guarded_functions`). What other parts of the library call, too, is changed here.


def guard_library() -> None:
    """Guard what the library does on behalf of a script. This changes the whole process."""
    _guard_formatter()
    guard_dataclasses()
    guard_named_tuples()
    guard_quoted_annotations()

    # RestrictedPython compiles the scripts. Code inherits the `__future__` imports of the module
    # that calls `compile`, unless this option is set.
    compile_without_inheriting = partial(compile, dont_inherit=True)
    vars(RestrictedPython.compile)["compile"] = compile_without_inheriting


def _guard_formatter() -> None:
    """Make `string.Formatter` read only attributes that need no guard."""
    get_field: Any = string.Formatter.get_field

    def get_checked_field(
        formatter: Any, field_name: str, args: Any, kwargs: Any
    ) -> Any:
        check_format(f"{{{field_name}}}")  # `0.x` -> `{0.x}`
        return get_field(formatter, field_name, args, kwargs)

    formatter_class: Any = string.Formatter
    formatter_class.get_field = get_checked_field


# The random numbers of scripts, the same in every replay.
#
# `pin_random` makes the functions of `random`, such as `random.choice`, use one generator of
# this process. `seed_step` seeds it for each step: the same seed of the trial and the same
# number of the step give the same random values and UUIDs.


class Random(random.Random):
    """`random.Random`, but without a given seed it takes one from the step."""

    __module__ = "random"  # as scripts see it in `repr(random.Random)`

    def __init__(self, x: Any = None) -> None:
        super().__init__(_new_seed() if x is None else x)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Seed the generator anew."""
        super().seed(_new_seed() if a is None else a, version)


def _new_seed() -> int:
    """Return the next seed of the step."""
    return SEEDS.getrandbits(64)


SEEDS: Final = random.Random(0)
"""Gives every unseeded generator of a step its seed. `seed_step` seeds it anew."""

SHARED_RANDOM: Final = Random(0)
"""The generator behind the functions of `random`, such as `random.choice`."""


def pin_random() -> None:
    """Make the functions of `random` use the generator of the step."""
    # `random.choice` is the method `choice` of a generator. Here it becomes that of our own.
    functions = vars(random)
    for name in dir(random):
        if not name.startswith("_") and hasattr(SHARED_RANDOM, name):
            functions[name] = getattr(SHARED_RANDOM, name)
    functions["Random"] = Random


def seed_step(seed: int, step: int) -> None:
    """Seed all generators for a step. `seed` is that of the trial, `step` the step's number."""
    SEEDS.seed(f"{seed}:{step}")
    SHARED_RANDOM.seed()  # with the first number from SEEDS


def random_uuid1(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """Do as `uuid.uuid1`, but with random bits of the step instead of the machine's address."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=1)


def random_uuid4() -> uuid.UUID:
    """Do as `uuid.uuid4`, but with random bits of the step."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=4)


# What scripts get in place of some names of the standard library.
#
# Each is replaced for one of four reasons: the library's own would read or set attributes without
# the guards of scripts; would change something for later steps; would show the sandbox's own code; or
# would depend on the machine, so that a replay differs.


def replacements() -> Mapping[str, Mapping[str, Any]]:
    """Return the objects that scripts get in place of the library's, by module and name.

    A name that is `Live` gets its value anew whenever a script reads it.
    """
    return {
        "contextlib": {
            "redirect_stdout": redirect_stdout,
            "redirect_stderr": redirect_stderr,
        },
        "dataclasses": {"make_dataclass": make_dataclass},
        "decimal": {
            # A context can be changed, and is the same for all steps. So each read gives a copy.
            "BasicContext": Live(decimal.BasicContext.copy),
            "ExtendedContext": Live(decimal.ExtendedContext.copy),
            "DefaultContext": Live(decimal.DefaultContext.copy),
        },
        "functools": {"update_wrapper": update_wrapper, "wraps": wraps},
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
        "posixpath": {"relpath": relative_path},
        "sys": {
            "argv": ("script",),
            "platform": "linux",
            "exit": exit_script,
            "exc_info": exc_info,
            "set_int_max_str_digits": set_max_digits,
            "setrecursionlimit": set_recursion_limit,
            # A new empty file each time, so that nothing is shared.
            "stdin": Live(io.StringIO),
            "stdout": Live(_stdout, _set_stdout),
            "stderr": Live(_stderr, _set_stderr),
        },
        "traceback": {"format_exc": format_exc, "print_exc": print_exc},
        "typing": {"get_origin": origin_of},
        "uuid": {"uuid1": random_uuid1, "uuid4": random_uuid4},
    }


# `sys.stdout` and `sys.stderr` as a script reads and sets them: those of this process, which
# are the console of the running step.


def _stdout() -> Any:
    return sys.stdout


def _set_stdout(stream: Any) -> None:
    sys.stdout = stream


def _stderr() -> Any:
    return sys.stderr


def _set_stderr(stream: Any) -> None:
    sys.stderr = stream


def relative_path(path: str, start: str = "/") -> str:
    """Do the same as `posixpath.relpath`, with the root as working directory.

    `relative_path("a/b", "a")` returns `b`. The slashes make both paths absolute: the
    library would otherwise ask the system for the working directory.
    """
    return posixpath.relpath(f"/{path}", f"/{start}")


def exc_info() -> tuple[Any, Any, None]:
    """Do the same as `sys.exc_info`, but without the traceback.

    A traceback would give access to frames of the sandbox.
    """
    error = sys.exception()
    if error is None:
        return None, None, None
    return type(error), error, None


def set_max_digits(digits: int) -> None:
    """Do the same as `sys.set_int_max_str_digits`, but never go below Python's default.

    Messages to the parent may contain integers with that many digits.
    """
    if digits:  # 0 means no limit.
        digits = max(digits, DEFAULT_DIGITS)
    sys.set_int_max_str_digits(digits)


_MIN_RECURSION: Final = 100
"""The lowest recursion limit. The sandbox's own code
at the end of a step needs this many nested calls."""
_MAX_RECURSION: Final = 20_000
"""The highest recursion limit. More nested calls could overflow the stack and end the process."""


def set_recursion_limit(limit: int) -> None:
    """Do the same as `sys.setrecursionlimit`, within `_MIN_RECURSION` and `_MAX_RECURSION`."""
    sys.setrecursionlimit(max(_MIN_RECURSION, min(limit, _MAX_RECURSION)))


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """Do the same as `traceback.format_exc`, but show only lines of the script."""
    error = sys.exception()
    if error is None:
        return "NoneType: None\n"  # as the library does
    return f"{STEP.describe(error)}\n"


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """Do the same as `traceback.print_exc`, but show only lines of the script."""
    print(format_exc(), end="", file=file or sys.stderr)


# The data of all time zones, read in advance: the process of a script cannot read files.
#
# After `load_time_zones`, `zoneinfo.ZoneInfo("Europe/Vienna")` finds its data in memory.


def load_time_zones() -> None:
    """Read the data of all time zones now, and let `zoneinfo` find it in memory.

    Called in the process from which children are forked, before files are given up.
    """
    zones: dict[str, bytes] = {}
    # Of several folders with the same zone, the first one counts. So it is read last,
    # and replaces what the others had.
    for folder in reversed(zoneinfo.TZPATH):
        zones.update(_zones_in(folder))

    def load_tzdata(key: str) -> BinaryIO:
        """Do as the library's function of this name, which reads a file."""
        if key not in zones:
            msg = f"No time zone found with key {key}"
            raise zoneinfo.ZoneInfoNotFoundError(msg)
        return io.BytesIO(zones[key])

    # With an empty path, the library asks its function `load_tzdata` for every zone.
    # That function is private, and is replaced here.
    zoneinfo.reset_tzpath(())
    vars(zoneinfo._common)["load_tzdata"] = load_tzdata


def _zones_in(top: str) -> dict[str, bytes]:
    """Return the data of the time zones in a folder, by key, such as `Europe/Vienna`."""
    zones = {}
    for folder, subfolders, names in os.walk(top):
        # Leave out two copies of all zones. `os.walk` goes into the folders that remain
        # in the list.
        subfolders[:] = [name for name in subfolders if name not in ("posix", "right")]
        for name in names:
            path = f"{folder}/{name}"
            data = _file_content(path)
            if data.startswith(b"TZif"):  # Other files there are lists of zones.
                zones[path.removeprefix(f"{top}/")] = data
    return zones


def _file_content(path: str) -> bytes:
    """Return the content of a file; empty if it cannot be read, for example a link to nowhere."""
    with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 - twice as fast as pathlib
        return file.read()
    return b""


# The end of a step: its last message to the parent, and its end if it takes too long.


class StepEnd:
    """Reports how the script of a step ended, with its changed scratchpad."""

    def __init__(self, dialogue: Dialogue, errors: StepErrors) -> None:
        self._dialogue = dialogue
        self._errors = errors
        self._scratchpad: Plain = None
        """The encoded scratchpad to send with the report; None if the parent already has it."""

    def prepare_scratchpad(self, outcome: ScriptOutcome) -> ScriptOutcome:
        """Encode the scratchpad for the report.

        Returns the outcome, with a fault if the scratchpad cannot be kept, for example
        because it is too large.
        """
        try:
            self._scratchpad = self._dialogue.sent_scratchpad.take_changed()
        except BaseException as error:  # noqa: BLE001 - values may have methods of the script
            return outcome.with_fault(self._errors.describe(error))
        return outcome

    def report(self, outcome: ScriptOutcome) -> None:
        """Send the last message of the step."""
        channel = self._dialogue.channel
        end_of_output = channel.end_of_output()
        is_spent = outcome.is_out_of_memory or self._dialogue.is_out_of_memory
        message = StepReport(outcome.ending, outcome.error, end_of_output, is_spent)
        channel.send(message, self._scratchpad)

    def expire(self, reason: str) -> None:
        """Report the step so far, and end this process, because the time of the step is over.

        The handlers of the timers' signals call this.
        It may interrupt any line of the step.
        """
        # 1. If this interrupts the sending of a message, it is called again after that message.
        dialogue = self._dialogue
        if dialogue.channel.postpone_while_sending(lambda: self.expire(reason)):
            return

        # 2. While the script or its `verify` runs, save the scratchpad if possible. Encoding it may
        #    call methods of the script, which may raise anything; then the report goes without
        #    it. (A function of the benchmark has no scratchpad. After the script,
        #    `prepare_scratchpad` has saved it.)
        if dialogue.activity.has_scratchpad:
            self._scratchpad = None
            with contextlib.suppress(BaseException):
                self._scratchpad = dialogue.sent_scratchpad.take_changed()

        # 3. Report, and end the process even if that fails. The script would otherwise go on.
        try:
            self.report(ScriptOutcome(Ending.LIMIT, reason))
        finally:
            os._exit(0)


# One step in a script's process, from the first message to the last.
#
# `CurrentScript` executes the script, `Dialogue` exchanges its messages with the parent, and
# `StepEnd` sends the last message: how the script ended. An exception of a script ends only
# its step; the next step runs in the same process.

NO_SCRIPT: Final = RunStep(number=0, source="", scratchpad=None)
"""The task of a step in which only a function of the benchmark runs. Steps with a script
are numbered from 1. The number pins a step's randomness, so that a replay gets the same."""


class StepRun:
    """Runs one step: a script, or only a function of the benchmark (`NO_SCRIPT`).

    A step begins with a fresh clock and fresh random numbers. It ends with a report to the
    parent; nothing of the script is left for the next step but its scratchpad.
    """

    def __init__(self, context: StepContext, task: RunStep) -> None:
        self._context = context
        """What all steps of this process share: the connection, the setting, the modules."""
        self._task = task
        self._errors = StepErrors(task.source, task.number, context.setting.operations)
        """Describes exceptions of the script, as the model is shown them."""
        self._dialogue = Dialogue(context, self._errors)
        """Exchanges messages with the parent."""
        self._end = StepEnd(self._dialogue, self._errors)
        """Reports how the step ended, also if its time is over."""
        self._is_script_out_of_memory = False

    @property
    def is_spent(self) -> bool:
        """True if this process reached its memory limit. The next step gets another process."""
        return self._is_script_out_of_memory or self._dialogue.is_out_of_memory

    def run(self) -> None:
        """Run the script and report how it ended. The order of the last steps matters."""
        self._pin_library()
        self._fill_scratchpad()

        # All of this may run code of the script, so it counts as time of the step.
        with self._timers():
            outcome = CurrentScript(
                self._context, self._dialogue, self._errors
            ).execute()
            self._is_script_out_of_memory = outcome.is_out_of_memory
            # Encoding the scratchpad may call methods of its values, which may send requests.
            outcome = self._end.prepare_scratchpad(outcome)
            # From here on, the script can send nothing: the report will be the next message.
            self._dialogue.activity.end()
            # Nothing may refer to the script's objects in the next step: neither its `verify`
            # nor what the modules keep for it. Their finalizers run now.
            self._dialogue.submission.forget()
            forget_step()
        self._end.report(outcome)

    def run_function(self, task: RunFunction) -> None:
        """Run a function of the benchmark without a script, and send its result."""
        self._pin_library()
        with self._timers():
            self._dialogue.run_function(task)
        self._dialogue.activity.end()

    def _pin_library(self) -> None:
        """Set the clock and the random numbers of this step, which a replay gets again."""
        setting = self._context.setting
        CLOCK.begin_step(setting.now_us)
        seed_step(setting.seed, self._task.number)

    def _fill_scratchpad(self) -> None:
        """Give the scratchpad the content that it had at the end of the last step.

        If that cannot be read, the scratchpad stays empty, and the script's output says so.
        """
        try:
            self._dialogue.sent_scratchpad.fill(self._task.scratchpad)
        except Damaged as damage:
            self._dialogue.print(
                f"(the scratchpad cannot be read back and is empty now: {damage})\n"
            )

    def _timers(self) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that ends the step if the block takes too long."""
        if self._context.has_process_limits:
            return step_timers(self._context.setting.limits, self._end.expire)
        return contextlib.nullcontext()


# Runs an ordinary step a few times before children are forked, so that later steps are faster.

_WARM_SCRIPT: Final = """
record = harness.read("/a.json").json()
print(len(record), f"{sorted(record)}")
scratchpad["answer"] = str(record["id"])
scratchpad.cite("/a.json", "holds the id that was asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "a")
"""

_WARM_FILE: Final[dict[str, Plain]] = {
    "path": "/a.json",
    "content": '{"id": "a", "count": 1}',
    "truncated": False,
    "sha256": "",
}
_WARM_REPLIES: Final[tuple[ParentMessage, ...]] = (
    # harness.read: the file
    Answered(_WARM_FILE),
    # scratchpad.cite: the spelling of the path
    Answered("/a.json"),
    # harness.answer: the parent first demands that the script's `verify` be run, and then accepts
    RunVerify(is_blank=False),
    Answered(None),
)
"""What a parent sends while `_WARM_SCRIPT` runs, in this order."""

_WARM_ROUNDS: Final = 12
"""How often the ordinary step is run. The interpreter specialises
code that has run a few times; this is more than enough."""


def warm_up(context_of: Callable[[FrameReader, Setting], StepContext]) -> None:
    """Run an ordinary step a few times in the process from which children are forked.

    Then the interpreter has specialised the code for its usual types. Otherwise each
    child would do so again, in memory of its own.

    This process plays both sides: it sends the parent's messages, and receives them as
    a child does, so that the code for receiving is specialised, too. `context_of` returns
    what the steps of a child share.
    """
    gc.freeze()  # Imported objects live for ever, so no search for garbage has to visit them.
    isolation = frozenset({Layer.LANGUAGE, Layer.PROCESS})
    setting = Setting(FILE_OPERATIONS, Limits(), now_us=0, seed=0, isolation=isolation)
    parent, connection = socketpair()
    with parent, connection:
        reader = FrameReader(connection)
        parent_reader = FrameReader(parent)
        for number in range(_WARM_ROUNDS):
            # As the parent: send everything in advance. The replies wait in the socket
            # until the script's requests need them.
            send_frame(parent, setting.encode(), bounds.MOST_FROM_PARENT)
            for reply in _WARM_REPLIES:
                send_frame(parent, reply.encode(), bounds.MOST_FROM_PARENT)

            # As the child: receive the setting, and run the step.
            message = reader.receive(bounds.MOST_FROM_PARENT)
            received_setting = Setting.decode(MessageFields(message))
            context = context_of(reader, received_setting)
            StepRun(context, RunStep(number, _WARM_SCRIPT, {})).run()

            # As the parent: receive what the step sent, so that the socket does not fill up.
            _skip_to_report(parent_reader)


def _skip_to_report(reader: FrameReader) -> None:
    """Receive the messages of a step, up to the report of its end."""
    while True:
        received = reader.receive(bounds.MOST_FROM_PARENT)
        message = ChildMessage.decode(MessageFields(received))
        if isinstance(message.body, StepReport):
            return


@dataclass(frozen=True, slots=True)
class TrialScriptServer:
    """Serves the scripts of one trial in a child that was forked from this process.

    Each step of the trial runs one script, or one function of the benchmark.
    """

    modules: Modules
    """The modules that scripts may import, as scripts see them."""
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""

    def serve(self, connection: socket, kernel: Kernel | None) -> None:
        """Run the steps and functions that the parent sends, until it closes the connection.

        The first message is the trial's setting. The isolation begins before any script runs.
        """
        # Descriptor 0 is the connection to the parent. Nothing may read from it as standard input.
        sys.stdin = None
        try:
            reader = FrameReader(connection)
            setting = Setting.decode(
                MessageFields(reader.receive(bounds.MOST_FROM_PARENT))
            )
            confine_child(kernel, setting.isolation, setting.limits, NEEDED_BY_SCRIPTS)
            context = self.context(reader, setting)
            while _serve_one(context):
                pass
        except Closed:
            return

    def context(self, reader: FrameReader, setting: Setting) -> StepContext:
        """Return what the steps under this setting share, such as the connection and `harness`."""
        harness = step_harness(setting.operations)
        return StepContext(reader, setting, self.modules, self.functions, harness)


def _serve_one(context: StepContext) -> bool:
    """Run the next step or function. Returns True if this process can run another one.

    This is not inlined into `serve`: when it returns, its local names are gone, and
    with them all objects of the step.
    """
    message = context.reader.receive(bounds.MOST_FROM_PARENT)
    task = decode_parent_message(MessageFields(message))
    # A function of the benchmark runs in a step of its own, which has no script.
    step = StepRun(context, task if isinstance(task, RunStep) else NO_SCRIPT)
    match task:
        case RunStep():
            step.run()
        case RunFunction():
            step.run_function(task)
    return not step.is_spent  # It is spent if it reached the memory limit.


def step_harness(operations: tuple[Operation, ...]) -> Any:
    """Return the `harness` that all steps of a process use.

    It is created once, because creating it takes longer than a short step. So its functions
    do not belong to one step: they pass each call to the step that runs at that moment. The
    global `STEP` refers to that one.
    """

    def call_in_current_step(
        operation: str, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        return STEP.call(operation, positional, named)

    def answer_in_current_step(scratchpad: Any, verify: Any) -> None:
        STEP.answer(scratchpad, verify)

    return build_harness(operations, call_in_current_step, answer_in_current_step)


# Preparing the process from which children are forked


def show_iso_dates() -> None:
    """Let what `date.isocalendar` returns print as in CPython, with the name of its module.

    `datetime` is the library's Python code here. It leaves out the name, the usual C code does not.
    """
    iso_date: Any = type(datetime.date.min.isocalendar())

    def text_of_iso_date(date: Any) -> str:
        year, week, weekday = date
        return f"datetime.IsoCalendarDate(year={year}, week={week}, weekday={weekday})"

    iso_date.__repr__ = text_of_iso_date


def prepare(function_modules: tuple[str, ...] = ()) -> TrialScriptServer:
    """Prepare this process for running scripts.

    - Pins Python's library: a replay gets the same time and the same random numbers.
    - Loads the benchmark's functions.
    - Guards the library, so that scripts cannot use it to get around the language policy.
    - Runs a few steps, so that later ones are faster.

    Raises `ImportError`.
    """
    # The order matters. The benchmark's functions see the pinned clock and random numbers.
    # They are trusted, so they are loaded before the library is guarded against scripts.
    load_time_zones()
    pin_random()
    pin_time()
    show_iso_dates()
    functions = {name: _load_functions(name) for name in function_modules}
    guard_library()
    _import_late_modules()

    server = TrialScriptServer(build_modules(replacements()), functions)
    warm_up(server.context)
    return server


def _load_functions(name: str) -> ModuleType:
    """Return a module of the benchmark's functions.

    Raises `ImportError`, whose message says what such a module may import.
    """
    try:
        return import_module(name)
    except BaseException as error:  # noqa: BLE001 - a library may end its import in its own way
        msg = (
            f"the functions of {name} cannot be loaded beside scripts "
            f"({type(error).__name__}: {error!s:.200}): such a module imports the standard library "
            "and Python's own modules, no library that needs datetime's C part"
        )
        raise ImportError(msg) from None


def _import_late_modules() -> None:
    """Import what the library imports only when it is first used: a child cannot read files.

    Each line uses a part of the library that does so.
    """
    CLOCK.begin_step(now_us=0)  # `strptime` reads the clock.
    divmod(1 << 20_000, 1 << 10_000)  # imports `_pylong`, from Python 3.12 on
    time.strptime("1", "%d")  # imports `_strptime`
    ast.unparse(ast.Constant(0))  # imports what writes annotations, from Python 3.14 on
    # compiles the pattern of templates, from Python 3.14 on
    string.Template("").substitute()
