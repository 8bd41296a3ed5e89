"""Python's library in a process of scripts: guarded, pinned, and loaded in advance.

The library reads and sets attributes on behalf of a script, without the guards of scripts; it asks
the machine for random numbers and files. What it does so is replaced here for the whole process,
and `replacements` are what scripts get in place of some of its names.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import dataclasses
import datetime
import decimal
import functools
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
from functools import WRAPPER_ASSIGNMENTS, WRAPPER_UPDATES, partial
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
from controlplane.sandbox.child.language.pinned_clock import CLOCK
from controlplane.sandbox.child.language.script_builtins import exit_script
from controlplane.sandbox.child.language.script_compiler import (
    BINDABLE,
    compile_annotation,
    is_special,
    needs_no_guard,
)
from controlplane.sandbox.child.language.script_modules import (
    DEFAULT_DIGITS,
    STEP,
    Live,
)

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


def _guard_dataclasses() -> None:
    """Make `@dataclass` change only classes of the script, and evaluate annotations with guards.

    A class is the script's own if its `__module__` is `__main__` (`guards.is_own`).
    """
    # `dataclass` and `make_dataclass` both call this private function.
    process_class = vars(dataclasses)["_process_class"]
    make_class: Any = dataclasses.make_dataclass

    def process_own_class(cls: Any, *arguments: Any, **options: Any) -> Any:
        """Do as `dataclasses._process_class`, which adds the methods to a class."""
        _check_fields(cls)
        # The library sets several attributes of the class, such as `__doc__`. A script may set
        # that one in its own classes, but not in those of the library: `decimal.Decimal`.
        check_settable(cls, "__doc__")
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


def _guard_named_tuples() -> None:
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
# (`replacements`). What other parts of the library call, too, is changed here.


def guard_library() -> None:
    """Guard what the library does on behalf of a script. This changes the whole process."""
    _guard_formatter()
    _guard_dataclasses()
    _guard_named_tuples()
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

_SHARED_RANDOM: Final = Random(0)
"""The generator behind the functions of `random`, such as `random.choice`."""


def pin_random() -> None:
    """Make the functions of `random` use the generator of the step."""
    # `random.choice` is the method `choice` of a generator. Here it becomes that of our own.
    functions = vars(random)
    for name in dir(random):
        if not name.startswith("_") and hasattr(_SHARED_RANDOM, name):
            functions[name] = getattr(_SHARED_RANDOM, name)
    functions["Random"] = Random


def seed_step(seed: int, step: int) -> None:
    """Seed all generators for a step. `seed` is that of the trial, `step` the step's number."""
    SEEDS.seed(f"{seed}:{step}")
    _SHARED_RANDOM.seed()  # with the first number from SEEDS


def _random_uuid1(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """Do as `uuid.uuid1`, but with random bits of the step instead of the machine's address."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=1)


def _random_uuid4() -> uuid.UUID:
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
            "set_int_max_str_digits": _set_max_digits,
            "setrecursionlimit": _set_recursion_limit,
            # A new empty file each time, so that nothing is shared.
            "stdin": Live(io.StringIO),
            "stdout": _stream("stdout"),
            "stderr": _stream("stderr"),
        },
        "traceback": {"format_exc": format_exc, "print_exc": print_exc},
        "typing": {"get_origin": origin_of},
        "uuid": {"uuid1": _random_uuid1, "uuid4": _random_uuid4},
    }


def _stream(name: str) -> Live:
    """Return `sys.stdout` or `sys.stderr` as a script reads and sets it.

    It is that of this process, which is the console of the running step.
    """

    def write(stream: Any) -> None:
        setattr(sys, name, stream)

    return Live(lambda: getattr(sys, name), write)


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


def _set_max_digits(digits: int) -> None:
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


def _set_recursion_limit(limit: int) -> None:
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


def show_usual_dates() -> None:
    """Let the classes of `datetime`, and what `date.isocalendar` returns, print as in CPython.

    `datetime` is the library's Python code here. Its module has another name in some versions of
    Python, and it leaves out the name where it shows a week. The usual C code does neither.
    """
    iso_date: Any = type(datetime.date.min.isocalendar())

    def text_of_iso_date(date: Any) -> str:
        year, week, weekday = date
        return f"datetime.IsoCalendarDate(year={year}, week={week}, weekday={weekday})"

    iso_date.__repr__ = text_of_iso_date
    for kind in (*vars(datetime).values(), iso_date):
        if isinstance(kind, type):
            kind.__module__ = "datetime"


def import_late_modules() -> None:
    """Import what the library imports only when it is first used: a child cannot read files.

    Each line uses a part of the library that does so.
    """
    CLOCK.begin_step(now_us=0)  # `strptime` reads the clock.
    divmod(1 << 20_000, 1 << 10_000)  # imports `_pylong`, from Python 3.12 on
    time.strptime("1", "%d")  # imports `_strptime`
    ast.unparse(ast.Constant(0))  # imports what writes annotations, from Python 3.14 on
    # compiles the pattern of templates, from Python 3.14 on
    string.Template("").substitute()
