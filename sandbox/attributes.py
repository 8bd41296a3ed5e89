"""The one attribute guard: which attributes a script may read or write, on every road to an attribute.

A name is judged first, alone (`name_refusal`, `is_plain`): that is all that the compiler needs for most of a script,
and all that match patterns may use. What a name leaves open is judged by the object (`AttributeGuard`), on every road:
dotted access, `getattr`, `hasattr`, `attrgetter`, format fields. Names are exact strings in NFKC.
"""

from __future__ import annotations

import abc
import decimal
import enum
import textwrap
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType
from typing import Any, Final

from RestrictedPython.transformer import INSPECT_ATTRIBUTES

from sandbox.sealedtype import SealedType

INTERNALS: Final = INSPECT_ATTRIBUTES | {
    *("tb_lasti", "tb_lineno", "f_lasti", "f_lineno", "f_trace_lines", "f_trace_opcodes", "gi_running", "gi_suspended"),
    *(
        "cr_running",
        "cr_suspended",
        "ag_running",
        "ag_suspended",
        "co_consts",
        "co_names",
        "co_varnames",
        "co_freevars",
    ),
    *("co_cellvars", "co_lnotab", "co_linetable", "co_exceptiontable", "co_positions", "co_lines", "co_filename"),
    *("mro", "func_globals", "func_code", "im_func", "im_self"),
}
"""Attributes of frames, code, tracebacks, generators and coroutines, and what lists a class's ancestors."""

FORMATTERS: Final = frozenset({"format", "format_map", "vformat", "get_field", "get_value", "format_field"})
"""Roads from a format string to an attribute; where `str` has them, a script gets guarded ones."""

SHARED_STATE: Final = frozenset({"register", "obj"})
"""`register` of an abstract class that is not the script's would outlive the step; `obj` of an `AttributeError` may be
anything."""

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
"""What a class body may bind besides ordinary names."""

OWN_METHODS: Final = frozenset({"__copy__", "__deepcopy__", "__set_name__", "__subclasshook__", "__dir__"})
"""Special methods that a script reaches only where its own class defines them: the library's trust their object."""

READABLE: Final = frozenset(
    {"__name__", "__qualname__", "__class__", "__doc__", "__cause__", "__context__", "__notes__"}
)
"""Special attributes that tell a name or a neighbour and lead nowhere, readable on any object."""

RECORD_NAMES: Final = frozenset({"_asdict", "_replace", "_fields", "_make", "_field_defaults"})
ENUM_NAMES: Final = frozenset({"_value_", "_name_", "_member_names_", "_missing_"})

_OPEN_TYPES: Final = (decimal.Context, textwrap.TextWrapper)
"""Types not of the script whose objects exist to be set up by assignment; none of them is shared."""


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


_LOOKED_AT: Final = INTERNALS | FORMATTERS | SHARED_STATE


_OF_OWN: Final = frozenset({"__dict__", "__annotations__"})


def name_refusal(name: str) -> str:
    """Return why no object whatever gives a script this attribute; empty where it depends on the object."""
    if name in INTERNALS:
        return f"attribute {name!r} is internal to the interpreter"
    if is_special(name) and name not in CLASS_NAMES and name not in READABLE and name not in _OF_OWN:
        return f"special attribute {name!r} is not available"
    return ""


