"""The one attribute guard: which attributes a script may read or write, however it reaches them.

`attribute_names` decides what can be decided by the name alone; the guard decides the rest by the object. Attributes
are reached by dotted access, `getattr` and its kin, `attrgetter`, `methodcaller`, and the fields of `str.format`,
`format_map` and `string.Formatter`. Scripts see `type` as a question about an object, which makes no class.
"""

from __future__ import annotations

import collections
import decimal
import enum
import string
import textwrap
from collections import UserString
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    FunctionType,
    GenericAlias,
    MappingProxyType,
    MethodDescriptorType,
    MethodType,
    SimpleNamespace,
)
from typing import Any, Final

from sandbox.library.built_in_types import STEP
from sandbox.library.importable_modules import Facade, is_live
from sandbox.library.pinned_clock import Random
from sandbox.walls.attribute_names import (
    COPIED,
    ENUM_NAMES,
    FORMATTERS,
    LINEAGE,
    METHODS,
    NEIGHBOURS,
    RECORD_NAMES,
    TEXTS,
    TITLES,
    holder,
    is_plain,
    is_special,
    name_of,
    name_refusal,
    normal_name,
    owns,
    searched,
    title,
)

_OPEN_TYPES: Final = (decimal.Context, textwrap.TextWrapper, collections.defaultdict)
"""Library types whose objects are set up by assignment; steps never share such an object."""
_GENERATORS: Final = frozenset(Random.__mro__) - {object}
_SHOWN_BY_ALL: Final = METHODS | TEXTS | NEIGHBOURS | FORMATTERS | {"__class__", "__members__", "__wrapped__"}
_ACCESSORS: Final = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__delattr__"})
_GET_FIELD: Final[Any] = string.Formatter.get_field


class _SealedTypeMeta(type):
    """Makes `type` a function of one argument that still works in `isinstance` and annotations."""

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if len(arguments) != 1 or options:
            msg = "type() takes one argument here; write a class statement instead of type(name, bases, body)"
            raise TypeError(msg)
        return sealed(type(arguments[0]))

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, type)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return isinstance(subclass, type) and issubclass(subclass, type)

    def __getitem__(cls, item: Any) -> Any:
        return GenericAlias(cls, item)

    def __repr__(cls) -> str:
        return "<class 'type'>"


class SealedType(metaclass=_SealedTypeMeta):
    """`type` as scripts see it."""


SealedType.__name__ = SealedType.__qualname__ = "type"
SealedType.__module__ = "builtins"


def sealed(kind: Any) -> Any:
    """Return `SealedType` in place of a class of classes, and anything else unchanged."""
    return SealedType if issubclass(type(kind), type) and issubclass(kind, type) else kind


class AttributeGuard:
    """Judges attributes by their object. There is one per step, because it knows the global names of the script."""

    def __init__(self, script_globals: dict[str, Any]) -> None:
        self._globals = script_globals

    def wrote(self, function: Any) -> bool:
        """Say whether this is a function of the script."""
        return type(function) is FunctionType and function.__globals__ is self._globals

    def read(self, target: Any, name: str, *default: Any) -> Any:
        """Return the attribute as `getattr` does. Raises `AttributeError` if the guard refuses it."""
        name = normal_name(name)
        if is_plain(name):
            return getattr(target, name, *default)
        self._check_read(target, name)
        return self._shown(target, name, getattr(target, name, *default))

    def shows(self, target: Any, name: str) -> bool:
        """Say whether a script may read a private or special attribute, without reading it."""
        return not name_refusal(name) and self._may_read(target, name)

    def _check_read(self, target: Any, name: str) -> None:
        refusal = name_refusal(name)
        if not refusal and not self._may_read(target, name):
            why = "only the script's own classes show it" if name in LINEAGE else "it is private to it"
            refusal = f"attribute {name!r} of {name_of(target)} is not available; {why}"
        if refusal:
            raise AttributeError(refusal)

    def _may_read(self, target: Any, name: str) -> bool:
        kind = type(target)
        if name in _SHOWN_BY_ALL or (name == "obj" and not issubclass(kind, AttributeError)):
            return True
        if name in LINEAGE:
            return owns(target) if issubclass(kind, type) else name == "mro" and owns(kind)
        if kind is SimpleNamespace:
            return name == "__dict__" or not is_special(name)
        if kind is FunctionType:
            return self.wrote(target) and (is_special(name) or name in target.__dict__)
        if is_special(name):
            return owns(target) if issubclass(kind, type) else owns(kind)
        classes = searched(target)
        if name in RECORD_NAMES and tuple in classes:
            return True
        if name in ENUM_NAMES and enum.Enum in classes:
            return kind is super or owns(classes[0])
        if kind is not super and not owns(classes[0]):
            return False
        found = holder(classes, name)
        return found is None or owns(found)

    def _shown(self, target: Any, name: str, value: Any) -> Any:
        """Return the value that a script gets for an attribute it may read: guarded, sealed or copied if necessary."""
        if name in FORMATTERS:
            return _formatter(value, name)
        if name == "__class__":
            return sealed(value)
        if name in LINEAGE:
            return _lineage(target, name) if issubclass(type(target), type) else value
        if name in _ACCESSORS:
            return self._accessor(value, name)
        if name == "__wrapped__" and not (self.wrote(value) or owns(type(value))):
            msg = f"what {name_of(target)} wraps is not the script's"
            raise AttributeError(msg)
        if name in COPIED and type(value) is dict:
            return dict(value)
        if name == "__dict__" and type(value) is MappingProxyType:
            return MappingProxyType({key: held for key, held in value.items() if not is_special(key)})
        return value

    def _accessor(self, accessor: Any, name: str) -> Any:
        """Return `__getattribute__` or its kin so that the name given to it goes through this guard."""
        if self.wrote(accessor.__func__ if type(accessor) is MethodType else accessor):
            return accessor
        is_of_library = isinstance(accessor, FunctionType | MethodType)
        if is_of_library:  # It may pass the name on to another object.
            msg = f"attribute {name!r} of the library's own classes is not available"
            raise AttributeError(msg)
        bound = getattr(accessor, "__self__", None)

        def guarded(*arguments: Any) -> Any:
            subject, given = arguments[:2] if bound is None else (bound, arguments[0])
            given = normal_name(given)
            if name != "__getattribute__":
                self.write(subject, given)
            elif not is_plain(given):
                self._check_read(subject, given)
                return self._shown(subject, given, accessor(*arguments))
            return accessor(*arguments)

        return guarded

    def write_refusal(self, target: Any, name: str) -> str:
        """Return why a script may not set or delete this attribute; empty if it may."""
        kind = type(target)
        refusal = name_refusal(name)
        if refusal:
            return refusal
        if issubclass(kind, type) and not owns(kind):
            if not owns(target):
                return f"{name_of(target)} is sealed; make a subclass, or wrap it in a function of your own"
            is_fixed = name in ("__match_args__", "__module__") or (is_special(name) and name not in METHODS | TITLES)
            return f"special attribute {name!r} cannot be set on a class once it is made" if is_fixed else ""
        if owns(kind) or self.wrote(target):
            is_settable = not is_special(name) or name in TITLES | {"__cause__", "__context__"}
            return "" if is_settable else f"special attribute {name!r} cannot be set"
        if issubclass(kind, BaseException) and name in ("__cause__", "__context__"):
            return ""
        is_open = kind in _OPEN_TYPES and not name.startswith("_")
        if is_open or (kind is SimpleNamespace and not is_special(name)) or (kind is Facade and is_live(target, name)):
            return ""
        hint = f"; use its item [{name!r}]" if isinstance(target, dict) else ""
        return f"{name_of(target)} is sealed: its attributes cannot be set by a script{hint}"

    def write(self, target: Any, name: str) -> Any:
        """Return `target` for the assignment that follows. Raises `AttributeError` if the guard refuses it."""
        refusal = self.write_refusal(target, name)
        if refusal:
            raise AttributeError(refusal)
        return target


