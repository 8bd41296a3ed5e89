"""The modules that a script may import, as facades of their listed names.

A facade keeps a script from names that are not the same in every run, and from changes that a later step would see.
"""

import difflib
import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any, Final

from sandbox.child.language_policy import ATTRIBUTES_INSTEAD, MODULES_INSTEAD

_MODULES: Final = (
    "__future__ abc base64 binascii bisect calendar cmath collections collections.abc contextlib copy csv dataclasses "
    "datetime decimal difflib enum fnmatch fractions functools graphlib heapq html html.entities itertools json "
    "json.decoder json.encoder keyword math math.integer numbers operator pprint re shlex statistics string struct "
    "textwrap typing unicodedata urllib.parse zoneinfo"
)
"""Modules whose public names a script may import: those of `__all__`, else those that are not modules themselves."""
_NAMES: Final = """
ast: literal_eval
hashlib: md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s new shake_128
  shake_256 algorithms_available algorithms_guaranteed pbkdf2_hmac
io: StringIO BytesIO SEEK_SET SEEK_CUR SEEK_END UnsupportedOperation Reader Writer
posixpath: join split splitext basename dirname normpath normcase relpath isabs commonpath commonprefix sep curdir
  pardir
random: random uniform randint randrange choice choices sample shuffle seed gauss normalvariate expovariate betavariate
  gammavariate lognormvariate triangular paretovariate vonmisesvariate weibullvariate getrandbits randbytes getstate
  setstate Random binomialvariate
sys: argv byteorder exc_info exception exit float_info get_int_max_str_digits getdefaultencoding getrecursionlimit
  getsizeof hash_info int_info intern maxsize maxunicode platform set_int_max_str_digits setrecursionlimit stderr stdin
  stdout version version_info
time: time time_ns sleep monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns gmtime
  localtime mktime strftime strptime asctime ctime struct_time timezone altzone tzname daylight
traceback: format_exc print_exc format_exception print_exception format_exception_only
types: SimpleNamespace MappingProxyType FunctionType LambdaType MethodType BuiltinFunctionType BuiltinMethodType
  GeneratorType TracebackType NoneType EllipsisType NotImplementedType UnionType
urllib: parse
uuid: UUID uuid1 uuid3 uuid4 uuid5 uuid6 uuid7 uuid8 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 NIL MAX
  SafeUUID
"""
"""Modules of which a script gets the listed names, where this version of Python has them."""
_MORE: Final = {
    "calendar": ("January", "February"),
    "collections": ("abc",),
    "enum": ("show_flag_values",),
    "html": ("entities",),
    "json": ("decoder", "encoder"),
    "re": ("DEBUG",),
}
"""Names besides those of `__all__`."""
_WITHHELD: Final = frozenset({"kde_random", "EnumType", "EnumMeta", "chdir", "available_timezones", "reset_tzpath"})
"""Public names that need the machine or are not the same in every run, or that have a better way here."""
_WHOLE: Final = ("dataclasses", "typing")
"""Modules handed out as they are: `dataclass` looks for them among a script's names to read annotations."""
_ENTRY: Final = re.compile(r"^([\w.]+):((?:.*\n)(?:  .*\n)*)", re.MULTILINE)


def _public(module: str) -> list[str]:
    """Return the public names of a module; none if this version of Python lacks it."""
    try:
        held = vars(importlib.import_module(module))
    except ModuleNotFoundError:
        return []
    plain = [name for name, value in held.items() if not name.startswith("_") and type(value) is not ModuleType]
    return [*held.get("__all__", plain), *_MORE.get(module, ())]


def _listed() -> dict[str, frozenset[str]]:
    listed = {module: frozenset(names) - _WITHHELD for module in _MODULES.split() if (names := _public(module))}
    for module, names in _ENTRY.findall(_NAMES):
        held = vars(importlib.import_module(module))
        listed[module] = frozenset(name for name in names.split() if name in held)
    return listed


LISTED: Final = _listed()
"""The names that a script may import, by module."""
_HOMES: Final = ("collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "typing")
"""Modules whose names seldom mean anything else in a script."""


class Live:
    """A name of a module whose value belongs to the step; one with `write` a script may set."""

    __slots__ = ("read", "write")

    def __init__(self, read: Callable[[], Any], write: Callable[[Any], None] | None = None) -> None:
        self.read = read
        self.write = write


class Facade:
    """A module as a script sees it: its listed names and nothing else. Only live ones with `write` can be set."""

    __slots__ = ("__names", "__title")

    def __init__(self, title: str, names: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_Facade__title", title)
        object.__setattr__(self, "_Facade__names", dict(names))

    def __getattr__(self, name: str) -> Any:
        if name in self.__names:
            found = self.__names[name]
            return found.read() if type(found) is Live else found
        msg = f"module {self.__title!r} has no attribute {name!r} here{_hint(name, self.__names)}"
        raise AttributeError(msg)

    def __setattr__(self, name: str, value: object) -> None:
        if not is_live(self, name):
            self.__delattr__(name)
        self.__names[name].write(value)

    def __delattr__(self, name: str) -> None:
        msg = f"module {self.__title!r} is sealed"
        raise AttributeError(msg)

    def __dir__(self) -> list[str]:
        return sorted(self.__names)

    def __repr__(self) -> str:
        return f"<module {self.__title!r}>"

    def __init_subclass__(cls) -> None:
        msg = "a module cannot be subclassed"
        raise TypeError(msg)

    def __reduce__(self) -> str:
        msg = "a module cannot be copied"
        raise TypeError(msg)


Facade.__name__ = Facade.__qualname__ = "module"
Facade.__module__ = "builtins"
Modules = dict[str, Any]
"""What import statements bind, by module name."""


def is_live(module: Any, name: str) -> bool:
    """Say whether a script may set this name of a module."""
    found = module._Facade__names.get(name)
    return type(found) is Live and found.write is not None


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
        made[title] = module if title in _WHOLE else Facade(title, names)
    return made
