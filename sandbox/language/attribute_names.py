"""Kinds of attribute names, and what the name alone decides about an access.

Names are exact strings in NFKC. `sandbox.library.attribute_guard` decides the rest by the object.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from RestrictedPython.transformer import INSPECT_ATTRIBUTES

INTERNALS: Final = INSPECT_ATTRIBUTES | {
    *("tb_lasti", "tb_lineno", "f_lasti", "f_lineno", "f_trace_lines", "f_trace_opcodes", "f_generator"),
    *("gi_running", "gi_suspended", "cr_running", "cr_suspended", "ag_running", "ag_suspended"),
    *("gi_state", "cr_state", "ag_state"),
    *("co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_lnotab", "co_linetable", "co_lines"),
    *("co_branches", "co_exceptiontable", "co_positions", "co_filename"),
    *("func_globals", "func_code", "im_func", "im_self"),
}
"""Attributes of frames, code, tracebacks, generators and coroutines."""

LINEAGE: Final = frozenset({"__mro__", "__bases__", "__subclasses__", "mro"})
"""The ancestors and heirs of a class: shown of the script's own classes alone."""

FORMATTERS: Final = frozenset({"format", "format_map"})
"""Methods of `str` whose fields read attributes; a script gets guarded ones."""

JUDGED_BY_VALUE: Final = FORMATTERS | {"obj"}
"""Ordinary names that may lead to something unguarded. `obj` of an `AttributeError` can be any object."""

_ARITHMETIC: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "divmod")
_BITWISE: Final = ("and", "or", "xor", "lshift", "rshift")

METHODS: Final = frozenset(
    {
        *(
            "__init__",
            "__new__",
            "__post_init__",
            "__repr__",
            "__str__",
            "__bytes__",
            "__format__",
            "__bool__",
            "__hash__",
        ),
        *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__len__", "__length_hint__", "__contains__"),
        *(
            "__iter__",
            "__next__",
            "__reversed__",
            "__getitem__",
            "__setitem__",
            "__delitem__",
            "__missing__",
            "__call__",
        ),
        *("__enter__", "__exit__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__dir__"),
        *("__get__", "__set__", "__delete__", "__set_name__", "__init_subclass__", "__class_getitem__", "__copy__"),
        *("__deepcopy__", "__int__", "__float__", "__complex__", "__index__", "__round__", "__trunc__", "__floor__"),
        *("__ceil__", "__neg__", "__pos__", "__abs__", "__invert__", "__fspath__", "__sizeof__", "__subclasshook__"),
        *(f"__{side}{each}__" for side in ("", "r", "i") for each in (*_ARITHMETIC, *_BITWISE)),
    }
)
"""The special methods that a script's class may define, and call on itself, on `super()` or on a base class."""

CLASS_NAMES: Final = METHODS | {"__slots__", "__match_args__", "__doc__"}
"""Special names that a class body may bind."""

TEXTS: Final = frozenset({"__name__", "__qualname__", "__doc__"})
"""Texts that an object says of itself: shown of every object."""

NEIGHBOURS: Final = frozenset({"__cause__", "__context__", "__suppress_context__", "__notes__"})
"""What an exception was raised from, and notes on it: shown of every exception."""

OF_CLASSES: Final = frozenset(
    {"__abstractmethods__", "__total__", "__required_keys__", "__optional_keys__", "__orig_bases__", "__orig_class__"}
)
"""Notes of `abc` and `typing` on classes: frozen sets of names, a truth value, what a class was made of."""

OF_FUNCTIONS: Final = frozenset({"__defaults__", "__kwdefaults__"})
"""What a function of the script was defined with."""

RECORD_NAMES: Final = frozenset({"_asdict", "_replace", "_fields", "_make", "_field_defaults"})
ENUM_NAMES: Final = frozenset(
    {"_value_", "_name_", "_member_names_", "_missing_", "_generate_next_value_", "_add_alias_", "_add_value_alias_"}
)

TITLES: Final = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})
"""What a wrapper takes over from what it wraps: a script sets them on its own objects and functions."""

COPIED: Final = frozenset({"__annotations__", "__kwdefaults__", "__dataclass_fields__", "_field_defaults"})
"""Mappings that the library trusts, which a script reads as copies."""

_OF_OWN: Final = COPIED | OF_CLASSES | OF_FUNCTIONS | {"__dict__", "__module__", "__wrapped__", "__members__"}
_LOOKED_AT: Final = INTERNALS | JUDGED_BY_VALUE | {"mro"}


def exact_name(name: Any) -> Any:
    """Return the text of any kind of string, as a member of a `StrEnum`; anything else as it is."""
    return str.__str__(name) if issubclass(type(name), str) else name


def normal_name(name: object) -> str:
    """Return an attribute name given as a value, in NFKC. Raises `TypeError` unless it is an exact string."""
    if type(name) is not str:
        msg = "attribute name must be a plain string"
        raise TypeError(msg)
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def is_special(name: str) -> bool:
    """Say whether `name` is of the form `__x__`."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def is_plain(name: str) -> bool:
    """Say whether an attribute of this name may be read on any object without looking at the object."""
    return not name.startswith("_") and name not in _LOOKED_AT


_KNOWN: Final = CLASS_NAMES | TEXTS | NEIGHBOURS | _OF_OWN | LINEAGE | {"__class__"}


def name_refusal(name: str) -> str:
    """Return why no object whatever gives a script this attribute; empty if it depends on the object."""
    if name in INTERNALS:
        return f"attribute {name!r} is internal to the interpreter"
    if is_special(name) and name not in _KNOWN:
        return f"special attribute {name!r} is not available"
    return ""
