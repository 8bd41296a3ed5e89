"""What the library of this process no longer hands to methods of a script, or does to what all steps share.

It would tell them the class of classes, give them what stands in the dict of another class, rename its properties, and
set attributes on whatever it is called on. For the process that runs scripts and nowhere else.
"""

from __future__ import annotations

import abc
import ast
import csv
import fnmatch
import functools
import inspect
import sys
import typing
import urllib.parse
import zoneinfo._common
from collections.abc import Iterable
from types import FunctionType
from typing import Any, Final

from sandbox.language.attribute_names import is_special
from sandbox.language.class_inspection import namespace
from sandbox.library.current_step import STEP
from sandbox.library.pinned_clock import replace_in
from sandbox.library.read_only import ReadOnly
from sandbox.substitutes.library_sealing import IMMUTABLE_TYPE


def withhold() -> None:
    """Have the library ask less of what a script made."""
    _ask_no_hook_about_classes_of_classes()
    _look_up_no_word_of_scripts()
    _compare_origins_by_identity()
    _copy_attributes_of_scripts_alone()
    _keep_nothing_with_its_type()
    _load_no_zone_that_is_out_of_range()
    _read_rows_one_at_a_time()
    _evaluate_references_as_scripts()
    _keep_builtins_of_scripts()
    inspect._signature_fromstr = _no_signature  # type: ignore[attr-defined]


def _ask_no_hook_about_classes_of_classes() -> None:
    """Have no `__subclasshook__` of a script be asked about the class of a class, which `isinstance` asks about."""
    modules: Any = (abc, typing)
    for module in modules:
        if hasattr(module, "_abc_subclasscheck"):
            module._may_ask, module._ask = _may_ask, module._abc_subclasscheck
    # Its code must stand in `abc`, and in no frame more than before: `typing` looks at who calls.
    setattr(abc.ABCMeta, "__subclasscheck__", FunctionType(_ask_less.__code__, vars(abc)))  # noqa: B010 - see mypy
    if hasattr(typing, "_abc_subclasscheck"):
        typing._abc_subclasscheck = FunctionType(_ask_less.__code__, vars(typing))


def _look_up_no_word_of_scripts() -> None:
    """Have what an object of a script says is its class be asked for by `isinstance` as any class is, or refused.

    The library would look it up in a register first, and so compare it with classes, whatever it is.
    """
    module: Any = abc
    module._ask_of, module._IMMUTABLE_TYPE = module._abc_instancecheck, IMMUTABLE_TYPE
    module._abc_instancecheck = FunctionType(_ask_of_class.__code__, vars(abc))  # In `abc`, as above.


def _ask_of_class(cls: Any, instance: Any) -> Any:
    if type(instance).__flags__ & _IMMUTABLE_TYPE:  # type: ignore[name-defined]  # noqa: F821
        return _ask_of(cls, instance)  # type: ignore[name-defined]  # noqa: F821
    said = instance.__class__
    return cls.__subclasscheck__(said) or (said is not type(instance) and cls.__subclasscheck__(type(instance)))


def _may_ask(cls: type, subclass: Any) -> bool:
    """Say whether the question is about another class, or is the library's, whose classes are immutable by then."""
    is_about_classes = issubclass(type(subclass), type) and issubclass(subclass, type)
    is_own = STEP.guard.owns(cls) if STEP.is_running() else not cls.__flags__ & IMMUTABLE_TYPE
    return not (is_about_classes and is_own)


def _ask_less(cls: type, subclass: Any) -> Any:
    return _may_ask(cls, subclass) and _ask(cls, subclass)  # type: ignore[name-defined]  # noqa: F821


def _compare_origins_by_identity() -> None:
    """Have no `__eq__` of a script be asked about what an alias of `typing` stands for, `type` among it."""
    kind: Any = typing._GenericAlias  # type: ignore[attr-defined]

    def is_same(self: Any, other: Any) -> Any:
        if not isinstance(other, kind):
            return NotImplemented
        return self.__origin__ is other.__origin__ and self.__args__ == other.__args__

    kind.__eq__ = is_same


def _keep_nothing_with_its_type() -> None:
    """Have `Literal` and functions keep nothing in a cache whose keys hold the types of arguments beside these."""
    literal: Any = typing.Literal
    literal._getitem = getattr(literal._getitem, "__wrapped__", literal._getitem)
    for module in (urllib.parse, fnmatch):
        for name, held in list(vars(module).items()):
            if type(held) is functools._lru_cache_wrapper and held.cache_parameters()["typed"]:
                setattr(module, name, functools.lru_cache(held.__wrapped__))


def _read_rows_one_at_a_time() -> None:
    """Have a reader of rows not be asked for one by the lines that it reads, which would end the process."""
    read: Any = csv.reader

    def reader(lines: Any, *arguments: Any, **options: Any) -> Any:
        return read((each for each in lines), *arguments, **options)

    csv.reader = reader


_AS_REFERENCE: Final = 3
_AS_TEXT: Final = 4
"""What `annotationlib.Format` calls `FORWARDREF` and `STRING`."""


def _evaluate_references_as_scripts() -> None:
    """Have text in a type hint be judged as a script is. From Python 3.14 on it has a method that calls `eval`."""
    reference: Any = typing.ForwardRef

    def evaluate(self: Any, *, format: int = 1, **options: Any) -> Any:
        if format == _AS_TEXT:
            return self.__forward_arg__
        try:
            return STEP.evaluate(self.__forward_arg__)
        except (AttributeError, LookupError, NameError, TypeError, ValueError):
            if format == _AS_REFERENCE:  # Where it cannot be evaluated yet.
                return self
            raise

    if hasattr(reference, "evaluate"):
        reference.evaluate = evaluate
        ast.unparse(ast.Name("a"))  # References show themselves by what is imported at first use.


