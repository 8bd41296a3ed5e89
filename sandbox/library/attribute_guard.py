"""The one attribute guard: which attributes a script may read or write, on every road to an attribute.

What a name leaves open (`attribute_names`) is judged here by the object, and for a few names by what is found
under them: dotted access, `getattr`, `hasattr`, `attrgetter`, format fields.
"""

from __future__ import annotations

import abc
import builtins
import collections
import decimal
import enum
import textwrap
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MethodDescriptorType,
    MethodType,
    SimpleNamespace,
    WrapperDescriptorType,
)
from typing import Any, Final

from sandbox.language.attribute_names import (
    ENUM_NAMES,
    FORMATTERS,
    JUDGED_BY_VALUE,
    LINEAGE,
    METHODS,
    NEIGHBOURS,
    OWN_METHODS,
    RECORD_NAMES,
    TEXTS,
    TITLES,
    is_plain,
    is_special,
    name_refusal,
    normal_name,
)
from sandbox.language.class_inspection import as_function, holder, name_of, namespace, searched, title
from sandbox.library.module_facades import Facade, is_live
from sandbox.library.pinned_clock import Random
from sandbox.library.read_only import copied
from sandbox.library.sealed_type import SealedType

_OPEN_TYPES: Final = (decimal.Context, textwrap.TextWrapper, collections.defaultdict)
"""Types not of the script whose objects exist to be set up by assignment; none of them is shared."""

_HINTS: Final = ("TypeVar", "ParamSpec", "TypeVarTuple", "TypeAliasType")
_FIELD: Final = type(decimal.DecimalTuple.sign)
_SENTINEL: Final = getattr(builtins, "sentinel", property)
_NAMED: Final = {property, _FIELD, _SENTINEL, *(getattr(typing, name) for name in _HINTS if hasattr(typing, name))}
"""What tells a name or a text of itself and is not called: hints, properties, fields of named tuples, sentinels."""

_Signals: Final = type(decimal.Context().flags)
CONTEXTS: Final[dict[int, decimal.Context]] = {}
"""Decimal contexts whose `flags` or `traps` the running step holds; without them, these would read freed memory."""

_GENERATORS: Final = frozenset(Random.__mro__) - {object}

_ACCESSORS: Final = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__delattr__"})
Fetch = Callable[[], Any]
"""Reads the attribute that is being judged, as the road to it would."""


