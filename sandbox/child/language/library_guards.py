"""Guards for library functions that would read attributes or run code on behalf of a script.

The language policy guards the attributes that a script reads itself. But
`operator.attrgetter("__globals__")(function)` reads an attribute inside the library,
and `@dataclass` runs source code that contains the names of fields. There are two kinds
of guards here:

- Functions such as `attrgetter`, which a script gets instead of the library's function
  of that name (`script_builtins.replacements` lists them).
- `guard_library`, which changes the library itself, for the whole process. It is for
  functions that other parts of the library call.
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

from controlplane.sandbox.child.language.script_compiler import compile_annotation
from controlplane.sandbox.child.language.script_guards import (
    check_format,
    check_settable,
    guarded_getattr,
    script_type,
)
from controlplane.sandbox.child.language.special_names import (
    BINDABLE,
    is_special,
    needs_no_guard,
)

# Functions that a script gets instead of the library's


def attrgetter(*names: str) -> Callable[[Any], Any]:
    """Do the same as `operator.attrgetter`, but read each attribute with the guards of scripts."""

    def read_dotted_name(target: Any, dotted_name: str) -> Any:
        for name in dotted_name.split("."):
            target = guarded_getattr(target, name)
        return target

    def read(target: Any) -> Any:
        values = tuple(read_dotted_name(target, name) for name in names)
        return values[0] if len(values) <= 1 else values

    return read


def methodcaller(name: str, /, *arguments: Any, **options: Any) -> Callable[[Any], Any]:
    """Do the same as `operator.methodcaller`, but read the method with the guards of scripts."""

    def call(target: Any) -> Any:
        method = guarded_getattr(target, name)
        return method(*arguments, **options)

    return call


def update_wrapper(
    wrapper: Any,
    wrapped: Any,
    assigned: Any = WRAPPER_ASSIGNMENTS,
    updated: Any = WRAPPER_UPDATES,
) -> Any:
    """Do the same as `functools.update_wrapper`, but change only functions of the script.

    A script could otherwise name any attribute in `assigned`, and so copy it to an
    object of its own.
    """
    assigned = [*assigned]
    updated = [*updated]
    if not set(assigned) <= set(WRAPPER_ASSIGNMENTS) or not set(updated) <= set(
        WRAPPER_UPDATES
    ):
        msg = (
            "a wrapper takes over the names of WRAPPER_ASSIGNMENTS and WRAPPER_UPDATES"
        )
        raise AttributeError(msg)
    # Raises if `wrapper` is not the script's own function.
    check_settable(wrapper, "__wrapped__")
    return functools.update_wrapper(wrapper, wrapped, assigned, updated)


def wraps(
    wrapped: Any, assigned: Any = WRAPPER_ASSIGNMENTS, updated: Any = WRAPPER_UPDATES
) -> Any:
    """Do the same as `functools.wraps`, with the `update_wrapper` above."""
    return partial(update_wrapper, wrapped=wrapped, assigned=assigned, updated=updated)


def make_dataclass(
    cls_name: str, fields: Any, *, namespace: Any = None, **options: Any
) -> Any:
    """Do the same as `dataclasses.make_dataclass`, but refuse special names such as `__del__`.

    A class statement of a script may not use these names either (`BINDABLE` lists the others).
    """
    for name in namespace or ():
        if type(name) is not str or (is_special(name) and name not in BINDABLE):
            msg = f"a class may not bind {name!r}"
            raise TypeError(msg)
    return dataclasses.make_dataclass(
        cls_name, fields, namespace=dict(namespace or {}), **options
    )


@contextlib.contextmanager
def redirect_stdout(new_target: Any) -> Iterator[Any]:
    """Do the same as `contextlib.redirect_stdout`.

    The library has a class in its place, which sets the attribute of `sys` that its
    `_stream` names. With a subclass, a script could set any attribute of `sys`.
    """
    before = sys.stdout
    sys.stdout = new_target
    try:
        yield new_target
    finally:
        sys.stdout = before


@contextlib.contextmanager
def redirect_stderr(new_target: Any) -> Iterator[Any]:
    """Do the same as `contextlib.redirect_stderr`; replaced for the same reason."""
    before = sys.stderr
    sys.stderr = new_target
    try:
        yield new_target
    finally:
        sys.stderr = before


def origin_of(kind: Any) -> Any:
    """Do the same as `typing.get_origin`, but return the `type` of scripts for `type[X]`."""
    origin: Any = get_origin(kind)
    return script_type if origin is type else origin


# Changes of the library itself


def guard_library() -> None:
    """Guard what the library does on behalf of a script. This changes the whole process."""
    _guard_formatter()
    _guard_dataclasses()
    _guard_named_tuples()
    _guard_quoted_annotations()

    # Otherwise a script would inherit the `__future__` imports of the module that compiles it.
    _replace(RestrictedPython.compile, "compile", partial(compile, dont_inherit=True))


def _replace(owner: Any, name: str, replacement: Any) -> None:
    """Replace a function, perhaps a private one, of a library module or a library class."""
    setattr(owner, name, replacement)


def _guard_formatter() -> None:
    """Make `string.Formatter` read only attributes that need no guard."""
    get_field: Any = string.Formatter.get_field

    def get_checked_field(
        formatter: Any, field_name: str, args: Any, kwargs: Any
    ) -> Any:
        check_format(f"{{{field_name}}}")  # `0.x` -> `{0.x}`
        return get_field(formatter, field_name, args, kwargs)

    _replace(string.Formatter, "get_field", get_checked_field)


# Data classes and named tuples


def _guard_dataclasses() -> None:
    """Make `@dataclass` change only classes of the script, and evaluate annotations with guards.

    A class is the script's own if its `__module__` is `__main__` (`script_guards.is_own`).
    """
    process_class = vars(dataclasses)["_process_class"]
    make_class: Any = dataclasses.make_dataclass

    def process_own_class(cls: Any, *arguments: Any, **options: Any) -> Any:
        """Do as `dataclasses._process_class`, which adds the methods to a class."""
        _check_fields(cls)
        # The library sets several attributes of the class. This check of one of them
        # raises `AttributeError` unless the class is the script's own.
        check_settable(cls, "__doc__")
        made_class = process_class(cls, *arguments, **options)
        return _without_guarded_patterns(made_class)

    def make_own_class(*arguments: Any, **options: Any) -> Any:
        """Do as `dataclasses.make_dataclass`, but make a class that is the script's own."""
        options.setdefault("module", "__main__")
        return make_class(*arguments, **options)

    _replace(dataclasses, "_process_class", process_own_class)
    _replace(dataclasses, "_is_type", _is_type)
    if sys.version_info >= (3, 12):  # Earlier versions have no option `module`.
        _replace(dataclasses, "make_dataclass", make_own_class)