def _load_no_zone_that_is_out_of_range() -> None:
    """Have a time zone be loaded from no data that lead beyond its own kinds of time: C code would follow them."""
    module: Any = zoneinfo._common
    load = module.load_data

    def load_data(file: Any) -> Any:
        kinds, instants, offsets, *rest = load(file)
        if max(kinds, default=-1) >= len(offsets):
            msg = "Invalid transition index found while reading TZif"
            raise ValueError(msg)
        return kinds, instants, offsets, *rest

    module.load_data = load_data


def _keep_builtins_of_scripts() -> None:
    """Have functions of a script that run under made-up names do so under the builtins of their own names.

    From Python 3.14 on, annotations do that which name what is not there yet, and whatever an object says makes its
    own. Without builtins among the names, they would be those of the library, whose imports give modules.
    """
    if sys.version_info >= (3, 14):
        import annotationlib

        class Names(annotationlib._StringifierDict):  # type: ignore[misc, name-defined]
            def __init__(self, *names: Any, globals: Any = None, **options: Any) -> None:
                super().__init__(*names, globals=globals, **options)
                self.setdefault("__builtins__", (globals or {}).get("__builtins__", {}))

        annotationlib._StringifierDict = Names  # type: ignore[attr-defined]


def _copy_attributes_of_scripts_alone() -> None:
    """Have wrappers of the library, `lru_cache` among them, take over the attributes of what the script made alone."""
    update = functools.update_wrapper

    def update_wrapper(
        wrapper: Any, wrapped: Any, assigned: Any = functools.WRAPPER_ASSIGNMENTS, updated: Any = ("__dict__",)
    ) -> Any:
        kind = wrapped if isinstance(wrapped, type) else type(wrapped)
        is_own = not STEP.is_running() or STEP.guard.wrote(wrapped) or STEP.guard.owns(kind)
        return update(wrapper, wrapped, assigned, updated if is_own else ())

    functools.update_wrapper = update_wrapper


def _no_signature(*arguments: Any, **options: Any) -> Any:
    """Refuse to read a signature out of a docstring, which evaluates what stands there."""
    msg = "no signature"
    raise ValueError(msg)


def _instructions(source: str) -> set[int]:
    return set(compile(source, "", "exec").co_code[::2])


_SETS: Final = _instructions("a.b = a; del a.b") - _instructions("a = a.b; del a")
"""The instructions that set and delete attributes."""
_MAKERS: Final = frozenset({"__class__", "type"})
_LOOKED_AT: Final = frozenset({FunctionType, property, dict})


def keep_what_is_shared(handed_out: Iterable[Any]) -> None:
    """Have no class or method of the library alter what outlives a step: the names of properties, functions."""
    kinds = {each for value in handed_out for each in type.mro(value if isinstance(value, type) else type(value))}
    lasting: set[int] = set()
    for kind in kinds:
        bound = namespace(kind)
        if _LOOKED_AT.isdisjoint(map(type, bound.values())):
            continue
        for name, held in list(bound.items()):
            if type(held) is FunctionType:
                if not name.startswith("_") and _alters_or_makes(held):
                    setattr(kind, name, _for_its_own(kind, held))
            elif type(held) is property:
                lasting.add(id(held if name.startswith("_") else _kept_to_its_own(kind, name, held)))
            elif type(held) is dict:
                _freeze_private(kind, name, held)
    _keep_names(lasting)


def _freeze_private(kind: type, name: str, held: dict[Any, Any]) -> None:
    """Have a private dict of a class not be altered: code made for data classes reads private names as well.

    What enumerations keep of values is left out; it grows with flags, and is put back after each step.
    """
    if name.startswith("_") and not is_special(name) and name != "_value2member_map_":
        type.__setattr__(kind, name, ReadOnly(held))


def _kept_to_its_own(kind: type, name: str, held: property) -> property:
    """Return the property that now stands in the place of one that alters or makes objects."""
    if not any(map(_alters_or_makes, (held.fget, held.fset))):
        return held
    getter, setter = (each and _for_its_own(kind, each) for each in (held.fget, held.fset))
    made = property(getter, setter, held.fdel, held.__doc__)
    setattr(kind, name, made)
    return made


def _alters_or_makes(function: Any) -> bool:
    """Say whether a function sets attributes, or may make objects of the class of its object.

    A function has attributes too; and the class of a class makes classes.
    """
    if type(function) is not FunctionType or not function.__code__.co_names:
        return False
    code = function.__code__
    return not _MAKERS.isdisjoint(code.co_names) or not _SETS.isdisjoint(code.co_code[::2])


def _for_its_own(kind: type, function: Any) -> Any:
    """Return a method that takes objects of its own class alone."""

    @functools.wraps(function)
    def checked(self: Any, /, *arguments: Any, **options: Any) -> Any:
        if not issubclass(type(self), kind):
            msg = f"{function.__qualname__} works on objects of its class"
            raise TypeError(msg)
        return function(self, *arguments, **options)

    del checked.__wrapped__
    return checked


def _keep_names(lasting: set[int]) -> None:
    """Have properties that outlive steps keep their names in messages, whichever class binds them anew."""
    rename: Any = namespace(property)["__set_name__"]

    def set_name(self: property, owner: type, name: str) -> None:
        if id(self) not in lasting:
            rename(self, owner, name)

    replace_in(property, "__set_name__", set_name)
