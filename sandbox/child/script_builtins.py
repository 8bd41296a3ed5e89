"""The modules and builtins of a script, the guard of its assignments, and what is pinned so that a replay is exact.

A module is a facade of its listed names, without those that differ between runs and without changes that a later step
would see. The same now, seed and step give the same times, random values and identifiers: `time.time` and the library's
dates in Python, which ask it, show the pinned instant; `time.sleep` moves it on without waiting; `time.monotonic` and
`time.perf_counter` also advance by a microsecond with each reading. `pin_library` changes the whole process.
"""

from __future__ import annotations

import builtins
import calendar
import csv
import decimal
import difflib
import gc
import importlib
import io
import operator
import os
import posixpath
import random
import re
import sys
import time as times
import typing
import uuid
import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from types import FunctionType, ModuleType
from typing import Any, BinaryIO, Final, SupportsIndex

from RestrictedPython.Eval import default_guarded_getiter
from RestrictedPython.Guards import safe_builtins

from controlplane.sandbox.child.language_policy import (
    ATTRIBUTES_INSTEAD,
    MODULES_INSTEAD,
    READ,
)
from controlplane.sandbox.child.script_guards import (
    Live,
    attrgetter,
    facade,
    guarded_getattr,
    make_dataclass,
    may_read,
    methodcaller,
    origin_of,
    own_object,
    redirected,
    script_hasattr,
    script_type,
    script_vars,
    update_wrapper,
    wraps,
)

_MODULES: Final = (
    "__future__ abc base64 binascii bisect calendar cmath collections collections.abc contextlib copy csv dataclasses "
    "datetime decimal difflib enum fnmatch fractions functools graphlib hashlib heapq html html.entities itertools "
    "json json.decoder json.encoder keyword math math.integer numbers operator pprint random re shlex statistics "
    "string struct textwrap typing unicodedata urllib.parse zoneinfo"
)
"""Modules whose public names a script may import: those of `__all__`, else those that are not modules themselves."""
_NAMES: Final = """
ast: literal_eval
configparser: ConfigParser RawConfigParser BasicInterpolation ExtendedInterpolation Error NoSectionError NoOptionError
  DuplicateSectionError DuplicateOptionError ParsingError MissingSectionHeaderError
email: message_from_string message_from_bytes
email.header: Header decode_header make_header
email.parser: Parser HeaderParser BytesParser BytesHeaderParser
email.policy: default compat32 strict
email.utils: parseaddr getaddresses formataddr parsedate parsedate_tz parsedate_to_datetime mktime_tz quote unquote
html.parser: HTMLParser
quopri: encodestring decodestring encode decode
tomllib: loads load TOMLDecodeError
xml.etree.ElementTree: Element SubElement ElementTree fromstring XML parse tostring iselement ParseError
io: StringIO BytesIO SEEK_SET SEEK_CUR SEEK_END UnsupportedOperation Reader Writer
posixpath: join split splitext basename dirname normpath normcase relpath isabs commonpath commonprefix sep curdir
  pardir
sys: argv byteorder exc_info exception exit float_info get_int_max_str_digits getdefaultencoding getrecursionlimit
  getsizeof hash_info int_info intern maxsize maxunicode platform set_int_max_str_digits setrecursionlimit stderr stdin
  stdout version version_info
time: time time_ns sleep monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns gmtime
  localtime mktime strftime strptime asctime ctime struct_time timezone altzone tzname daylight
traceback: format_exc print_exc
types: SimpleNamespace MappingProxyType NoneType NotImplementedType EllipsisType UnionType GenericAlias FunctionType
  LambdaType GeneratorType MethodType BuiltinFunctionType BuiltinMethodType ModuleType TracebackType
uuid: UUID uuid1 uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 NIL MAX
  SafeUUID
"""
"""Modules of which a script gets the listed names, where this version of Python has them."""
_MORE_NAMES: Final = {
    "calendar": ("January", "February"),
    "enum": ("show_flag_values",),
    "re": ("DEBUG",),
}
"""Names besides those of `__all__`."""
_WITHHELD: Final = frozenset(
    {
        *("ABCMeta", "global_enum", "update_abstractmethods"),
        *(
            "kde_random",
            "EnumType",
            "EnumMeta",
            "chdir",
            "available_timezones",
            "reset_tzpath",
            "SystemRandom",
        ),
        *("file_digest", "scrypt"),
    }
)
"""Public names that need the machine or are not the same in every run, or that have a better way here."""
_ENTRY: Final = re.compile(r"^([\w.]+):((?:.*\n)(?:  .*\n)*)", re.MULTILINE)