class AttributeGuard:
    """Judges attributes by their object. One per step, because it knows the classes that the step's script made."""

    def __init__(self, script_globals: dict[str, Any], formatting: Any) -> None:
        self._owned: set[type] = set()
        self._making: list[tuple[type, set[type]]] = []
        """For each class statement under way: the new class's first base, and that base's subclasses before."""
        self._globals = script_globals
        self._formatting = formatting
        """Makes the guarded form of `str.format` and its kin: called with name and bound string or None."""
        self.made_abstract = False
        """The script has begun to make an abstract class."""

    def owns(self, kind: type) -> bool:
        """Say whether the script made this class, or is making it right now."""
        if kind in self._owned:
            return True
        for base, before in self._making:
            if kind not in before and kind in type.__subclasses__(base):
                self._owned.add(kind)
                return True
        return False

    def wrote(self, function: Any) -> bool:
        """Say whether this is a function of the script."""
        return type(function) is FunctionType and function.__globals__ is self._globals

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
        return self._judged(target, name, lambda: getattr(target, name, *default))

    def shows(self, target: Any, name: str) -> bool:
        """Say whether a script may read a private or special attribute, without reading it."""
        return not name_refusal(name) and self._may_read(target, name)

    def _judged(self, target: Any, name: str, fetch: Fetch) -> Any:
        """Return what `fetch` finds under a name that is not plain, if the script may have it.

        A method of the library becomes a function, for it would show the one that it binds to a comparison.
        """
        value = self._permitted(target, name, fetch)
        is_function = type(value) is MethodType and type(value.__func__) is FunctionType
        return as_function(value) if is_function and not self.wrote(value.__func__) else value

    def _permitted(self, target: Any, name: str, fetch: Fetch) -> Any:
        refusal = name_refusal(name)
        if refusal:
            raise AttributeError(refusal)
        if name in JUDGED_BY_VALUE:
            return self._unshared(target, name, fetch())
        if name == "__class__":  # What `type(target)` tells, unless the script's own class says otherwise.
            return self.sealed_type(fetch() if self.owns(type(target)) else type(target))
        if name in LINEAGE:
            return self._lineage(target, name, fetch)
        if not self._may_read(target, name):
            hint = "; use the function, operator or statement that calls it" if name in METHODS else ""
            msg = f"attribute {name!r} of {name_of(target)} is private to it{hint}"
            raise AttributeError(msg)
        value = fetch()
        if name in _ACCESSORS:
            return self._guarded_accessor(target, value, name)
        if name == "__get__" and not self.wrote(value.__func__ if type(value) is MethodType else value):
            return self._told_by_type(value)
        is_maker = name == "__init__" and type(value) is WrapperDescriptorType
        if is_maker or (name in METHODS and type(value) is FunctionType and not self.wrote(value)):
            return self._for_its_own(value, target, name)
        if name == "__wrapped__" and not (self.wrote(value) or self.owns(type(value))):
            msg = f"what {name_of(target)} wraps is not the script's"
            raise AttributeError(msg)
        return copied(value, name)

    def _unshared(self, target: Any, name: str, value: Any) -> Any:
        """Return what an ordinary name led to, whatever it went through, unless it is shared or unguarded."""
        if name in FORMATTERS:
            return self._formatter(value, name)
        if type(value) is _Signals and issubclass(type(target), decimal.Context):
            CONTEXTS[id(target)] = target
            return value
        if name == "register":
            is_abstract = type(value) is MethodType and value.__func__ is abc.ABCMeta.register
            refused = is_abstract and not (self.owns(value.__self__) and "_abc_impl" in namespace(value.__self__))
        else:
            is_unsafe = name == "obj" and not (self.wrote(target) or self._may_have_obj(type(target)))
            refused = is_unsafe or type(value) is _Signals
        if refused:
            hint = "; derive from it instead" if name == "register" else ""
            msg = f"attribute {name!r} of {name_of(target)} is not available{hint}"
            raise AttributeError(msg)
        return MappingProxyType(dict(value)) if type(value) is MappingProxyType else value

    def _may_have_obj(self, kind: type) -> bool:
        """Say whether `obj` of such an object is anything else than what an `AttributeError` was raised about."""
        is_ours = self.owns(kind) and not issubclass(kind, AttributeError)
        return is_ours or issubclass(kind, memoryview | dict | tuple)

    def _lineage(self, target: Any, name: str, fetch: Fetch) -> Any:
        """Return the ancestors or heirs of a class of the script.

        `object` stands in the place of the root of its own, and the pinned generator in the place of its ancestors.
        """
        if self.owns(type(target)) and not is_special(name):
            return fetch()
        if not issubclass(type(target), type) or not self.owns(target):
            msg = f"attribute {name!r} of {name_of(target)} is not available; only the script's own classes show it"
            raise AttributeError(msg)
        if name == "__subclasses__":
            return lambda: type.__subclasses__(target)
        classes = type.__dict__["__bases__"].__get__(target) if name == "__bases__" else type.mro(target)
        rooted = [object if title(each) == "object" else each for each in classes]
        shown = list(dict.fromkeys(Random if each in _GENERATORS else each for each in rooted))
        return tuple(shown) if is_special(name) else lambda: shown

    def _for_its_own(self, function: Any, target: Any, name: str) -> Any:
        """Return a library class's method, reached through the class, so that it takes objects of that class alone.

        `__init__` takes none but the script's own: it would make another object of one that all steps share.
        """
        kind = super.__getattribute__(target, "__thisclass__") if type(target) is super else target
        if not isinstance(kind, type):
            return function
        owner = next(
            (each for each in type.mro(kind) if any(held is function for held in namespace(each).values())), kind
        )

        def checked(*arguments: Any, **options: Any) -> Any:
            given = arguments[0] if arguments else None
            is_making = name in ("__new__", "__init_subclass__", "__class_getitem__")
            if not issubclass(type(given), owner) and not (is_making and isinstance(given, type)):
                msg = f"{function.__qualname__} works on {name_of(owner)} objects, not on {name_of(given)}"
                raise TypeError(msg)
            if name == "__init__" and not self.owns(type(given)):
                msg = f"{name_of(given)} is made already"
                raise TypeError(msg)
            return function(*arguments, **options)

        checked.__name__, checked.__qualname__ = function.__name__, function.__qualname__
        return checked

    def _told_by_type(self, getter: Any) -> Any:
        """Return a descriptor's `__get__` that takes what `type()` says for the owner where none is given."""
        own = 0 if hasattr(getter, "__self__") else 1

        def bound(*arguments: Any) -> Any:
            instance, owner = (*arguments[own:], None, None)[:2]
            if instance is not None and owner is None:
                arguments = (*arguments[: own + 1], self.sealed_type(type(instance)))
            return getter(*arguments)

        return bound

    def _may_read(self, target: Any, name: str) -> bool:
        kind = type(target)
        if name == "__wrapped__":
            return True
        if name in OWN_METHODS:
            return self._made_here(target, name)
        if name in METHODS:
            if issubclass(kind, type):
                return self.owns(kind) or self._is_base(target)
            is_called = name in ("__call__", "__get__") and self.wrote(target)
            is_of_own = kind is super and self.owns(super.__getattribute__(target, "__self_class__"))
            return is_of_own or self.owns(kind) or is_called
        if name == "__members__":
            return isinstance(target, enum.EnumMeta)
        is_told = name in TEXTS and (callable(target) or kind in _NAMED)
        if is_told or (name in NEIGHBOURS and issubclass(kind, BaseException)):
            return True
        if kind is SimpleNamespace:  # All that it holds besides what is special is the script's.
            return name == "__dict__" or not is_special(name)
        if is_special(name):
            is_own_class = isinstance(target, type) and self.owns(target)
            return self.owns(kind) or is_own_class or self.wrote(target)
        if name in RECORD_NAMES and tuple in searched(target):
            return True
        if name in ENUM_NAMES and enum.Enum in searched(target):
            return kind is super or self.owns(kind) or self.owns(target)
        return self._made_here(target, name)

    def _is_base(self, kind: type) -> bool:
        """Say whether `kind` is a class of the script, or an ancestor of one, finished or not."""
        made = (*self._owned, *(base for base, _ in self._making))
        return kind is object or self.owns(kind) or any(kind in type.mro(each) for each in made)

    def _made_here(self, target: Any, name: str) -> bool:
        """Say whether the script itself made this private attribute: on the object, or on a class of its own."""
        if type(target) is FunctionType:
            return self.wrote(target) and name in target.__dict__
        classes = searched(target)
        if type(target) is not super and not self.owns(classes[0]):
            return False
        found = holder(classes, name)
        return found is None or self.owns(found)

    def may_write(self, target: Any, name: str) -> str:
        """Return why a script may not set or delete this attribute; empty where it may."""
        refusal = name_refusal(name)
        if refusal:
            return refusal
        kind = type(target)
        if self.owns(kind):
            if is_special(name) and name not in TITLES | {"__cause__", "__context__"}:
                return f"special attribute {name!r} cannot be set"
            return ""
        if isinstance(target, type):
            if name == "_abc_impl":  # Without its own register, an abstract class would fall back on its base's.
                return f"attribute {name!r} of a class is the library's"
            if not self.owns(target):
                return f"{name_of(target)} is sealed; make a subclass, or wrap it in a function of your own"
            if name in ("__match_args__", "__module__") or (is_special(name) and name not in METHODS | TITLES):
                return f"special attribute {name!r} cannot be set on a class once it is made"
            return ""
        if self.wrote(target):
            if is_special(name) and name not in TITLES:
                return f"special attribute {name!r} cannot be set on a function"
            return ""
        if isinstance(target, BaseException) and kind is not MemoryError:
            return "" if name in ("__cause__", "__context__") or not name.startswith("_") else f"{name!r} is private"
        is_open = kind in _OPEN_TYPES and not name.startswith("_")
        if is_open or (kind is SimpleNamespace and not is_special(name)) or (kind is Facade and is_live(target, name)):
            return ""
        hint = f"; use its item [{name!r}]" if isinstance(target, dict) else ""
        return f"{name_of(target)} is sealed: its attributes cannot be set by a script{hint}"

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

    def _guarded_accessor(self, target: Any, accessor: Any, name: str) -> Any:
        """Return `accessor` (bound, or a class's own) so that the name it is given goes through this guard.

        One written in Python is of a class of the script's, or it may hand its name on to any other object.
        """
        if self.wrote(accessor.__func__ if type(accessor) is MethodType else accessor):
            return accessor
        found = holder(searched(target), name)
        if isinstance(accessor, FunctionType | MethodType) and not (found is not None and self.owns(found)):
            msg = f"attribute {name!r} of {name_of(target)} is not available"
            raise AttributeError(msg)
        bound = getattr(accessor, "__self__", None)

        def guarded(*arguments: Any) -> Any:
            subject = arguments[0] if bound is None else bound
            given = normal_name(arguments[1 if bound is None else 0])
            if name != "__getattribute__":
                self.write(subject, given)
            elif not is_plain(given):
                return self._judged(subject, given, lambda: accessor(*arguments))
            return accessor(*arguments)

        return guarded
