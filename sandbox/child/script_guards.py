"""What RestrictedPython's guards ask of objects: which attributes a script may read and set, and what the library does
with names on behalf of a script. `Facade` is a module as a script sees it.

RestrictedPython leaves these to its user: own objects, private names, formats, types, annotations in quotes.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import decimal
import functools
import string
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import WRAPPER_ASSIGNMENTS, WRAPPER_UPDATES, partial, reduce
from itertools import islice
from types import BuiltinMethodType, FunctionType, GenericAlias, MethodDescriptorType, ModuleType
from typing import Any, Final, NamedTuple, get_origin

import RestrictedPython.compile
from RestrictedPython.Guards import safer_getattr_raise

from controlplane.sandbox.child.language_policy import (
    FORMATTERS,
    NAMES,
    READ,
    READ_OF_OWN,
    SETTERS,
    attribute_refusal,
    compile_annotation,
    is_plain,
)

_OWN: Final = ("__main__", "types")
"""Modules named by what a script made itself; `types` holds simple namespaces, and classes made of a list of fields."""
_SET_UP: Final = (
    *(decimal.Context, textwrap.TextWrapper, collections.defaultdict, BaseException),
    type(functools.lru_cache(len)),
)
"""Library types whose objects are set up by assignment; steps never share such an object."""


class Live(NamedTuple):
    """A name of a module whose value belongs to the step; one with `write` a script may set."""

    read: Callable[[], Any]
    write: Callable[[Any], None] | None = None


class Facade(ModuleType):
    """A module, or `harness`, as a script sees it: its listed names and nothing else. A live one is read anew every
    time, and one with `write` can be set."""

    def __getattr__(self, name: str) -> Any:
        if live := vars(self)["_live"].get(name):
            return live.read()
        raise AttributeError(vars(self)["_missing"](name))

    def __setattr__(self, name: str, value: object) -> None:
        live = vars(self)["_live"].get(name)
        if live is None or live.write is None:
            self.__delattr__(name)
        live.write(value)

    def __delattr__(self, name: str) -> None:
        msg = f"{self!r} is sealed"
        raise AttributeError(msg)

    def __dir__(self) -> list[str]:
        return sorted(name for name in (*vars(self), *vars(self)["_live"]) if name[:1] != "_")

    def __repr__(self) -> str:
        return f"<{vars(self)['_title']}>"


def facade(title: str, names: Mapping[str, Any], missing: Callable[[str], str]) -> Facade:
    """Return a new facade; `missing` returns the message on a name that it lacks. Scripts neither make nor change
    one."""
    made = Facade(title)
    vars(made).clear()
    live = {name: value for name, value in names.items() if type(value) is Live}
    vars(made).update({name: value for name, value in names.items() if name not in live})
    vars(made).update(_title=title, _live=live, _missing=missing)
    return made


Facade.__name__ = Facade.__qualname__ = "module"
Facade.__module__ = "builtins"


def is_own(target: Any) -> bool:
    """Say whether a script made an object, or the class of an object."""
    if issubclass(type(target), super):
        target = object.__getattribute__(target, "__self__")
    if type(target) is FunctionType:
        return target.__module__ == _OWN[0]
    return getattr(_class_of(target), "__module__", None) in _OWN


def _class_of(target: Any) -> type[Any]:
    return target if issubclass(type(target), type) else type(target)


def own_object(target: Any, name: str | None = None) -> Any:
    """Return `target` for an assignment to an item, or to its attribute `name`. Raises `AttributeError` for an
    attribute of what the script did not make."""
    if name is None:
        return target
    refusal = attribute_refusal(str.__str__(name), is_set=True)
    if not refusal and (
        is_own(target) or issubclass(type(target), _SET_UP) or type(target) is Facade
    ):
        return target
    is_class = isinstance(target, type)
    what = f"class {target.__name__}" if is_class else f"a {type(target).__name__} object"
    hint = f"; use its item [{name!r}]" if isinstance(target, dict) else ""
    hint = "; make a subclass, or wrap it in a function of your own" if is_class else hint
    raise AttributeError(
        refusal or f"{what} is sealed: its attributes cannot be set by a script{hint}"
    )


def guarded_getattr(target: Any, name: str, *default: Any) -> Any:
    """Return an attribute as RestrictedPython's `safer_getattr` does, besides special and private ones as the policy
    lists them, and `str.format` with plain fields. Raises `AttributeError`."""
    if type(name) is not str:
        name = str.__str__(name)  # A member of an enumeration is one, and its own methods may lie.
    if name[:1] == "_":
        if name in READ or may_read(target, name):
            value = getattr(target, name, *default)
            return script_type if isinstance(value, type) and issubclass(value, type) else value
        if name in SETTERS:
            return _setter(getattr(target, name), () if _class_of(target) is target else (target,))
    elif name in FORMATTERS:
        value = getattr(target, name, *default)
        if type(value) is MethodDescriptorType and value in _FORMATS:
            return _FORMATS[value]
        if type(value) is BuiltinMethodType and isinstance(value.__self__, str):
            return partial(_FORMATS[getattr(str, name)], value.__self__)
        return value
    return safer_getattr_raise(target, name, *default)  # type: ignore[no-untyped-call] # the library has no types


def may_read(target: Any, name: str) -> bool:
    """Say whether a script may read a private or special attribute: of its own objects and classes alone."""
    if not is_own(target) or name[:2] == "__" == name[-2:]:
        return name in READ_OF_OWN and is_own(target)
    holders = (kind for kind in _class_of(target).__mro__ if name in vars(kind))
    return all(is_own(kind) for kind in islice(holders, 1))


def _setter(method: Callable[..., Any], bound: tuple[Any, ...]) -> Callable[..., Any]:
    """Return a method that sets or reads an attribute by its name, for a script's own objects alone."""

    def call(*given: Any) -> Any:  # Not a partial function, which shows the method.
        target, name = (*bound, *given)[:2]
        own_object(target, name)
        if type(target) is Facade or str.__str__(name) in FORMATTERS:
            msg = f"attribute {name!r} is not available by name"
            raise AttributeError(msg)
        return method(*given)

    return call


