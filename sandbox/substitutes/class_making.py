"""What makes or marks classes for scripts: only their own are altered, and no pattern gets a private name.

Each stands in the place of the library's form, which alters whatever it is given.
"""

from __future__ import annotations

import abc
import collections
import copy
import dataclasses
import enum
import functools
import itertools
import keyword
import string
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any, ClassVar, Final

from sandbox.language.attribute_names import exact_name, is_plain, is_special, normal_name
from sandbox.language.class_inspection import holder
from sandbox.library.current_step import STEP
from sandbox.library.script_builtins import check_fields, keep_patterns_plain
from sandbox.substitutes.type_hints import annotations_of


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """Do what `dataclasses.dataclass` does, to classes of the script alone."""

    def decorate(given: Any) -> Any:
        if not isinstance(given, type) or not STEP.guard.owns(given):
            msg = "dataclass decorates classes of the script"
            raise TypeError(msg)
        names = [name for base in given.__mro__ for name in annotations_of(base)]
        _check_fields(names)
        for each in _with_heirs(given):
            check_fields(STEP.guard, names, type.mro(each))
        with STEP.guard.making_subclass(given.__bases__[0]), _marks_evaluated(given):
            made: Any = dataclasses.dataclass(given, **options | {"match_args": False})
        if options.get("match_args", True) and "__match_args__" not in vars(made):
            setattr(made, "__match_args__", _plain_positions(made))  # noqa: B010 - mypy sees a variable here
        return STEP.adopt(made)

    return decorate if cls is None else decorate(cls)


def _with_heirs(kind: type) -> Iterator[type]:
    yield kind
    heirs: list[type] = type.__subclasses__(kind)
    for each in heirs:
        yield from _with_heirs(each)


_MARKS: Final = {"ClassVar": typing.ClassVar, "InitVar": dataclasses.InitVar, "KW_ONLY": dataclasses.KW_ONLY}


@contextmanager
def _marks_evaluated(given: Any) -> Iterator[None]:
    """Show `dataclasses` the annotations that are no fields as what they are where they are written as text.

    It would look up their names in the module that the class says it is of, and a script is none.
    """
    written = annotations_of(given)
    marks = {}
    for name, text in written.items():
        head = text.partition("[")[0].strip() if type(text) is str else ""
        mark = _MARKS.get(head.rpartition(".")[2])
        if mark is not None and STEP.evaluate(head) is mark:
            marks[name] = mark
    if not marks:
        yield
        return
    annotate = getattr(given, "__annotate__", None)
    given.__annotations__ = written | marks
    try:
        yield
    finally:
        if annotate is None:
            given.__annotations__ = written
        else:
            given.__annotate__ = annotate


def make_dataclass(name: str, fields: Any, **options: Any) -> Any:
    """Make a dataclass of a name and fields; a namespace or bases cannot be given."""
    if set(options) - {"init", "repr", "eq", "order", "frozen", "kw_only"}:
        msg = "make_dataclass takes a name, fields and flags here"
        raise TypeError(msg)
    given = [exact_name(each) for each in fields]
    listed: list[Any] = [each if type(each) is str else tuple(each) for each in given]  # Read once: it may change.
    _check_fields([each if type(each) is str else each[0] for each in listed])
    return STEP.adopt(dataclasses.make_dataclass(normal_name(name), listed, **options))


def _plain_positions(made: Any) -> tuple[str, ...]:
    """Return the fields that patterns may give by position: those before the first private one."""
    fields = made.__dataclass_fields__.values()
    given = [each for each in fields if each._field_type is not dataclasses._FIELD_CLASSVAR]  # type: ignore[attr-defined]
    return tuple(itertools.takewhile(is_plain, (each.name for each in given if each.init and not each.kw_only)))


def _check_fields(names: list[Any]) -> None:
    """Refuse a field whose name is none: it becomes source text."""
    for name in names:
        is_name = type(name) is str and name.isidentifier() and not keyword.iskeyword(name)
        if not is_name or is_special(name) or name != normal_name(name):
            msg = f"a field may not be called {name!r}"
            raise TypeError(msg)


def seal_library() -> None:
    """Have the library itself, in this process, use what is safe where it copies, formats and makes named tuples."""
    from sandbox.substitutes import library_patches, object_copying, string_formatting

    copy.copy, copy.deepcopy = object_copying.shallow_copy, object_copying.deep_copy  # type: ignore[assignment]
    collections.namedtuple = namedtuple  # type: ignore[assignment]
    string_formatting.seal_user_string()
    string.Template("").substitute()  # From Python 3.14 on its pattern is made at first use, and set on the class.
    seal_fields()
    seal_enum()
    library_patches.withhold()


class _AsItsClassSays:
    """An object whose fields are those of its class, whatever it says of them itself."""

    __slots__ = ("_value",)
    __dataclass_fields__: ClassVar[dict[str, Any]] = {}

    def __init__(self, value: Any) -> None:
        object.__setattr__(self, "_value", value)

    def __getattribute__(self, name: str) -> Any:
        value = object.__getattribute__(self, "_value")
        if name == "__class__":
            return type(value)
        return type(value).__dataclass_fields__ if name == "__dataclass_fields__" else STEP.guard.read(value, name)


