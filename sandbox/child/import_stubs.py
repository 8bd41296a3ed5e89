"""Stand-ins for slow library modules while the fork server imports the modules that ask for them.

Each real one takes as long to import as five others, and its importers use a name or two of it: they save a sixth of
the server's start. For the process that runs scripts and nowhere else.
"""

import _locale
import sys
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

_CODE_FLAGS = (
    *("OPTIMIZED", "NEWLOCALS", "VARARGS", "VARKEYWORDS", "NESTED"),
    *("GENERATOR", "NOFREE", "COROUTINE", "ITERABLE_COROUTINE", "ASYNC_GENERATOR"),
)
"""What `inspect` calls the flags of code objects, the lowest bit first."""


def install() -> None:
    """Have imports find the stand-ins from now on.

    Imports that the library would put off until a name is used are made at once: the child can read no file.
    """
    sys.modules.update(_STAND_INS)
    if sys.version_info >= (3, 15):
        sys.set_lazy_imports_filter(lambda *asked: False)


def remove() -> None:
    """Have imports find the library again, except `signal`: `_signal` has all of its functions."""
    for name in _STAND_INS:
        if name != "signal":
            del sys.modules[name]


def _module(name: str, names: dict[str, Any]) -> ModuleType:
    made = ModuleType(name)
    made.__dict__.update(names)
    return made


_PLAIN = SimpleNamespace(
    difflib=SimpleNamespace(**dict.fromkeys(["added", "context", "header", "hunk", "removed", "reset"], ""))
)
_STAND_INS: dict[str, Any] = {
    # `signal` adds enumerations for its numbers.
    "signal": import_module("_signal"),
    # `_strptime` asks which locale is set: none ever is here. `calendar` would set one.
    "locale": _module("locale", vars(_locale) | {"getlocale": lambda category=None: (None, None)}),
    # `zoneinfo` asks where zones are kept, unless the environment says it, as it does here.
    "sysconfig": _module("sysconfig", {}),
    # `inspect` asks `dis` what the flags of code are called; source text, for `tokenize` to read, there is none.
    "dis": _module("dis", {"COMPILER_FLAG_NAMES": {1 << bit: name for bit, name in enumerate(_CODE_FLAGS)}}),
    "tokenize": _module("tokenize", {}),
    # The policy takes one module of RestrictedPython, which itself imports all.
    "RestrictedPython": _module("RestrictedPython", {"__path__": [f"{each}/RestrictedPython" for each in sys.path]}),
    # `uuid` asks for the system, RestrictedPython for the interpreter.
    "platform": _module("platform", {"system": lambda: "", "python_implementation": lambda: "CPython"}),
    # `difflib` asks for colours, of which a step's output has none.
    "_colorize": _module("_colorize", {"can_colorize": lambda: False, "get_theme": lambda **asked: _PLAIN}),
    # `uuid` would ask a library of the system for the time; scripts get a pinned one.
    "_uuid": None,
    # Structures of the other byte order.
    "ctypes._endian": _module(
        "ctypes._endian",
        dict.fromkeys(["BigEndianStructure", "LittleEndianStructure", "BigEndianUnion", "LittleEndianUnion"]),
    ),
}
if sys.version_info < (3, 12):
    _STAND_INS["_hashlib"] = None  # `hashlib` does without OpenSSL; later it has no code for `pbkdf2_hmac`.
