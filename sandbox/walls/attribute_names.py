"""Kinds of attribute names, decisions about an access that need only the name, and the contents of classes.

Names are exact strings in NFKC. `sandbox.library.attribute_guard` decides the rest by the object. Classes are read
without calling their own methods and metaclasses.
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
"""The ancestors and descendants of a class: shown for the script's own classes only."""
FORMATTERS: Final = frozenset({"format", "format_map"})
"""Methods of `str` whose fields read attributes; a script gets guarded ones."""
JUDGED_BY_VALUE: Final = FORMATTERS | {"obj"}
"""Ordinary names that may lead to something unguarded. `obj` of an `AttributeError` can be any object."""
_OPERATORS: Final = "add sub mul truediv floordiv mod pow matmul divmod and or xor lshift rshift"
_METHODS: Final = (
    "init new post_init repr str bytes format bool hash eq ne lt le gt ge len length_hint contains iter next reversed "
    "getitem setitem delitem missing call enter exit getattr getattribute setattr delattr dir get set delete set_name "
    "init_subclass class_getitem copy deepcopy int float complex index round trunc floor ceil neg pos abs invert "
    "fspath sizeof subclasshook"
)
METHODS: Final = frozenset(
    {f"__{name}__" for name in _METHODS.split()}
    | {f"__{side}{name}__" for side in ("", "r", "i") for name in _OPERATORS.split()}
)
"""The special methods that a script's class may define, and call on itself, on `super()` or on a base class."""
CLASS_NAMES: Final = METHODS | {"__slots__", "__match_args__", "__doc__"}
"""Special names that a class body may bind."""
TEXTS: Final = frozenset({"__name__", "__qualname__", "__doc__"})
"""Texts that an object gives about itself: shown for every object."""
NEIGHBOURS: Final = frozenset({"__cause__", "__context__", "__suppress_context__", "__notes__"})
"""Causes of an exception, and notes on it: shown for every exception."""
OF_CLASSES: Final = frozenset(
    {"__abstractmethods__", "__total__", "__required_keys__", "__optional_keys__", "__orig_bases__", "__orig_class__"}
)
"""Notes of `abc` and `typing` on classes: frozen sets of names, a truth value, the parts of a class."""
RECORD_NAMES: Final = frozenset({"_asdict", "_replace", "_fields", "_make", "_field_defaults"})
ENUM_NAMES: Final = frozenset(
    {"_value_", "_name_", "_member_names_", "_missing_", "_generate_next_value_", "_add_alias_", "_add_value_alias_"}
)
TITLES: Final = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})
"""Names that a wrapper copies: a script sets them on its own objects and functions."""
COPIED: Final = frozenset({"__annotations__", "__kwdefaults__", "__dataclass_fields__", "_field_defaults"})
"""Mappings that the library trusts, which a script reads as copies."""
_OF_OWN: Final = COPIED | OF_CLASSES | {"__defaults__", "__dict__", "__module__", "__wrapped__", "__members__"}
_KNOWN: Final = CLASS_NAMES | TEXTS | NEIGHBOURS | _OF_OWN | LINEAGE | {"__class__"}
_LOOKED_AT: Final = INTERNALS | JUDGED_BY_VALUE | {"mro"}


def exact_name(name: Any) -> Any:
    """Return the text of any kind of string, such as a member of a `StrEnum`; anything else unchanged."""
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


def name_refusal(name: str) -> str:
    """Return why a script never gets this attribute of any object; empty if it depends on the object."""
    if name in INTERNALS:
        return f"attribute {name!r} is internal to the interpreter"
    if is_special(name) and name not in _KNOWN:
        return f"special attribute {name!r} is not available"
    return ""


def searched(target: Any) -> list[type]:
    """Return the classes in which an attribute of an object, a class or a `super` is looked for, in order."""
    if type(target) is super:
        classes = type.mro(super.__getattribute__(target, "__self_class__"))
        return classes[classes.index(super.__getattribute__(target, "__thisclass__")) + 1 :]
    kind = type(target)
    return type.mro(target) + type.mro(kind) if issubclass(kind, type) else type.mro(kind)


def holder(classes: list[type], name: str) -> type | None:
    """Return the first of the classes in which `name` is bound; None if it is bound in none."""
    return next((kind for kind in classes if name in namespace(kind)), None)


def namespace(kind: type) -> Any:
    """Return the names that a class binds, for reading."""
    return type.__dict__["__dict__"].__get__(kind)


def owns(kind: type) -> bool:
    """Say whether the script made this class: by a class statement, or by a function of the library."""
    return bool(namespace(kind).get("__module__") == "__main__")


def name_of(target: Any) -> str:
    """Return the name of an object or a class in messages."""
    is_class = issubclass(type(target), type)
    return f"class {title(target)}" if is_class else f"a {title(type(target))} object"


def title(kind: type) -> str:
    """Return the name of a class."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name
