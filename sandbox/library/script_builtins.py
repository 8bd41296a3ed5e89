"""Builtins for scripts: harmless builtins unchanged, guarded forms of the others, and the making of classes.

`dataclass` and `make_dataclass` make classes too: they are the library's own functions, given annotations and names
that these understand.
"""

from __future__ import annotations

import abc
import builtins
import dataclasses
import re
import sys
import typing
from collections.abc import Callable, Iterable
from contextlib import suppress
from inspect import get_annotations
from types import FunctionType, GenericAlias, SimpleNamespace, resolve_bases
from typing import Any, Final

from sandbox.library.attribute_guard import AttributeGuard, SealedType
from sandbox.library.built_in_types import STEP
from sandbox.library.importable_modules import Facade, Modules
from sandbox.walls.attribute_names import (
    METHODS,
    exact_name,
    holder,
    is_plain,
    is_special,
    name_of,
    normal_name,
    owns,
)
from sandbox.walls.language_policy import READ_GUARD, WRITE_GUARD

_PLAIN: Final = (
    "abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter float "
    "format frozenset hash hex int isinstance issubclass iter len list map max memoryview min next object oct ord pow "
    "property range repr reversed round set slice sorted staticmethod str sum print super tuple zip None True False "
    "Ellipsis NotImplemented frozendict sentinel"  # The last two exist from Python 3.15 on.
)
_EXCEPTIONS: Final = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and not name.endswith("ExceptionGroup")
}
"""Groups are left out: they are for `except*`, which is not offered."""
_UNGUARDED: Final = {name: getattr(builtins, name) for name in _PLAIN.split() if hasattr(builtins, name)} | _EXCEPTIONS
_IMPORTED_BY_C: Final = frozenset({"_pylong", "_strptime", "time", "locale", "warnings", "zoneinfo._common"})
"""Modules that functions written in C import through the script's frame; the value that these get is another one."""
_MATCHED: Final = "__match_args__"
_MARKS: Final = {"ClassVar": typing.ClassVar, "InitVar": dataclasses.InitVar, "KW_ONLY": dataclasses.KW_ONLY}
_MARK: Final = re.compile(rf"\s*(\w+)\.({'|'.join(_MARKS)})\b")
_FLAGS: Final = frozenset(
    {"init", "repr", "eq", "order", "frozen", "kw_only", "slots", "unsafe_hash", "match_args", "weakref_slot"}
)


class AbstractClasses:
    """`abc.ABCMeta` as scripts see it: a word after `metaclass=`, which makes no class by being called."""


_NO_BASES: Final = (AbstractClasses, SealedType)
_NO_ANCESTORS: Final = (type, super, GenericAlias, dataclasses.Field)
"""Classes from which a script may not derive: they make classes, pass names on, or become source text."""