def _is_type(
    annotation: str,
    cls: Any,
    module: Any,
    kind: Any,
    predicate: Callable[[Any, Any], bool],
) -> bool:
    """Do the same as `dataclasses._is_type`, but evaluate the annotation with guards.

    The library asks if an annotation in quotes stands for a type that `predicate`
    accepts: for `ClassVar` or `InitVar`, as in `x: "ClassVar[int]"`.
    """
    names_of_script = vars(sys.modules["__main__"])
    try:
        value = _evaluate(compile_annotation(annotation), names_of_script)
        return predicate(value, module)
    except Exception:  # noqa: BLE001 - it may have any fault, such as a name that is defined later
        return False  # Like the library, take it for an ordinary type.


def _check_fields(cls: Any) -> None:
    """Raise `TypeError` if the fields of a class would put code into its `__init__`.

    The library writes the source of `__init__` with the names of the fields in it. A
    script could put any text into `__annotations__`, such as `x=print("...")`, and any
    object in place of a field.
    """
    # 1. The names of the class's own fields. Python 3.14 and later keep them in the second
    #    attribute once they have been computed.
    attributes = vars(cls)
    for attribute in ("__annotations__", "__annotations_cache__"):
        for name in attributes.get(attribute, ()):
            if type(name) is not str or not name.isidentifier():
                msg = "the fields of a data class have names"
                raise TypeError(msg)

    # 2. The fields that the class inherits. The library reads them from `__dataclass_fields__`,
    #    which a script may have set.
    for kind in cls.__mro__:
        for field in vars(kind).get("__dataclass_fields__", {}).values():
            if type(field) is not dataclasses.Field:
                msg = "the fields of a data class are made by the library"
                raise TypeError(msg)