def seal_fields() -> None:
    """Have `dataclasses` ask the class alone which fields an object has: it reads the attributes of these names.

    What the class of a class binds is no default of a field, and a field keeps the name that was judged.
    """
    module: Any = dataclasses
    read, find, name = module.fields, module._get_field, "_replace" if hasattr(module, "_replace") else "replace"
    make = getattr(dataclasses, name)

    def get_field(cls: type, field: str, *given: Any) -> Any:
        if not is_plain(field) and holder(type.mro(cls), field) is None and hasattr(type(cls), field):
            setattr(cls, field, module.field())
        return find(cls, field, *given)

    def fields(value: Any) -> Any:
        return read(value if isinstance(value, type) else type(value))

    def replace(value: Any, /, **changes: Any) -> Any:
        if not dataclasses.is_dataclass(type(value)):
            msg = "replace() should be called on dataclass instances"
            raise TypeError(msg)
        return make(_AsItsClassSays(value), **changes)

    def set_attribute(self: Any, attribute: str, value: Any) -> None:
        if STEP.is_running() and attribute == "name" and getattr(self, attribute, None) not in (None, value):
            msg = f"field() was called for {self.name!r}; call it again for {value!r}"
            raise TypeError(msg)
        object.__setattr__(self, attribute, value)

    module.fields, module._get_field, module.Field.__setattr__ = fields, get_field, set_attribute
    setattr(dataclasses, name, replace)


def seal_enum() -> None:
    """Have enumerations take no other objects for members than their own: the library names them and makes them anew.

    Their functional form refuses the names and the base that a class statement refuses, and what it makes is the
    script's own as well.
    """
    kind: Any = enum.EnumMeta
    make, find = kind._create_, kind._find_new_

    def checked(cls: Any, class_name: Any, names: Any, **options: Any) -> Any:
        listed: list[Any] = str.replace(names, ",", " ").split() if isinstance(names, str) else []
        if not isinstance(names, str):  # Read once: what is read again may be another.
            pairs = dict(names).items() if isinstance(names, Mapping) else names
            listed = [each if type(each) is str else tuple(each) for each in pairs]
        if any(is_special(normal_name(each if type(each) is str else each[0])) for each in listed):
            msg = "a member of an enumeration has an ordinary name"
            raise TypeError(msg)
        if not STEP.is_running():
            return make(cls, class_name, listed, **options)
        base = options.get("type")
        if base is not None:
            STEP.check_base(base)
        with STEP.guard.making_subclass(cls if base is None else base):
            return STEP.adopt(make(cls, class_name, listed, **options))

    def found(*given: Any) -> tuple[Any, ...]:
        new, *rest = find(*given)
        return (_making_members(new) if STEP.is_running() else new, *rest)

    kind._create_, kind._find_new_ = checked, found


def _making_members(new: Any) -> Any:
    """Return the `__new__` of an enumeration that makes members of it alone."""

    def made(cls: type, *arguments: Any) -> Any:
        member = new(cls, *arguments)
        if not issubclass(type(member), cls):
            msg = f"{cls.__qualname__}.__new__ made no {cls.__qualname__} object"
            raise TypeError(msg)
        return member

    return made


_namedtuple: Final = collections.namedtuple


def namedtuple(name: str, fields: Any, **options: Any) -> Any:
    """Make a named tuple class whose patterns read no guarded attribute; made in a step, it is the script's own.

    `typing.NamedTuple` makes its classes by this one too.
    """
    made = _namedtuple(name, fields, **options | {"module": "__main__"})
    keep_patterns_plain(made)
    return STEP.adopt(made) if STEP.is_running() else made


def script_namedtuple(name: str, fields: Any, *, rename: bool = False, defaults: Any = None) -> Any:
    """Make a named tuple class by the arguments that a script may give."""
    return namedtuple(name, fields, rename=rename, defaults=defaults)


class cached_property:  # noqa: N801 - the name that scripts import
    """`functools.cached_property` for objects of the script's own classes: it writes into their `__dict__`."""

    def __init__(self, function: Any) -> None:
        self._function, self._name = function, ""
        self.__doc__ = getattr(function, "__doc__", None)

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if not STEP.guard.owns(type(instance)):
            msg = "cached_property works on objects of the script's own classes"
            raise TypeError(msg)
        try:
            held = object.__getattribute__(instance, "__dict__")
        except AttributeError:
            msg = f"No '__dict__' attribute on {type(instance).__name__!r} instance to cache {self._name!r} property."
            raise TypeError(msg) from None
        if self._name not in held:
            held[self._name] = self._function(instance)
        return held[self._name]


def total_ordering(cls: Any) -> Any:
    """Do what `functools.total_ordering` does, to classes of the script alone."""
    if not isinstance(cls, type) or not STEP.guard.owns(cls):
        msg = "total_ordering decorates classes of the script"
        raise TypeError(msg)
    return functools.total_ordering(cls)


def abstractmethod(function: Any) -> Any:
    """Do what `abc.abstractmethod` does, to functions of the script alone."""
    if type(function) is FunctionType and not STEP.guard.may_write(function, "__name__"):
        return abc.abstractmethod(function)
    if isinstance(function, classmethod | staticmethod | property):
        return function
    msg = "abstractmethod decorates functions of the script"
    raise TypeError(msg)
