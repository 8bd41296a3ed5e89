"""Functions of the library that would read, write or evaluate names on behalf of a script.

`operator.attrgetter("__globals__")(function)` gets around the guards of the language layer, since
the library reads the attribute. Some of these functions a script gets in a guarded form. Those that
the library itself calls are replaced by `guard_library`, for the whole process.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import string
import sys
from collections.abc import Callable, Iterator
from functools import WRAPPER_ASSIGNMENTS, WRAPPER_UPDATES, partial
from typing import Any, get_origin

import RestrictedPython.compile

from controlplane.sandbox.child.language.language_policy import (
    NAMES,
    compile_annotation,
    is_plain,
    is_special,
)
from controlplane.sandbox.child.language.script_guards import (
    check_format,
    guarded_getattr,
    own_object,
    script_type,
)

# What a script gets in place of the library's functions


def attrgetter(*names: str) -> Callable[[Any], Any]:
    """Return a function that reads attributes as a script reads them."""

    def read_one(target: Any, dotted_name: str) -> Any:
        for name in dotted_name.split("."):
            target = guarded_getattr(target, name)
        return target

    def read(target: Any) -> Any:
        values = tuple(read_one(target, name) for name in names)
        return values[0] if len(values) <= 1 else values

    return read


def methodcaller(name: str, /, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
    """Return a function that calls a method as a script calls it."""

    def call(target: Any) -> Any:
        method = guarded_getattr(target, name)
        return method(*arguments, **options)

    return call


def update_wrapper(
    wrapper: Any, wrapped: Any, assigned: Any = WRAPPER_ASSIGNMENTS, updated: Any = WRAPPER_UPDATES
) -> Any:
    """Do as the library does, for a script's own object and the library's default names."""
    assigned = [*assigned]
    updated = [*updated]
    if not set(assigned) <= set(WRAPPER_ASSIGNMENTS) or not set(updated) <= set(WRAPPER_UPDATES):
        msg = "a wrapper takes over the names of WRAPPER_ASSIGNMENTS and WRAPPER_UPDATES"
        raise AttributeError(msg)
    return functools.update_wrapper(own_object(wrapper, "__wrapped__"), wrapped, assigned, updated)


def wraps(wrapped: Any, assigned: Any = WRAPPER_ASSIGNMENTS, updated: Any = WRAPPER_UPDATES) -> Any:
    """Return a decorator that does as `update_wrapper`."""
    return partial(update_wrapper, wrapped=wrapped, assigned=assigned, updated=updated)


def make_dataclass(cls_name: str, fields: Any, *, namespace: Any = None, **options: Any) -> Any:
    """Make a data class as the library does, with names that a class statement may bind."""
    for name in namespace or ():
        if type(name) is not str or (is_special(name) and name not in NAMES):
            msg = f"a class may not bind {name!r}"
            raise TypeError(msg)
    return dataclasses.make_dataclass(cls_name, fields, namespace=dict(namespace or {}), **options)


@contextlib.contextmanager
def redirect_stdout(new_target: Any) -> Iterator[Any]:
    """Send to `new_target` what is printed in the block."""
    before = sys.stdout
    sys.stdout = new_target
    try:
        yield new_target
    finally:
        sys.stdout = before


@contextlib.contextmanager
def redirect_stderr(new_target: Any) -> Iterator[Any]:
    """Send to `new_target` what is printed to `sys.stderr` in the block."""
    before = sys.stderr
    sys.stderr = new_target
    try:
        yield new_target
    finally:
        sys.stderr = before


def origin_of(kind: Any) -> Any:
    """Return the class behind a generic type; for `type[X]`, the type that scripts get."""
    origin: Any = get_origin(kind)
    return script_type if origin is type else origin


# What the library itself calls


def guard_library() -> None:
    """Replace what the library evaluates, or makes of names, on behalf of a script.

    This changes the whole process.
    """
    _guard_formatter()
    _guard_dataclasses()
    _guard_named_tuples()
    _guard_annotations()

    # Scripts would inherit what the module that compiles them imports from `__future__`.
    vars(RestrictedPython.compile)["compile"] = partial(compile, dont_inherit=True)


def _guard_formatter() -> None:
    """Have `string.Formatter` read plain attributes alone."""
    get_field: Any = string.Formatter.get_field

    def get_plain_field(formatter: Any, field_name: str, args: Any, kwargs: Any) -> Any:
        check_format(f"{{{field_name}}}")
        return get_field(formatter, field_name, args, kwargs)

    type.__setattr__(string.Formatter, "get_field", get_plain_field)


def _guard_dataclasses() -> None:
    """Have `dataclasses` change a script's own classes alone, and evaluate nothing unguarded.

    The library writes the source of `__init__` with the names of the fields in it. It also looks up
    whether an annotation in quotes is one of its own types, such as `"ClassVar[int]"`.
    """
    process_class = vars(dataclasses)["_process_class"]

    def process_own_class(cls: Any, *arguments: Any, **options: Any) -> Any:
        _check_fields(cls)
        made_class = process_class(own_object(cls, "__doc__"), *arguments, **options)
        return _with_plain_patterns(made_class)

    def is_type(
        annotation: str, cls: Any, module: Any, kind: Any, predicate: Callable[[Any, Any], bool]
    ) -> bool:
        names_of_script = vars(sys.modules["__main__"])
        with contextlib.suppress(Exception):  # It may be a name that does not exist yet.
            value = _evaluate(compile_annotation(annotation), names_of_script)
            return predicate(value, module)
        return False

    make_class: Any = dataclasses.make_dataclass

    def make_own_class(*arguments: Any, **options: Any) -> Any:
        options.setdefault("module", "__main__")
        return make_class(*arguments, **options)

    vars(dataclasses)["_process_class"] = process_own_class
    vars(dataclasses)["_is_type"] = is_type
    if sys.version_info >= (3, 12):  # Earlier versions have no option `module`.
        vars(dataclasses)["make_dataclass"] = make_own_class


def _check_fields(cls: Any) -> None:
    """Raise `TypeError` if the fields of a data class would write other code than an `__init__`.

    A script can put any text into `__annotations__`, such as `x=print("...")`, and any object into
    `__dataclass_fields__`.
    """
    attributes = vars(cls)
    # The second is where Python 3.14 keeps evaluated annotations.
    for place in ("__annotations__", "__annotations_cache__"):
        for name in attributes.get(place, ()):
            if type(name) is not str or not name.isidentifier():
                msg = "the fields of a data class have names"
                raise TypeError(msg)

    for kind in cls.__mro__:
        for field in vars(kind).get("__dataclass_fields__", {}).values():
            if type(field) is not dataclasses.Field:
                msg = "the fields of a data class are made by the library"
                raise TypeError(msg)


def _guard_named_tuples() -> None:
    """Have `namedtuple` make classes of the module `__main__`, which count as a script's own."""
    make_tuple: Any = collections.namedtuple

    def make_own_tuple(*arguments: Any, **options: Any) -> Any:
        options.setdefault("module", "__main__")
        return _with_plain_patterns(make_tuple(*arguments, **options))

    vars(collections)["namedtuple"] = make_own_tuple