def script_hasattr(target: Any, name: str) -> bool:
    """Say whether a script can read an attribute."""
    try:
        guarded_getattr(target, name)
    except AttributeError:
        return False
    return True


def script_vars(target: Any) -> Any:
    """Return the attributes of an object or a class that the script made."""
    if not is_own(target):
        msg = f"vars() takes an object of your own, not a {type(target).__name__}; a result is a dict already"
        raise TypeError(msg)
    return vars(target)


class _TypeOfTypes(type):
    def __call__(cls, *given: Any) -> Any:
        if len(given) != 1:
            msg = "type(object) takes one argument; write a class statement to make a class"
            raise TypeError(msg)
        kind = type(given[0])
        return script_type if issubclass(kind, type) else kind

    def __instancecheck__(cls, held: Any) -> bool:
        return isinstance(held, type)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, type)


class script_type(metaclass=_TypeOfTypes):  # noqa: N801 - a script's `type`
    """The class of an object; it makes no classes."""

    def __class_getitem__(cls, kind: Any) -> Any:
        return GenericAlias(cls, kind)


script_type.__name__ = script_type.__qualname__ = "type"
script_type.__module__ = "builtins"


def judge_format(template: str) -> None:
    """Raise `AttributeError` for a field of a format that reads another attribute than a plain one."""
    for _, field, spec, _ in string.Formatter().parse(template):
        first, *items = (field or "").split("[")
        for name in "".join([first, *(item.partition("]")[2] for item in items)]).split(".")[1:]:
            if not (name in READ or is_plain(name)):
                msg = f"a format cannot read {name!r}; put the value itself into the format"
                raise AttributeError(msg)
        judge_format(spec or "")


def _judged(method: Callable[..., str]) -> Callable[..., str]:
    def call(template: str, /, *given: Any, **named: Any) -> str:
        judge_format(template)
        return method(template, *given, **named)

    call.__name__ = method.__name__
    return call


_FORMATS: Final[dict[Any, Callable[..., str]]] = {
    method: _judged(method) for method in (str.format, str.format_map)
}


def attrgetter(*names: str) -> Callable[[Any], Any]:
    """Return a function that reads attributes as a script reads them."""

    def read(target: Any) -> Any:
        values = tuple(reduce(guarded_getattr, name.split("."), target) for name in names)
        return values if len(values) > 1 else values[0]

    return read


def methodcaller(name: str, /, *given: Any, **named: Any) -> Callable[[Any], Any]:
    """Return a function that calls a method as a script calls it."""
    return lambda target: guarded_getattr(target, name)(*given, **named)