def _formatter(value: Any, name: str) -> Any:
    """Return the guarded form of `str.format` or `str.format_map`, and any other method unchanged."""
    if isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, str):
        return guarded_format(name, value.__self__)
    if isinstance(value, MethodDescriptorType) and value.__objclass__ is str:
        return guarded_format(name, None)
    return value


def _lineage(target: type, name: str) -> Any:
    """Return the ancestors or descendants of a class of the script.

    `object` replaces the root of its own, and the pinned generator its ancestors.
    """
    if name == "__subclasses__":
        return lambda: type.__subclasses__(target)
    classes = target.__bases__ if name == "__bases__" else type.mro(target)
    rooted = [object if title(kind) == "object" else kind for kind in classes]
    shown = list(dict.fromkeys(Random if kind in _GENERATORS else kind for kind in rooted))
    return tuple(shown) if is_special(name) else lambda: shown


class _Guarded:
    """Replaces a value while a field is looked up in it and shown; reads attributes through the guard."""

    __slots__ = ("held",)

    def __init__(self, value: Any) -> None:
        self.held = value

    def __getattribute__(self, name: str) -> Any:
        return _Guarded(STEP.guard.read(_held(self), name))

    def __getitem__(self, key: Any) -> Any:
        return _Guarded(_held(self)[key])

    def __format__(self, spec: str) -> str:
        return format(_held(self), spec)

    def __str__(self) -> str:
        return str(_held(self))

    def __repr__(self) -> str:
        return repr(_held(self))


_held: Final[Callable[[_Guarded], Any]] = vars(_Guarded)["held"].__get__


def _get_field(self: Any, field_name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return the value of a field and the key that it starts from, as `string.Formatter` asks for them."""
    reader = SimpleNamespace(get_value=lambda *given: _Guarded(self.get_value(*given)))
    found, first = _GET_FIELD(reader, field_name, args, kwargs)
    return _held(found), first


def guarded_format(name: str, bound: str | None) -> Callable[..., str]:
    """Return `str.format` or `str.format_map`, bound to a text or not, with guarded fields."""

    def form(*arguments: Any, **values: Any) -> str:
        text, *rest = arguments if bound is None else (bound, *arguments)
        if not isinstance(text, str):
            msg = f"descriptor {name!r} requires a 'str' object but received {type(text).__name__!r}"
            raise TypeError(msg)
        if name == "format_map":
            return str.format_map(text, _Guarded(*rest))
        return str.format(text, *map(_Guarded, rest), **{key: _Guarded(value) for key, value in values.items()})

    return form


def install() -> None:
    """Guard the fields of the library's own classes in this process."""
    methods = {name: _user_string_method(name) for name in ("format", "format_map")}
    for owner, guarded in ((string.Formatter, {"get_field": _get_field}), (UserString, methods)):
        for name, method in guarded.items():
            setattr(owner, name, method)


def _user_string_method(name: str) -> Callable[..., str]:
    def form(self: Any, /, *arguments: Any, **values: Any) -> str:
        return guarded_format(name, self.data)(*arguments, **values)

    form.__name__ = form.__qualname__ = name
    return form