def _public(module: str) -> list[str]:
    """Return the public names of a module; none if this version of Python lacks it."""
    try:
        held = vars(importlib.import_module(module))
    except ModuleNotFoundError:
        return []
    plain = [
        name
        for name, value in held.items()
        if not name.startswith("_") and type(value) is not ModuleType
    ]
    return [*held.get("__all__", plain), *_MORE_NAMES.get(module, ())]


def _listed() -> dict[str, frozenset[str]]:
    listed = {
        module: frozenset(names) - _WITHHELD
        for module in _MODULES.split()
        if (names := _public(module))
    }
    for module, names in _ENTRY.findall(_NAMES):
        held = vars(importlib.import_module(module))
        listed[module] = frozenset(name for name in names.split() if name in held)
    for dotted in list(listed):
        while "." in dotted:
            dotted, _, name = dotted.rpartition(".")
            listed[dotted] = listed.get(dotted, frozenset()) | {name}
    return listed


LISTED: Final = _listed()
"""The names that a script may import, by module."""
_HOMES: Final = (
    "collections",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "typing",
)
"""Modules whose names seldom mean anything else in a script."""


Modules = dict[str, Any]
"""What import statements bind, by module name."""


def import_refusal(module: str, name: str | None) -> str:
    """Return why a script cannot import `module`, or `name` from it, with what to use instead; empty if it can."""
    names = LISTED.get(module)
    if names is None:
        instead = MODULES_INSTEAD.get(module) or MODULES_INSTEAD.get(module.split(".")[0])
        return f"module {module!r} cannot be imported; {instead or 'there are ' + ', '.join(offered())}"
    if name is not None and name not in names and f"{module}.{name}" not in LISTED:
        return f"{name!r} cannot be imported from {module!r}{_hint(name, names)}"
    return ""


def import_hint(name: str) -> str:
    """Return how a script imports a name that it uses but does not have; empty if the name may mean something else."""
    ways = [f"`import {name}`"] if name in LISTED else []
    ways += [f"`from {home} import {name}`" for home in _HOMES if name in LISTED[home]][:1]
    return f"imports end with their step; write {' or '.join(ways)} here" if ways else ""


def offered() -> list[str]:
    """Return the importable modules, sorted."""
    return sorted(name for name in LISTED if not name.startswith("_"))


def _missing(title: str, names: Mapping[str, Any], name: str) -> str:
    return f"module {title!r} has no attribute {name!r} here{_hint(name, names)}"


def _hint(name: str, names: Iterable[str]) -> str:
    if name in ATTRIBUTES_INSTEAD:
        return f"; {ATTRIBUTES_INSTEAD[name]}"
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def build(replaced: Mapping[str, Mapping[str, Any]]) -> Modules:
    """Return what import statements bind, by module name; `replaced` holds replacements of real names."""
    made: Modules = {}
    for title in sorted(LISTED, key=lambda dotted: -dotted.count(".")):
        swaps = replaced.get(title, {})
        module = importlib.import_module(title)
        names: dict[str, Any] = {}
        for name in sorted(LISTED[title]):
            if name in swaps:
                names[name] = swaps[name]
                if type(swaps[name]) is FunctionType:  # Messages use the name that scripts know.
                    swaps[name].__name__ = swaps[name].__qualname__ = name
            elif f"{title}.{name}" in made:
                names[name] = made[f"{title}.{name}"]
            elif hasattr(module, name):
                names[name] = getattr(module, name)
        made[title] = facade(f"module {title!r}", names, partial(_missing, title, names))
    return made