def _with_plain_patterns(kind: Any) -> Any:
    """Take positional patterns from a class if they would read an attribute that needs a guard.

    `case Point(x, y)` reads the attributes that `__match_args__` names, and calls no guard.
    """
    names = vars(kind).get("__match_args__", ())
    if not all(is_plain(name) for name in names):
        type.__setattr__(kind, "__match_args__", ())
    return kind


def _guard_annotations() -> None:
    """Have the library compile and evaluate annotations in quotes under the policy."""
    for name in ("typing", "annotationlib"):
        module = sys.modules.get(name)  # The second exists from Python 3.14 on.
        if module is not None:
            vars(module)["compile"] = compile_annotation
            vars(module)["eval"] = _evaluate
    if "annotationlib" in sys.modules:
        _guard_forward_references(sys.modules["annotationlib"])


def _guard_forward_references(annotationlib: Any) -> None:
    """Have a name in quotes stand for a name of the script.

    From Python 3.14 on, the library looks up an annotation that is a single name, such as
    `x: "environ"`, in the module that the annotated class names, without evaluating it.
    """
    formats = annotationlib.Format

    def evaluate(
        reference: Any,
        *,
        globals: Any = None,
        locals: Any = None,
        type_params: Any = None,
        owner: Any = None,
        format: Any = formats.VALUE,
    ) -> Any:
        annotation = reference.__forward_arg__
        if format == formats.STRING:
            return annotation

        names: dict[str, Any] = {}
        for parameter in type_params or getattr(owner, "__type_params__", ()):
            names[parameter.__name__] = parameter
        if isinstance(owner, type):
            names.update(vars(owner))
        names.update(locals or {})
        if globals is None:
            globals = vars(sys.modules["__main__"])
        try:
            return _evaluate(compile_annotation(annotation), globals, names)
        except Exception:
            if format == formats.FORWARDREF:
                return reference
            raise

    type.__setattr__(annotationlib.ForwardRef, "evaluate", evaluate)


def _evaluate(code: Any, globals: Any = None, locals: Any = None) -> Any:
    """Evaluate an annotation among names of the script, and those that the script gives."""
    main = vars(sys.modules["__main__"])
    names: dict[str, Any] = {}
    for namespace in (globals, locals):
        if namespace is not None and not _is_other_module(namespace):
            names.update(namespace)
    names["__builtins__"] = main["__builtins__"]
    return eval(code, names)


def _is_other_module(namespace: Any) -> bool:
    """Say whether a namespace is that of a module, and not of the script's."""
    return "__spec__" in namespace and namespace.get("__name__") != "__main__"