class AttributeGuard:
    """Judges attributes by their object. One per step, because it knows the classes that the step's script made."""

    def __init__(self, script_globals: dict[str, Any], formatting: Any) -> None:
        self._owned: set[type] = set()
        self._making: list[tuple[type, set[type]]] = []
        """For each class statement under way: the new class's first base, and that base's subclasses before."""
        self._globals = script_globals
        self._formatting = formatting
        """Makes the guarded form of `str.format` and its kin: called with name and bound string or None."""

    def owns(self, kind: type) -> bool:
        """Say whether the script made this class, or is making it right now."""
        if kind in self._owned:
            return True
        for base, before in self._making:
            if kind not in before and kind in type.__subclasses__(base):
                self._owned.add(kind)
                return True
        return False

    def adopt(self, made: type) -> None:
        """Enter a class among those that the script made."""
        self._owned.add(made)

    @contextmanager
    def making_subclass(self, base: type) -> Iterator[None]:
        """Let the hooks that run inside a class statement treat the new subclass of `base` as the script's own."""
        self._making.append((base, set(type.__subclasses__(base))))
        try:
            yield
        finally:
            self._making.pop()

    def read(self, target: Any, name: str, *default: Any) -> Any:
        """Return the attribute as `getattr` does. Raises `AttributeError` where the guard refuses it."""
        name = normal_name(name)
        if is_plain(name):
            return getattr(target, name, *default)
        refusal = name_refusal(name)
        if refusal:
            raise AttributeError(refusal)
        if name in FORMATTERS:
            return self._formatter(getattr(target, name, *default), name)
        if name in SHARED_STATE:
            return self._unshared(target, name, *default)
        if name in READABLE or name == "__doc__":
            value = getattr(target, name, *default)
            return self.sealed_type(value) if name == "__class__" else value
        if not self._may_read(target, name):
            msg = f"attribute {name!r} of {_name_of(target)} is private to it"
            raise AttributeError(msg)
        value = getattr(target, name, *default)
        if name in ("__setattr__", "__delattr__", "__getattribute__"):
            return self._guarded_accessor(value, name)
        if name == "__annotations__":
            return dict(value)
        if name in METHODS and type(value) is FunctionType and value.__globals__ is not self._globals:
            return self._for_its_own(value, target)
        return value

    def _for_its_own(self, function: Any, target: Any) -> Any:
        """Return a library class's method, reached through the class, so that it takes objects of that class alone."""
        kind = super.__getattribute__(target, "__thisclass__") if type(target) is super else target
        if not isinstance(kind, type):
            return function
        owner = next((each for each in type.mro(kind) if function in _namespace(each).values()), kind)

        def checked(*arguments: Any, **options: Any) -> Any:
            given = arguments[0] if arguments else None
            is_making = function.__name__ in ("__new__", "__init_subclass__", "__class_getitem__")
            if not issubclass(type(given), owner) and not (is_making and isinstance(given, type)):
                msg = f"{function.__qualname__} works on {_name_of(owner)} objects, not on {_name_of(given)}"
                raise TypeError(msg)
            return function(*arguments, **options)

        return checked

    def _unshared(self, target: Any, name: str, *default: Any) -> Any:
        is_foreign_class = isinstance(target, abc.ABCMeta) and not self.owns(target)
        if isinstance(target, AttributeError) or (name == "register" and is_foreign_class):
            msg = f"attribute {name!r} of {_name_of(target)} is not available"
            raise AttributeError(msg)
        return getattr(target, name, *default)

    def _may_read(self, target: Any, name: str) -> bool:
        kind = type(target)
        if name in OWN_METHODS:
            return self._made_here(target, name)
        if name in METHODS:
            return kind is super or self.owns(kind) or (isinstance(target, type) and self._is_base(target))
        if is_special(name):
            return self.owns(kind) or (name != "__dict__" and isinstance(target, type) and self.owns(target))
        if name in RECORD_NAMES:
            return isinstance(target, tuple) or (isinstance(target, type) and issubclass(target, tuple))
        if name in ENUM_NAMES:
            return isinstance(target, enum.Enum | enum.EnumMeta)
        return self._made_here(target, name)

    def _is_base(self, kind: type) -> bool:
        """Say whether `kind` is a class of the script or an ancestor of one."""
        return kind is object or self.owns(kind) or any(kind in type.mro(each) for each in self._owned)

    def _made_here(self, target: Any, name: str) -> bool:
        """Say whether the script itself made this private attribute: on the object, or on a class of its own."""
        kind = type(target)
        if kind is FunctionType:
            return target.__globals__ is self._globals and name in target.__dict__
        if kind is super:
            classes = type.mro(super.__getattribute__(target, "__self_class__"))
            classes = classes[classes.index(super.__getattribute__(target, "__thisclass__")) + 1 :]
        else:
            classes = type.mro(target if isinstance(target, type) else kind)
            if not self.owns(classes[0]):
                return False
        holder = next((each for each in classes if name in _namespace(each)), None)
        return holder is None or self.owns(holder)

    def may_write(self, target: Any, name: str) -> str:
        """Return why a script may not set or delete this attribute; empty where it may."""
        refusal = name_refusal(name)
        if refusal:
            return refusal
        kind = type(target)
        if self.owns(kind):
            if is_special(name) and name not in ("__doc__", "__cause__", "__context__"):
                return f"special attribute {name!r} cannot be set"
            return ""
        if isinstance(target, type):
            if not self.owns(target):
                return f"{_name_of(target)} is sealed; make a subclass, or wrap it in a function of your own"
            if name == "__match_args__" or (is_special(name) and name not in METHODS and name != "__doc__"):
                return f"special attribute {name!r} cannot be set on a class once it is made"
            return ""
        if kind is FunctionType and target.__globals__ is self._globals:
            if is_special(name) and name not in ("__doc__", "__name__", "__qualname__"):
                return f"special attribute {name!r} cannot be set on a function"
            return ""
        if isinstance(target, BaseException) and kind is not MemoryError:
            return "" if name in ("__cause__", "__context__") or not name.startswith("_") else f"{name!r} is private"
        if kind in _OPEN_TYPES and not name.startswith("_"):
            return ""
        hint = f"; use its item [{name!r}]" if isinstance(target, dict) else ""
        return f"{_name_of(target)} is sealed: its attributes cannot be set by a script{hint}"

    def write(self, target: Any, name: str) -> Any:
        """Return `target` for the assignment that follows. Raises `AttributeError` where the guard refuses it."""
        refusal = self.may_write(target, name)
        if refusal:
            raise AttributeError(refusal)
        return target

    def sealed_type(self, kind: Any) -> Any:
        """Return a class as it is, and the guarded `type` in place of any class of classes."""
        return SealedType if isinstance(kind, type) and issubclass(kind, type) else kind

    def _formatter(self, value: Any, name: str) -> Any:
        if isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, str):
            return self._formatting(name, value.__self__)
        if isinstance(value, MethodDescriptorType) and value.__objclass__ is str:
            return self._formatting(name, None)
        return value

    def _guarded_accessor(self, accessor: Any, name: str) -> Any:
        """Return `accessor` (bound, or a class's own) so that the name it is given goes through this guard."""
        if isinstance(accessor, FunctionType | MethodType):
            return accessor
        bound = getattr(accessor, "__self__", None)

        def guarded(*arguments: Any) -> Any:
            target = arguments[0] if bound is None else bound
            given = normal_name(arguments[1 if bound is None else 0])
            if name != "__getattribute__":
                self.write(target, given)
            elif given in _LOOKED_AT or given in READABLE or is_special(given):
                return self.read(target, given)
            elif not is_plain(given) and not self._may_read(target, given):
                msg = f"attribute {given!r} of {_name_of(target)} is private to it"
                raise AttributeError(msg)
            return accessor(*arguments)

        return guarded


def _namespace(kind: type) -> Any:
    return type.__dict__["__dict__"].__get__(kind)


def _name_of(target: Any) -> str:
    kind = target if isinstance(target, type) else type(target)
    name = type.__dict__["__name__"].__get__(kind)
    return f"class {name}" if isinstance(target, type) else f"a {name} object"