_ORIGINAL: Final = {
    name: getattr(times, name) for name in ("gmtime", "strftime", "asctime", "monotonic")
}


class Clock:
    """The pinned clock of one step."""

    def __init__(self) -> None:
        self.now_us = 0
        self.read_us = 0
        self.is_missing = False
        """There is no time of day."""

    def sleep(self, seconds: float | SupportsIndex, /) -> None:
        """Move the clock on at once. Raises `ValueError` for a negative time."""
        seconds = float(seconds)
        if seconds < 0:
            msg = "sleep length must be non-negative"
            raise ValueError(msg)
        self.now_us += int(seconds * 1_000_000)

    def time(self) -> float:
        """Return the seconds since 1970. Raises `RuntimeError` where there is no clock."""
        return self.time_ns() / 1_000_000_000

    def time_ns(self) -> int:
        """Return the nanoseconds since 1970. Raises `RuntimeError` where there is no clock."""
        if self.is_missing:
            msg = "there is no clock here: take dates and times from what you read"
            raise RuntimeError(msg)
        return self.now_us * 1_000

    def counter_us(self) -> int:
        """Return microseconds of a steady clock that advances with every reading."""
        self.read_us += 1
        return self.now_us % 1_000_000_000 + self.read_us


CLOCK: Final = Clock()


class Random(random.Random):
    """`random.Random` whose unseeded generators are seeded from the step, not from the machine."""

    __module__ = "random"

    def __init__(self, x: Any = None) -> None:
        super().__init__(SEEDS.getrandbits(64) if x is None else x)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Seed the generator; without a seed, from the step's own."""
        super().seed(SEEDS.getrandbits(64) if a is None else a, version)


SEEDS: Final = random.Random(0)
"""Gives every unseeded generator of a step its seed."""
SHARED: Final = Random(0)
"""The generator behind the functions of `random`."""


def begin_step(now_us: int | None, seed: int, step: int) -> None:
    """Pin time (microseconds since 1970 in UTC; None for no clock) and randomness for one step."""
    CLOCK.now_us, CLOCK.read_us, CLOCK.is_missing = now_us or 0, 0, now_us is None
    SEEDS.seed(f"{seed}:{step}")
    SHARED.seed()


def pin_library() -> None:
    """Replace the clocks and the random generators of this process, and load the time zones."""
    _install_zones()
    shared = {
        name: getattr(SHARED, name)
        for name in dir(random)
        if not name.startswith("_") and hasattr(SHARED, name)
    }
    vars(random).update(shared, Random=Random)
    times.time = CLOCK.time
    times.time_ns = CLOCK.time_ns
    times.sleep = CLOCK.sleep
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(times, name, lambda: CLOCK.counter_us() / 1_000_000)
        setattr(times, f"{name}_ns", lambda: CLOCK.counter_us() * 1_000)
    times.gmtime = lambda secs=None: _ORIGINAL["gmtime"](CLOCK.time() if secs is None else secs)
    times.localtime = lambda secs=None: times.struct_time((*times.gmtime(secs), "UTC", 0))
    times.ctime = lambda secs=None: _ORIGINAL["asctime"](times.gmtime(secs))
    times.asctime = lambda t=None: _ORIGINAL["asctime"](times.gmtime() if t is None else t)
    times.strftime = lambda form, t=None: _ORIGINAL["strftime"](
        form, times.localtime() if t is None else t
    )


