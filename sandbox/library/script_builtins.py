"""What a script finds without importing: the builtins that are harmless, and guarded forms of those that are not."""

from __future__ import annotations

import abc
import builtins
import typing
from collections.abc import Iterable
from types import FunctionType, GenericAlias, SimpleNamespace, resolve_bases
from typing import Any, Final, NamedTuple, TypedDict

from sandbox.interface.script_objects import EXCEPTIONS
from sandbox.language.attribute_names import METHODS, exact_name, is_plain, is_special, normal_name
from sandbox.language.class_inspection import as_function, name_of, namespace
from sandbox.language.language_policy import READ_GUARD, WRITE_GUARD
from sandbox.library.attribute_guard import AttributeGuard
from sandbox.library.module_facades import Modules
from sandbox.library.sealed_type import SealedType
from sandbox.process.output_channel import STABLE

_PLAIN: Final = (
    *("abs", "all", "any", "ascii", "bin", "bool", "bytearray", "bytes", "callable", "chr", "classmethod", "complex"),
    *("dict", "divmod", "enumerate", "filter", "float", "format", "frozenset", "hash", "hex", "int", "isinstance"),
    *("issubclass", "iter", "len", "list", "map", "max", "memoryview", "min", "next", "object", "oct", "ord", "pow"),
    *(
        "property",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "staticmethod",
        "str",
        "sum",
        "super",
    ),
    *("frozendict", "sentinel"),  # From Python 3.15 on.
    *("tuple", "zip", "None", "True", "False", "Ellipsis", "NotImplemented"),
)


_FIRST_NUMBER: Final = int(f"{STABLE}00000000", 16)


_IMPORTED_BY_C: Final = frozenset({"_pylong", "_strptime", "time", "locale", "warnings", "zoneinfo._common"})
"""Modules that functions written in C import through the script's frame; the value that they get is another one."""


def exceptions() -> dict[str, type[BaseException]]:
    """Return the builtin exceptions by name, groups left out: what `except*` is for is not offered."""
    return {
        name: each
        for name, each in vars(builtins).items()
        if isinstance(each, type) and issubclass(each, BaseException) and not name.endswith("ExceptionGroup")
    }


def check_fields(guard: AttributeGuard, names: Iterable[str], classes: Iterable[type]) -> None:
    """Refuse fields whose names the guard judges and a class of the library binds: data classes read them unguarded."""
    for name in names:
        held = [] if is_plain(name) else [each for each in classes if name in namespace(each)]
        if not all(map(guard.owns, held)):
            msg = f"a field may not be called {name!r} where {name_of(held[-1])} binds it"
            raise TypeError(msg)


def keep_patterns_plain(made: type) -> None:
    """Empty the `__match_args__` of a new class if a pattern could read a guarded attribute by it.

    A pattern reads the attribute of whatever an abstract class claims as its own, so no private name may stand there.
    """
    names = made.__dict__.get("__match_args__", ())
    if type(names) is not tuple or not all(type(each) is str and is_plain(each) for each in names):
        setattr(made, "__match_args__", ())  # noqa: B010 - the name is not of the class that mypy knows


_BASES: Final = frozenset(
    {
        *(each for name in _PLAIN if isinstance(each := getattr(builtins, name, None), type)),
        *exceptions().values(),
        *EXCEPTIONS.values(),
        *(each for maker in (NamedTuple, TypedDict) for each in resolve_bases((maker,))),
    }
)
"""Classes that scripts find without importing and may derive from, and what the two makers of classes stand for."""

_STANDS_FOR_BASES: Final = (type, GenericAlias, typing._BaseGenericAlias)  # type: ignore[attr-defined]
"""What may stand for base classes, besides two functions. Anything else is refused before any is asked which ones: an
alias compares all with the class of classes, and a function of the script may say something else each time."""


class AbstractClasses:
    """`abc.ABCMeta` as scripts see it: a word after `metaclass=`, and nothing that makes a class by being called."""