class ScriptNames:
    """The builtins of one step, over its guard."""

    def __init__(self, guard: AttributeGuard, facades: Modules) -> None:
        self._guard = guard
        self._facades = facades
        self._root = self._make_root()

    def _make_root(self) -> type:
        """Return the base class that the script's classes get instead of `object`.

        Their default hash comes from a count instead of an address, so that sets keep their order in a replay.
        """

        class Root:
            __slots__ = ()

            def __hash__(self) -> int:
                return STEP.number_of(self) >> 4

        Root.__module__, Root.__qualname__, Root.__name__ = "builtins", "object", "object"
        return Root

    def mapping(self) -> dict[str, Any]:
        """Return the builtins as a new dict."""
        guarded: dict[str, Callable[..., Any]] = {
            "getattr": self.get_attribute,
            "hasattr": self.has_attribute,
            "setattr": self.set_attribute,
            "delattr": self.delete_attribute,
            "vars": self.variables_of,
            "dir": self.names_of,
        }
        return {
            **_UNGUARDED,
            **{name: _as_function(method, name) for name, method in guarded.items()},
            "type": SealedType,
            "id": number_of,
            "__import__": self.import_module,
            "__build_class__": self.build_class,
            READ_GUARD: self._guard.read,
            WRITE_GUARD: self._guard.write,
            "__name__": "__main__",
        }

    def get_attribute(self, target: Any, name: str, *default: Any) -> Any:
        """Do what `getattr` does, through the guard: what it refuses is not there."""
        try:
            return self._guard.read(target, exact_name(name))
        except AttributeError:
            if len(default) == 1:
                return default[0]
            raise

    def has_attribute(self, target: Any, name: str) -> bool:
        """Do what `hasattr` does, through the guard; whether a special method is there may be asked of anything."""
        name = exact_name(name)
        try:
            self._guard.read(target, name)
        except AttributeError:
            return name in METHODS and hasattr(target, name)
        return True

    def set_attribute(self, target: Any, name: str, value: Any) -> None:
        """Do what `setattr` does, through the guard."""
        name = exact_name(name)
        setattr(self._guard.write(target, normal_name(name)), name, value)

    def delete_attribute(self, target: Any, name: str) -> None:
        """Do what `delattr` does, through the guard."""
        name = exact_name(name)
        delattr(self._guard.write(target, normal_name(name)), name)

    def variables_of(self, *targets: Any) -> dict[str, Any]:
        """Return the attributes of an object of the script's own classes or of its function; of a class, as a copy."""
        target = _only(targets, "vars")
        is_own = owns(target if isinstance(target, type) else type(target))
        if not (is_own or self._guard.wrote(target) or type(target) is SimpleNamespace):
            text = f"vars() works on objects of the script's own classes, not on {type(target).__name__}"
            raise TypeError(text)
        if isinstance(target, type):
            return {name: value for name, value in dict(target.__dict__).items() if not is_special(name)}
        try:
            held: dict[str, Any] = object.__getattribute__(target, "__dict__")
        except AttributeError:
            msg = "vars() argument must have __dict__ attribute"
            raise TypeError(msg) from None
        return held

    def names_of(self, *targets: Any) -> list[str]:
        """Return the names of the attributes of an object that a script may read."""
        target = _only(targets, "dir")
        names = [str.__str__(name) for name in dir(target) if isinstance(name, str)]
        return sorted(name for name in names if not name.startswith("_") or self._guard.shows(target, name))

    def import_module(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        """Return the facade that an import statement binds; names were judged when the script was compiled."""
        found = self._facades.get(name)
        if found is None and name in _IMPORTED_BY_C:
            return None
        if found is None or level:
            msg = f"module {name!r} cannot be imported"
            raise ImportError(msg)
        return found if fromlist or "." not in name else self._facades[name.split(".", maxsplit=1)[0]]

    def build_class(self, function: Any, name: str, *bases: Any, **keywords: Any) -> Any:
        """Make a class as a class statement asks, once its bases and its metaclass are judged."""
        metaclass = keywords.pop("metaclass", None)
        if metaclass not in (None, AbstractClasses):
            msg = "metaclass is not available; use a class decorator or __init_subclass__"
            raise TypeError(msg)
        if metaclass is AbstractClasses:
            keywords["metaclass"] = abc.ABCMeta
        if type(function) is not FunctionType:
            msg = "a class is made by a class statement"
            raise TypeError(msg)
        for base in resolve_bases(bases):
            _check_base(base)
        rooted = [self._root if base is object else base for base in bases] or [self._root]
        made = builtins.__build_class__(function, name, *rooted, **keywords)
        for base in getattr(made, "__bases__", ()):  # An object may return other bases when it is asked again.
            _check_base(base)
        if not isinstance(made, type):
            return made
        if holder(type.mro(made), "__hash__") is object:  # It has only bases of the library.
            setattr(made, "__hash__", self._root.__hash__)  # noqa: B010 - a name that mypy takes for a method
        return _keep_patterns_plain(made)


def _as_function(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a method as a function: a comparison would show the parts of a bound method."""

    def call(*arguments: Any) -> Any:
        return method(*arguments)

    call.__name__ = call.__qualname__ = name
    return call


def _only(targets: tuple[Any, ...], function: str) -> Any:
    if len(targets) != 1:
        msg = f"{function}() takes one object here"
        raise TypeError(msg)
    return targets[0]


def number_of(target: Any, /) -> int:
    """Do what `id` does, with a number that is the same in a replay."""
    return STEP.number_of(target)


for _function, _name in (
    (ScriptNames.get_attribute, "getattr"),
    (ScriptNames.has_attribute, "hasattr"),
    (ScriptNames.set_attribute, "setattr"),
    (ScriptNames.delete_attribute, "delattr"),
    (number_of, "id"),
):
    _function.__name__ = _function.__qualname__ = _name  # The name in messages.


def _check_base(base: Any) -> None:
    """Raise `TypeError` for a base that makes classes, or that passes names on to other objects."""
    is_class = issubclass(type(base), type)
    is_refused = any(base is kind for kind in _NO_BASES) or (is_class and issubclass(base, _NO_ANCESTORS))
    answering = holder(type.mro(base), "__getattr__") if is_class else None
    if is_refused or not (answering is None or owns(answering)):
        msg = f"{name_of(base)} cannot be a base class; hold such an object instead, or use __init_subclass__ or ABC"
        raise TypeError(msg)


def _keep_patterns_plain(made: type) -> type:
    """Return a class after emptying its `__match_args__` if a pattern could read a guarded attribute by it.

    A pattern reads the attributes of any object that an abstract class claims as its own.
    """
    names = getattr(made, _MATCHED, ())
    if type(names) is not tuple or not all(type(name) is str and is_plain(name) for name in names):
        setattr(made, _MATCHED, ())
    return made


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """Do what `dataclasses.dataclass` does.

    Text such as "typing.ClassVar[int]" is replaced meanwhile: the library looks for a module, and finds a facade.
    """

    def decorate(given: Any) -> Any:
        if issubclass(given, str):  # A field called `format` would be the unguarded method.
            msg = "a data class cannot derive from str; hold the text in a field"
            raise TypeError(msg)
        written: dict[str, Any] = {}
        with suppress(NameError, TypeError, AttributeError):  # From Python 3.14 on, one may name what is not there yet.
            written = get_annotations(given)
        marks = {name: mark for name, text in written.items() if (mark := _mark(text)) is not None}
        if marks:
            given.__annotations__ = written | marks
        made: Any = dataclasses.dataclass(given, **options)
        if marks:
            made.__annotations__ = given.__annotations__ = written
        return _keep_patterns_plain(made)

    return decorate if cls is None else decorate(cls)


def _mark(text: Any) -> Any:
    """Return the mark that an annotation written as text names through a facade; None for any other annotation."""
    found = _MARK.match(text) if isinstance(text, str) else None
    is_by_facade = found is not None and type(vars(sys.modules["__main__"]).get(found[1])) is Facade
    return _MARKS[found[2]] if found is not None and is_by_facade else None


def make_dataclass(cls_name: str, fields: Iterable[Any], **options: Any) -> Any:
    """Make a dataclass of a name, fields and flags. Names of fields become source text, so they are checked first."""
    if set(options) - _FLAGS:
        msg = "make_dataclass takes a name, fields and flags here"
        raise TypeError(msg)
    listed: list[Any] = [exact_name(field) for field in fields]
    listed = [field if type(field) is str else tuple(map(exact_name, field)) for field in listed]
    for field in listed:
        if is_special(normal_name(field if type(field) is str else field[0])):
            msg = f"a field may not be called {field!r}"
            raise TypeError(msg)
    if sys.version_info >= (3, 12):
        options["module"] = "__main__"
    made = dataclasses.make_dataclass(exact_name(cls_name), listed, namespace={"__module__": "__main__"}, **options)
    return _keep_patterns_plain(made)