def _guard_named_tuples() -> None:
    """Make the classes of `namedtuple` the script's own, by the module name `__main__`."""
    make_tuple: Any = collections.namedtuple

    def make_own_tuple(*arguments: Any, **options: Any) -> Any:
        options.setdefault("module", "__main__")
        return _without_guarded_patterns(make_tuple(*arguments, **options))

    _replace(collections, "namedtuple", make_own_tuple)


def _without_guarded_patterns(kind: Any) -> Any:
    """Empty the `__match_args__` of a class if one of its names needs a guard. Returns the class.

    `case Point(x, y)` reads the attributes that `Point.__match_args__` names, without
    calling a guard.
    """
    names = vars(kind).get("__match_args__", ())
    if not all(needs_no_guard(name) for name in names):
        type.__setattr__(kind, "__match_args__", ())
    return kind


# Annotations in quotes, such as `x: "list[int]"`. The library evaluates them with `eval`.


def _guard_quoted_annotations() -> None:
    """Make the library compile and evaluate annotations in quotes under the policy."""
    for name in ("typing", "annotationlib"):
        module = sys.modules.get(name)  # `annotationlib` exists from Python 3.14 on.
        if module is not None:
            # The module calls the builtins `compile` and `eval`. It finds global names
            # of its own before builtins, so it now calls these functions.
            _replace(module, "compile", compile_annotation)
            _replace(module, "eval", _evaluate)
    if "annotationlib" in sys.modules:
        _guard_forward_references(sys.modules["annotationlib"])


def _guard_forward_references(annotationlib: Any) -> None:
    """Make the library look up an annotation such as `x: "environ"` among the script's names.

    From Python 3.14 on, the library looks up a single name without `eval`, in the
    module of the annotated class. That may be a module of the library, which has names
    that a script must not get.
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
        """Do as `annotationlib.ForwardRef.evaluate`, whose parameters have these names.

        `format` says what to return: with STRING, the text of the annotation;
        with VALUE, its value; with FORWARDREF, its value or, if it has none yet,
        the reference itself.
        """
        annotation = reference.__forward_arg__
        if format == formats.STRING:
            return annotation

        global_names = globals
        if global_names is None:
            global_names = vars(sys.modules["__main__"])
        local_names = _local_names(owner, type_params, locals)
        try:
            return _evaluate(compile_annotation(annotation), global_names, local_names)
        except Exception:
            if format == formats.FORWARDREF:
                return reference
            raise

    _replace(annotationlib.ForwardRef, "evaluate", evaluate)


def _local_names(owner: Any, type_params: Any, local_values: Any) -> dict[str, Any]:
    """Return the local names for evaluating an annotation of the class `owner`.

    They are, from the weakest to the strongest: type parameters, such as the `T` of
    `class Box[T]`; attributes of the class; and `local_values`. If two have the same
    name, the stronger one counts.
    """
    names: dict[str, Any] = {}
    for parameter in type_params or getattr(owner, "__type_params__", ()):
        names[parameter.__name__] = parameter
    if isinstance(owner, type):
        names.update(vars(owner))
    names.update(local_values or {})
    return names


def _evaluate(code: Any, globals: Any = None, locals: Any = None) -> Any:
    """Do the same as `eval`, but with the builtins of scripts.

    The library often passes the global names of one of its own modules. These are left
    out, because an annotation could otherwise use them, and the real `eval` and `open`.
    """
    names: dict[str, Any] = {}
    # Local names come last, so that they replace global names, as in `eval`.
    for namespace in (globals, locals):
        if namespace is not None and not _is_library_module(namespace):
            names.update(namespace)
    names["__builtins__"] = vars(sys.modules["__main__"])["__builtins__"]
    return eval(code, names)


def _is_library_module(namespace: Any) -> bool:
    """Return True if a namespace belongs to a module other than the script.

    The import system sets `__spec__` in every module that it loads. The script's module
    has the name `__main__`.
    """
    return "__spec__" in namespace and namespace.get("__name__") != "__main__"
