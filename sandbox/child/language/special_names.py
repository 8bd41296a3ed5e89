"""The names with underscores that a script may define, read and set.

`FORMATTERS` has names without underscores that need a guard as well.

Attributes with underscores lead out of the language layer, as in
`().__class__.__base__.__subclasses__()`. So everything that is not listed here is
refused. Four lists, from the widest use to the narrowest:

| list | a script may | for example |
|---|---|---|
| `BINDABLE` | define, assign and use the name | `def __len__(self): ...`, `__all__ = []` |
| `READABLE` | read the attribute of any object | `error.__class__.__name__` |
| `READABLE_OF_OWN` | read it of what the script itself made | `Point.__annotations__` |
| `SETTERS` | call it on what the script itself made | `object.__setattr__(self, "x", 1)` |

A name without underscores needs no list. Private names, with one underscore,
are decided by a guard when the script runs, because only then it is known whose
object it is (`guards`).
"""

from __future__ import annotations

from typing import Final

from RestrictedPython.transformer import INSPECT_ATTRIBUTES

from controlplane.sandbox.child.language.import_messages import ATTRIBUTES_INSTEAD


def _special(names: str) -> frozenset[str]:
    """Return the special names of words: `"init repr"` -> `{"__init__", "__repr__"}`."""
    return frozenset(f"__{name}__" for name in names.split())


# Names that a script may define and use

_METHODS_OF_OBJECTS: Final = _special(
    "init new post_init init_subclass repr str bytes format bool hash"
)
_METHODS_OF_COMPARISON: Final = _special("eq ne lt le gt ge")
_METHODS_OF_CONTAINERS: Final = _special(
    "len length_hint contains iter next reversed getitem setitem delitem missing"
)
# `_special("call enter")` is the set of `__call__` and `__enter__`.
_METHODS_OF_PROTOCOLS: Final = _special("call enter exit get copy deepcopy")
_METHODS_OF_NUMBERS: Final = _special(
    "int float complex index round trunc floor ceil neg pos abs invert"
)
_OPERATORS: Final = _special(
    "add sub mul truediv floordiv mod pow matmul divmod and or xor lshift rshift"
)
_REFLECTED_OPERATORS: Final = _special(
    "radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rdivmod rand ror rxor rlshift rrshift"
)
_IN_PLACE_OPERATORS: Final = _special(
    "iadd isub imul itruediv ifloordiv imod ipow imatmul idivmod iand ior ixor ilshift irshift"
)

METHODS: Final = (
    _METHODS_OF_OBJECTS
    | _METHODS_OF_COMPARISON
    | _METHODS_OF_CONTAINERS
    | _METHODS_OF_PROTOCOLS
    | _METHODS_OF_NUMBERS
    | _OPERATORS
    | _REFLECTED_OPERATORS
    | _IN_PLACE_OPERATORS
)
"""Special methods of ordinary classes. Calling one does no more than the
operator or function that calls it, so they may also be read of any object."""

SETTERS: Final = _special("setattr delattr getattribute")
"""Methods that set or read any attribute. The guards check the attribute that is passed to them."""

_METHODS_CALLED_BY_PYTHON: Final = _special(
    "getattr set delete set_name class_getitem subclasshook dir"
)
"""Methods that a class may define, and that only the interpreter calls."""

_VARIABLES: Final = _special("slots name doc debug all version author")
"""Variables that modules and classes usually define."""

BINDABLE: Final = METHODS | SETTERS | _METHODS_CALLED_BY_PYTHON | _VARIABLES
"""Special names that a script may define and use. `__del__` is not one of them:
the interpreter calls it at no fixed time, so that a replay could differ."""


# Attributes that a script may read

_OF_NAMED_TUPLES: Final = frozenset(
    {"_fields", "_field_defaults", "_asdict", "_replace", "_make"}
)
_OF_ENUMERATIONS: Final = frozenset(
    {"_value_", "_name_", "_missing_", "_value2member_map_"}
)

READABLE: Final = (
    METHODS
    | _special("name qualname doc module class")  # of classes and functions
    # of enumerations, and of functions that wrap another one
    | _special("members wrapped")
    | _special("slots version")  # variables of classes and modules
    | _special("total required_keys optional_keys")  # of typed dictionaries
    | _special("cause context notes suppress_context")  # of exceptions
    | _OF_NAMED_TUPLES
    | _OF_ENUMERATIONS
)
"""Attributes with underscores that a script may read of any object.
None of them leads to a namespace, to a frame, or to all subclasses of a class."""

READABLE_OF_OWN: Final = _special(
    "dict annotations mro bases match_args defaults kwdefaults dataclass_fields abstractmethods "
    "orig_class orig_bases"
)
"""Special attributes that a script may read of the functions, classes and objects
that it made itself. Of an object of the library, they would lead to namespaces
and classes of the library."""

ENUMERATION_ALIASES: Final = frozenset({"_add_alias_", "_add_value_alias_"})
"""Methods, from Python 3.13 on, by which a script
gives other names to members of its own enumerations."""

_READABLE_OF_SOME_OBJECT: Final = READABLE | READABLE_OF_OWN | SETTERS
"""Special attributes for which a guard decides, by the object, when the script runs."""

_SETTABLE: Final = READABLE - _special("class members")
"""Setting `__class__` would turn an object into one of another class.
`__members__` is a read-only property of enumerations."""


# Attributes that need a guard

FORMATTERS: Final = frozenset(
    {"format", "format_map", "vformat", "get_field", "get_value"}
)
"""Methods that read attributes by the text of a format,
as in `"{0.__class__}".format(x)`. A guard checks the text."""


def is_special(name: str) -> bool:
    """Return True if a name has two underscores at both ends."""
    return name.startswith("__") and name.endswith("__")


def needs_no_guard(name: str) -> bool:
    """Return True if an attribute of this name may be read without asking a guard.

    Every name with an underscore in front is left to the guard, which permits those in
    `READABLE`. `INSPECT_ATTRIBUTES` are names such as `f_globals` and `gi_frame`, which
    lead to frames and code.
    """
    if name.startswith("_"):
        return False
    return name not in FORMATTERS and name not in INSPECT_ATTRIBUTES


def attribute_refusal(name: str, *, is_set: bool = False) -> str:
    """Return why no script may read an attribute of this name, or set it; empty if some may.

    `attribute_refusal("__globals__")` -> `special attribute '__globals__' is not available; ...`.
    For attributes that some objects may give, such as `__dict__`, a guard decides by the
    object when the script runs.
    """
    allowed = _SETTABLE if is_set else _READABLE_OF_SOME_OBJECT
    if name in INSPECT_ATTRIBUTES:
        fault = f"attribute {name!r} is internal to the interpreter"
    elif is_special(name) and name not in allowed:
        fault = f"special attribute {name!r} is not available"
    else:
        return ""
    remedy = ATTRIBUTES_INSTEAD.get(
        name, "work with values, methods and functions instead"
    )
    return f"{fault}; {remedy}"