def update_wrapper(
    wrapper: Any, wrapped: Any, assigned: Any = WRAPPER_ASSIGNMENTS, updated: Any = WRAPPER_UPDATES
) -> Any:
    """Do as the library does, to a script's own object and with the library's names."""
    if not {*assigned} <= {*WRAPPER_ASSIGNMENTS} or not {*updated} <= {*WRAPPER_UPDATES}:
        msg = "a wrapper takes over the names of WRAPPER_ASSIGNMENTS and WRAPPER_UPDATES"
        raise AttributeError(msg)
    return functools.update_wrapper(
        own_object(wrapper, "__wrapped__"), wrapped, [*assigned], [*updated]
    )


def wraps(wrapped: Any, assigned: Any = WRAPPER_ASSIGNMENTS, updated: Any = WRAPPER_UPDATES) -> Any:
    """Return a decorator that does as `update_wrapper`."""
    return partial(update_wrapper, wrapped=wrapped, assigned=assigned, updated=updated)


def make_dataclass(cls_name: str, fields: Any, *, namespace: Any = None, **options: Any) -> Any:
    """Make a data class as the library does, with names that a class statement may bind."""
    for name in namespace or ():
        if type(name) is not str or (name[:2] == "__" == name[-2:] and name not in NAMES):
            msg = f"a class may not bind {name!r}"
            raise TypeError(msg)
    return dataclasses.make_dataclass(cls_name, fields, namespace=dict(namespace or {}), **options)


def redirected(name: str) -> Callable[[Any], Any]:
    @contextlib.contextmanager
    def redirect(new_target: Any) -> Iterator[Any]:
        old = getattr(sys, name)
        setattr(sys, name, new_target)
        try:
            yield new_target
        finally:
            setattr(sys, name, old)

    return redirect


def origin_of(kind: Any) -> Any:
    found: Any = get_origin(kind)
    return script_type if found is type else found


def _with_plain_patterns(kind: Any) -> Any:
    """Let positional patterns of a class read no attribute that a script may not read of every object."""
    if not all(map(is_plain, vars(kind).get("__match_args__", ()))):
        type.__setattr__(kind, "__match_args__", ())
    return kind


def guard_library() -> None:
    """Replace what the library evaluates, or makes of names, on behalf of a script. For the whole process."""
    make_class, make_tuple = vars(dataclasses)["_process_class"], collections.namedtuple
    get_field: Any = string.Formatter.get_field

    def get_plain_field(formatter: Any, field_name: str, args: Any, kwargs: Any) -> Any:
        judge_format(f"{{{field_name}}}")
        return get_field(formatter, field_name, args, kwargs)

    def process_class(cls: Any, *given: Any, **named: Any) -> Any:
        names = [*vars(cls).get("__annotations__", ()), *vars(cls).get("__annotations_cache__", ())]
        held = [
            field
            for kind in cls.__mro__
            for field in vars(kind).get("__dataclass_fields__", {}).values()
        ]
        if not all(type(name) is str and name.isidentifier() for name in names):
            msg = "the fields of a data class have names"
            raise TypeError(msg)
        if not all(type(field) is dataclasses.Field for field in held):
            msg = "the fields of a data class are made by the library"
            raise TypeError(msg)
        return _with_plain_patterns(make_class(own_object(cls, "__doc__"), *given, **named))

    def evaluate(code: Any, globals: Any = None, locals: Any = None) -> Any:
        names: dict[str, Any] = {}
        for held in (globals, locals):  # Only names of the script, and those that the script gives.
            if held is not None and ("__spec__" not in held or held.get("__name__") == _OWN[0]):
                names.update(held)
        return eval(code, names | {"__builtins__": vars(sys.modules[_OWN[0]])["__builtins__"]})

    # Scripts would inherit what the module that compiles them imports from `__future__`.
    vars(RestrictedPython.compile)["compile"] = partial(compile, dont_inherit=True)

    def is_kind(
        annotation: str, cls: Any, module: Any, kind: Any, predicate: Callable[[Any, Any], bool]
    ) -> bool:
        with contextlib.suppress(Exception):  # It may be a name that does not exist yet.
            return predicate(
                evaluate(compile_annotation(annotation), vars(sys.modules[_OWN[0]])), module
            )
        return False

    type.__setattr__(string.Formatter, "get_field", get_plain_field)
    vars(dataclasses).update(_process_class=process_class, _is_type=is_kind)
    vars(collections)["namedtuple"] = lambda *given, **named: _with_plain_patterns(
        make_tuple(*given, **{"module": _OWN[0], **named})
    )
    for home in filter(None, map(sys.modules.get, ("typing", "annotationlib"))):
        vars(home).update(eval=evaluate, compile=compile_annotation)