class ScriptNames:
    """The builtins of one step, over its guard."""

    def __init__(self, guard: AttributeGuard, facades: Modules) -> None:
        self._guard = guard
        self._facades = facades
        self._numbered: dict[int, tuple[int, object]] = {}
        self._root = self._make_root()

    def _make_root(self) -> type:
        """Return the class that the script's classes without a base get in place of `object`.

        Their default hash and repr come from a count instead of an address, so that sets keep their order in a replay.
        """
        number_of = self.number_of

        class Root:
            __slots__ = ()

            def __hash__(self) -> int:
                return number_of(self) >> 4

            def __repr__(self) -> str:
                kind = type(self)
                return f"<{kind.__module__}.{kind.__qualname__} object at {number_of(self):#x}>"

        Root.__module__, Root.__qualname__, Root.__name__ = "builtins", "object", "object"
        return Root

    def mapping(self) -> dict[str, Any]:
        """Return the builtins as a new dict."""
        names: dict[str, Any] = {name: getattr(builtins, name) for name in _PLAIN if hasattr(builtins, name)}
        names.update(exceptions())
        guarded: dict[str, Any] = {
            "getattr": self.get_attribute,
            "hasattr": self.has_attribute,
            "setattr": self.set_attribute,
            "delattr": self.delete_attribute,
            "vars": self.variables_of,
            "dir": self.names_of,
            "id": self.number_of,
        }
        names.update({name: as_function(each, name) for name, each in guarded.items()})
        names.update(
            {
                "type": SealedType,
                "__import__": self.import_module,
                "__build_class__": self.build_class,
                READ_GUARD: self._guard.read,
                WRITE_GUARD: self._guard.write,
                "__name__": "__main__",
            }
        )
        return names

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
        if type(name) is str and name in METHODS:
            return hasattr(target, name)
        try:
            self._guard.read(target, name)
        except AttributeError:
            return False
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
        if len(targets) != 1:
            msg = "vars() takes one object here"
            raise TypeError(msg)
        (target,) = targets
        is_own = self._guard.owns(target if isinstance(target, type) else type(target))
        if not (is_own or self._guard.wrote(target) or type(target) is SimpleNamespace):
            text = f"vars() works on objects of the script's own classes, not on {type(target).__name__}"
            raise TypeError(text)
        if isinstance(target, type):
            return {name: each for name, each in dict(target.__dict__).items() if not is_special(name)}
        try:
            held: dict[str, Any] = object.__getattribute__(target, "__dict__")
        except AttributeError:
            msg = "vars() argument must have __dict__ attribute"
            raise TypeError(msg) from None
        return held

    def names_of(self, *targets: Any) -> list[str]:
        """Return the names of the attributes of an object that a script may read."""
        if len(targets) != 1:
            msg = "dir() takes one object here"
            raise TypeError(msg)
        (target,) = targets
        names = [str.__str__(name) for name in dir(target) if isinstance(name, str)]
        return sorted(name for name in names if not name.startswith("_") or self._guard.shows(target, name))

    def number_of(self, target: Any) -> int:
        """Return a number that stands for the object during the step: counted, so that a replay gives the same."""
        known = self._numbered.get(id(target))
        if known is None:
            known = (_FIRST_NUMBER + 0x40 * (len(self._numbered) + 1), target)
            self._numbered[id(target)] = known
        return known[0]

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
        for base in bases:
            if not issubclass(type(base), _STANDS_FOR_BASES) and base is not NamedTuple and base is not TypedDict:
                self.check_base(base)
        resolved = resolve_bases(bases)
        fields = {name for base in resolved for name in getattr(base, "__dataclass_fields__", ())}
        for base in resolved:
            self.check_base(base)
            check_fields(self._guard, fields, type.mro(base))
        rooted = [self._root if base is object else base for base in bases] or [self._root]
        first = self._root if not resolved or resolved[0] is object else resolved[0]
        if metaclass is AbstractClasses or any(isinstance(each, abc.ABCMeta) for each in resolved):
            self._guard.made_abstract = True
        with self._guard.making_subclass(first):
            return self.adopt(builtins.__build_class__(function, name, *rooted, **keywords))

    def check_base(self, base: Any) -> None:
        """Refuse a base class that was not handed out to be one: what hands names on to other objects is none."""
        if base is AbstractClasses or base is SealedType:
            msg = "a metaclass cannot be made; use __init_subclass__ or a class decorator, or ABC as a base"
            raise TypeError(msg)
        is_known = isinstance(base, type) and (base in _BASES or base in self._facades.bases or self._guard.owns(base))
        if not is_known or issubclass(base, super):
            msg = f"{getattr(base, '__name__', 'this object')} cannot be a base class; hold such an object instead"
            raise TypeError(msg)

    def adopt(self, made: Any) -> Any:
        """Enter a class that the script made among its own, and return it."""
        if isinstance(made, type):
            keep_patterns_plain(made)
            self._guard.adopt(made)
        return made


for _name, _method in {
    "getattr": ScriptNames.get_attribute,
    "hasattr": ScriptNames.has_attribute,
    "setattr": ScriptNames.set_attribute,
    "delattr": ScriptNames.delete_attribute,
    "vars": ScriptNames.variables_of,
    "dir": ScriptNames.names_of,
    "id": ScriptNames.number_of,
}.items():
    _method.__name__ = _method.__qualname__ = _name  # What messages call it.