def _install_zones() -> None:
    """Read the data of all time zones now: a child has no files."""
    zones: dict[str, bytes] = {}
    for top in reversed(zoneinfo.TZPATH):
        for folder, below, names in os.walk(top):
            below[:] = [
                name for name in below if name not in ("posix", "right")
            ]  # the same zones again
            for path in (f"{folder}/{name}" for name in names):
                # A link may lead nowhere.
                with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 - half the time of pathlib
                    if (data := file.read()).startswith(b"TZif"):
                        zones[path.removeprefix(f"{top}/")] = data

    def load(key: str) -> BinaryIO:
        if key not in zones:
            msg = f"No time zone found with key {key}"
            raise zoneinfo.ZoneInfoNotFoundError(msg)
        return io.BytesIO(zones[key])

    zoneinfo.reset_tzpath(())
    vars(zoneinfo._common)["load_tzdata"] = load


def _random_uuid(version: int) -> Any:
    def make(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
        return uuid.UUID(int=SEEDS.getrandbits(128), version=version)

    return make


_MORE: Final = (
    "all any ascii bin bytearray bytes classmethod dict enumerate filter format frozenset iter "
    "list map max memoryview min next NotImplemented object print property reversed set sorted staticmethod sum super "
    "tuple zip frozendict sentinel"  # The last two: from Python 3.15 on.
)
_EXCEPTIONS: Final = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
_IMPORTED_BY_C: Final = frozenset(
    {"_pylong", "_strptime", "time", "locale", "warnings", "zoneinfo._common"}
)
"""Modules that functions written in C import through the script's frame; the value that these get is another one."""
NO_PACKAGE: Final = "relative imports are not available; there is only this script"
_LEAST_CALLS, _MOST_CALLS = 100, 20_000
_LEAST_DIGITS: Final = sys.int_info.default_max_str_digits
ADDRESS: Final = "0x5ab1e0000040"
"""The address in place of every real one."""
_ADDRESS: Final = re.compile(r"(?:(?<= at )|(?<= @ ))0x[0-9a-f]{6,16}(?=[>,;:])")


def stable(text: str) -> str:
    """Return a text with one address in place of the real ones, as in `<map object at 0x…>`."""
    return _ADDRESS.sub(ADDRESS, text) if " 0x" in text else text


class CurrentStep:
    """The running step, as the library's replacements need it."""

    describe: Callable[[BaseException], str]
    """Returns the description of an exception, by lines of the script alone."""
    ask: Callable[[str, list[Any]], Any]
    answer: Callable[[Any, Any], None]


STEP: Final = CurrentStep()


_DIALECTS: Final[dict[str, Any]] = {name: csv.get_dialect(name) for name in csv.list_dialects()}
_LONGEST_FIELD: Final = csv.field_size_limit()


def forget_step() -> None:
    """Release the objects of a step, whose finalizers run now, and restore what the library lets a script set for its
    whole process."""
    vars(STEP).clear()
    sys.stdout = sys.stderr = None
    sys.modules.pop("__main__", None)
    gc.collect()
    sys.setrecursionlimit(1_000)
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    decimal.setcontext(decimal.Context())
    calendar.setfirstweekday(calendar.MONDAY)
    csv.field_size_limit(_LONGEST_FIELD)
    if {name: csv.get_dialect(name) for name in csv.list_dialects()} != _DIALECTS:
        for name in csv.list_dialects():
            csv.unregister_dialect(name)
        for name, dialect in _DIALECTS.items():
            csv.register_dialect(name, dialect)
    typing.clear_overloads()


def script_names(facades: Modules) -> dict[str, Any]:
    """Return the builtins of a new step."""

    def import_module(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        """Return the module that an import statement binds. Raises `ImportError` that names what to use instead."""
        if name in _IMPORTED_BY_C and name not in facades:
            return None
        for each in fromlist or (None,):
            if refusal := NO_PACKAGE if level else import_refusal(name, each):
                raise ModuleNotFoundError(refusal)
        return facades[name if fromlist else name.partition(".")[0]]

    return _SHARED_NAMES | {"__import__": import_module}


def exit_script(code: Any = None) -> None:
    """End the script."""
    raise SystemExit(code)


def _unpacked(items: Any, parts: Any, getiter: Any) -> Any:
    """Return items as they are: the library would guard the iteration of each part, which is free here."""
    return items


_GUARDS: Final[dict[str, Callable[..., Any]]] = {
    "setattr": lambda target, name, value: setattr(own_object(target, name), name, value),
    "delattr": lambda target, name: delattr(own_object(target, name), name),
    "getattr": guarded_getattr,
    "hasattr": script_hasattr,
    "vars": script_vars,
    "dir": lambda target: [
        name for name in dir(target) if name[:1] != "_" or name in READ or may_read(target, name)
    ],
}
"""What scripts get in place of these builtins."""
for _name, _guard in _GUARDS.items():
    _guard.__name__ = _guard.__qualname__ = _name  # What messages call it.

_SHARED_NAMES: Final[dict[str, Any]] = {
    **safe_builtins,
    **{name: getattr(builtins, name) for name in _MORE.split() if hasattr(builtins, name)},
    **_EXCEPTIONS,
    **_GUARDS,
    **dict.fromkeys(("exit", "quit"), exit_script),
    "_getattr_": guarded_getattr,
    "_getitem_": operator.getitem,
    "_getiter_": default_guarded_getiter,
    "_iter_unpack_sequence_": _unpacked,
    "_unpack_sequence_": _unpacked,
    "_write_": own_object,
    "type": script_type,
    "__build_class__": builtins.__build_class__,
    "__name__": "__main__",
}
"""The builtins that all steps share."""


def _traceback(limit: Any = None, chain: bool = True) -> str:
    """Return the traceback of the current exception, through the script's own lines; of none, what the library says."""
    error = sys.exception()
    return "NoneType: None\n" if error is None else f"{STEP.describe(error)}\n"


def exc_info() -> tuple[Any, Any, None]:
    """Return the exception that is being handled, its traceback left out."""
    error = sys.exception()
    return None if error is None else type(error), error, None


def replacements() -> Mapping[str, Mapping[str, Any]]:
    """Return what scripts get in place of names of the library, by module."""
    contexts = ("BasicContext", "ExtendedContext", "DefaultContext")
    streams = {
        name: Live(partial(getattr, sys, name), partial(setattr, sys, name))
        for name in ("stdout", "stderr")
    }
    system = {
        "argv": ("script",),
        "platform": "linux",
        "exit": exit_script,
        "exc_info": exc_info,
        # Messages to the parent need the default number of digits at the least, and the stack holds only so many calls.
        "set_int_max_str_digits": lambda most: sys.set_int_max_str_digits(
            most and max(most, _LEAST_DIGITS)
        ),
        "setrecursionlimit": lambda limit: sys.setrecursionlimit(
            max(_LEAST_CALLS, min(limit, _MOST_CALLS))
        ),
        "stdin": Live(io.StringIO),
    }
    return {
        "contextlib": {f"redirect_{name}": redirected(name) for name in ("stdout", "stderr")},
        "dataclasses": {"make_dataclass": make_dataclass},
        "decimal": {name: Live(getattr(decimal, name).copy) for name in contexts},
        "functools": {"update_wrapper": update_wrapper, "wraps": wraps},
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
        # A path that is not absolute is below the root, as for `harness`.
        "posixpath": {
            "relpath": lambda path, start="/": posixpath.relpath(f"/{path}", f"/{start}")
        },
        "sys": streams | system,
        "traceback": {
            "format_exc": _traceback,
            "print_exc": lambda limit=None, file=None, chain=True: print(
                _traceback(), end="", file=file or sys.stderr
            ),
        },
        "typing": {"get_origin": origin_of},
        "uuid": {"uuid1": _random_uuid(1), "uuid4": _random_uuid(4)},
    }
