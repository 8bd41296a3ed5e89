"""The guards: which attributes scripts reach, in their own code and through the library."""

from __future__ import annotations

import collections
import decimal
import functools
import string
import sys
import textwrap
from _string import (  # type: ignore[import-not-found] # `string` has no name for it
    formatter_field_name_split,
)
from collections.abc import Callable
from functools import partial
from types import BuiltinMethodType, FunctionType, GenericAlias, MethodDescriptorType
from typing import Any, Final

from RestrictedPython.Guards import safer_getattr_raise

from controlplane.sandbox.child.language.script_compiler import (
    ENUMERATION_ALIASES,
    FORMATTERS,
    READABLE,
    READABLE_OF_OWN,
    SETTERS,
    attribute_refusal,
    compile_annotation,
    is_special,
    needs_no_guard,
)
from controlplane.sandbox.child.language.script_modules import Facade

# Guards of `str.format`, which reads attributes: `"{0.__class__}".format(x)`.


def check_format(template: str) -> None:
    """Raise `AttributeError` if a field of a format reads an attribute that needs a guard.

    `"{0.name}"` is permitted, `"{0.__class__}"` is not.
    """
    for _, field, format_spec, _ in string.Formatter().parse(template):
        # As `str.format` itself splits it: `0.x[a.b].y` reads `x`, the item `a.b`, and `y`.
        _argument, parts = formatter_field_name_split(field or "")
        for is_attribute, name in parts:
            if is_attribute and name not in READABLE and not needs_no_guard(name):
                msg = f"a format cannot read {name!r}; put the value itself into the format"
                raise AttributeError(msg)
        # It may have fields of its own, as in `"{0:{1.width}}"`.
        check_format(format_spec or "")


def _checked_format(template: str, /, *values: Any, **named_values: Any) -> str:
    """Do the same as `str.format`. Raises `AttributeError` for a field that needs a guard."""
    check_format(template)
    return str.format(template, *values, **named_values)


def _checked_format_map(template: str, mapping: Any, /) -> str:
    """Do the same as `str.format_map`. Raises `AttributeError` for a field that needs a guard."""
    check_format(template)
    return str.format_map(template, mapping)


_checked_format.__name__ = "format"
_checked_format.__qualname__ = "format"
_checked_format_map.__name__ = "format_map"
_checked_format_map.__qualname__ = "format_map"


def _checked_formatter(method: Any, name: str) -> Any:
    """Return the checked form of `str.format` or `str.format_map`; any other method as it is.

    `name` is the name by which the script read the method.
    """
    # 1. The method of the class, as in `str.format`.
    if type(method) is MethodDescriptorType:
        if method is str.format:
            return _checked_format
        if method is str.format_map:
            return _checked_format_map

    # 2. The method of a text, as in `"{}".format`. Each text has a method object of its own, so it
    #    is recognized by its name.
    if type(method) is BuiltinMethodType and isinstance(method.__self__, str):
        if name == "format":
            return partial(_checked_format, method.__self__)
        if name == "format_map":
            return partial(_checked_format_map, method.__self__)
    return method


# Own objects: what the script itself created.
#
# A script may set their attributes, and read their private ones: `point._x = 1`. Other objects
# belong to the library, and code outside of the script relies on them.

_OWN_MODULES: Final = ("__main__", "types")
"""The `__module__` of classes whose objects are own objects.

`__main__` is that of the script's classes. `types` is that of `SimpleNamespace`, and of classes
that the library makes for the script from a list of fields (`make_dataclass`).
"""


def is_own(target: Any) -> bool:
    """Return True if an object is the script's own.

    An own object is a function or class that the script defined, or an instance of such
    a class. They are recognized by the name of their module (`_OWN_MODULES`).
    """
    # `super()` reads attributes of the object whose method calls it. So judge that object.
    if issubclass(type(target), super):
        target = object.__getattribute__(target, "__self__")

    # Use `type(target)`, not `target.__class__` or `isinstance`: an object may define
    # its `__class__` itself, and pretend to be something else.
    if type(target) is FunctionType:
        return target.__module__ == "__main__"
    return getattr(_class_of(target), "__module__", None) in _OWN_MODULES


def _class_of(target: Any) -> type[Any]:
    """Return the class of an object. A class is returned as it is: `3` -> `int`, `int` -> `int`."""
    if issubclass(type(target), type):
        own_class: type[Any] = target
        return own_class
    return type(target)


# `type` as scripts have it: it returns the class of an object, but creates no classes.
#
# The class statements of a script are checked by the language policy, which limits what Python a
# script may use. By calling `type("Point", bases, attributes)`, or another metaclass (a class of
# classes), a script could make a class without that check.


class _TypeOfTypes(type):
    """The metaclass of `script_type`, which takes the place of `type` in scripts.

    A metaclass defines what calls of its class, `isinstance` and `issubclass` return.
    """

    def __call__(cls, *arguments: Any) -> Any:
        """Return the class of an object, for `type(x)`."""
        if len(arguments) != 1:
            msg = "type(object) takes one argument; write a class statement to make a class"
            raise TypeError(msg)
        return _without_metaclass(type(arguments[0]))

    def __instancecheck__(cls, value: Any) -> bool:
        """Return True if the value is a class, for `isinstance(value, type)`."""
        return isinstance(value, type)

    def __subclasscheck__(cls, kind: Any) -> bool:
        """Return True if the class is a metaclass, for `issubclass(kind, type)`."""
        return issubclass(kind, type)


class script_type(metaclass=_TypeOfTypes):  # noqa: N801 - a script's `type`
    """The `type` of scripts: returns the class of an object, but cannot create classes."""

    def __class_getitem__(cls, kind: Any) -> Any:
        return GenericAlias(cls, kind)


script_type.__name__ = "type"
script_type.__qualname__ = "type"
script_type.__module__ = "builtins"


def _without_metaclass(value: Any) -> Any:
    """Return a value as it is; if it is a metaclass, such as `type`, return `script_type`."""
    if isinstance(value, type) and issubclass(value, type):
        return script_type
    return value


# Guards of setting attributes: which attributes of which objects a script may set.
#
# A script may set attributes of its own objects, but not of the library's, which other code
# of the process uses, too. It sets an attribute by a statement (`point.x = 1`), by `setattr`,
# or by a method: `object.__setattr__(point, "x", 1)`. Each way calls a function of this module.

_CACHED_FUNCTION: Final = type(functools.lru_cache(len))
"""The type of functions that `functools.cache` and `functools.lru_cache` return."""

_SET_UP_BY_ASSIGNMENT: Final = (
    decimal.Context,
    textwrap.TextWrapper,
    collections.defaultdict,
    BaseException,
    _CACHED_FUNCTION,
)
"""Types of the library whose attributes scripts may set, as in `context.prec = 4`.
Their objects are not shared between steps."""


def check_settable(target: Any, name: str) -> None:
    """Raise `AttributeError` unless a script may set the attribute `name` of an object."""
    # 1. Refuse names that may not be set in any object. `str.__str__` makes a plain text of
    #    the name, because a subclass of `str` could pretend to be another one.
    refusal = attribute_refusal(str.__str__(name), is_set=True)
    if refusal:
        raise AttributeError(refusal)

    # 2. Permit objects of the script itself, those it may configure, and facades (modules
    #    as a script sees them), whose own `__setattr__` refuses what may not be set.
    if is_own(target) or issubclass(type(target), _SET_UP_BY_ASSIGNMENT):
        return
    if type(target) is Facade:
        return

    # 3. Refuse all other objects: the library or later steps use them, too.
    if isinstance(target, type):
        sealed = f"class {target.__name__}"
        remedy = "; make a subclass, or wrap it in a function of your own"
    else:
        sealed = f"a {type(target).__name__} object"
        remedy = f"; use its item [{name!r}]" if isinstance(target, dict) else ""
    msg = f"{sealed} is sealed: its attributes cannot be set by a script{remedy}"
    raise AttributeError(msg)


def settable(target: Any, name: str) -> Any:
    """Return `target` if a script may set its attribute `name`, else raise `AttributeError`.

    A script's `target.name = value` is compiled as `settable(target, "name").name = value`.
    """
    check_settable(target, name)
    return target


def script_setattr(target: Any, name: str, value: Any) -> None:
    """Set an attribute of an own object. Scripts call this as `setattr`."""
    check_settable(target, name)
    setattr(target, name, value)


def script_delattr(target: Any, name: str) -> None:
    """Delete an attribute of an own object. Scripts call this as `delattr`."""
    check_settable(target, name)
    delattr(target, name)


# Methods that set attributes


def _checked_setter(target: Any, name: str) -> Callable[..., Any]:
    """Return a method that sets or reads any attribute, with a check of the attribute's name.

    `name` is that of the method: `__setattr__`, `__delattr__` or `__getattribute__`. The
    returned function refuses every attribute that a script may not set by a statement
    such as `point.x = 1`.
    """
    method = getattr(target, name)

    def call_unbound(*arguments: Any) -> Any:
        """Call the method of a class, as in `Point.__setattr__(point, "x", 1)`."""
        changed_object, attribute = arguments[:2]
        _check_passed_attribute(changed_object, attribute)
        return method(*arguments)

    def call_bound(*arguments: Any) -> Any:
        """Call the method of an object, as in `point.__setattr__("x", 1)`."""
        _check_passed_attribute(target, arguments[0])
        return method(*arguments)

    # Not `isinstance(target, type)`: an object could pretend to be a class.
    target_is_class = issubclass(type(target), type)

    # The result is a function. From a `functools.partial`, a script could read the method
    # without the check, as its attribute `func`.
    return call_unbound if target_is_class else call_bound


def _check_passed_attribute(target: Any, attribute: str) -> None:
    """Raise `AttributeError` if a script may not pass an attribute to `__setattr__` and the like.

    What a statement such as `point.x = 1` may not set is refused, and two things more.
    """
    check_settable(target, attribute)

    # 1. `object.__setattr__(facade, ...)` would go around the checks of a facade, a module
    #    as a script sees it: they are in the facade's own `__setattr__`.
    is_facade = type(target) is Facade

    # 2. `object.__getattribute__(text, "format")` would read a method that formats text
    #    without the checks that a read by `text.format` makes. `str.__str__` makes a plain
    #    text of the name, because a subclass of `str` could pretend to be another one.
    is_formatter = str.__str__(attribute) in FORMATTERS

    if is_facade or is_formatter:
        msg = f"attribute {attribute!r} is not available by name"
        raise AttributeError(msg)


# Guards of annotations in quotes, such as `x: "list[int]"`, which the library evaluates.
#
# The language policy checks the code of a script, but not the code in such a text. A script could
# write `x: "open('/etc/passwd')"`, and have `typing.get_type_hints` evaluate it. So the library
# is changed, for the whole process, to evaluate annotations under the policy.


def guard_quoted_annotations() -> None:
    """Make the library compile and evaluate annotations in quotes under the policy."""
    for name in ("typing", "annotationlib"):
        module = sys.modules.get(name)  # `annotationlib` exists from Python 3.14 on.
        if module is not None:
            # The module calls the builtins `compile` and `eval`. It finds global names
            # of its own before builtins, so it now calls these functions.
            vars(module)["compile"] = compile_annotation
            vars(module)["eval"] = evaluate_annotation
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
            return evaluate_annotation(
                compile_annotation(annotation), global_names, local_names
            )
        except Exception:
            if format == formats.FORWARDREF:
                return reference
            raise

    annotationlib.ForwardRef.evaluate = evaluate


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


def evaluate_annotation(code: Any, globals: Any = None, locals: Any = None) -> Any:
    """Do the same as `eval`, but with the builtins of scripts.

    The library often passes the global names of one of its own modules. These are left
    out: with them, an annotation could use the modules and builtins of the library, such
    as the real `open`.
    """
    names: dict[str, Any] = {}
    # Local names come last, so that they replace global names, as in `eval`.
    for namespace in (globals, locals):
        if namespace is not None and not _is_library_module(namespace):
            names.update(namespace)
    names["__builtins__"] = vars(sys.modules["__main__"])["__builtins__"]
    return eval(code, names)


def _is_library_module(namespace: Any) -> bool:
    """Return True if a namespace (names with their values) is that of a module of the library.

    The import system sets `__spec__` in every module that it loads. The script's module
    has the name `__main__`.
    """
    return "__spec__" in namespace and namespace.get("__name__") != "__main__"


# Guards of reading attributes: which attributes of which objects a script may read.
#
# Attributes with underscores can lead out of the sandbox, as in
# `().__class__.__base__.__subclasses__()`. RestrictedPython's own guard,
# `safer_getattr_raise`, therefore refuses all of them. Ordinary scripts need some, so the
# guards here also permit
#
# - listed names of every object, such as `__name__` (`READABLE`);
# - private names (with one underscore), and more special names, of *own* objects: objects
#   that the script itself created.


def guarded_getattr(target: Any, name: str, *default: Any) -> Any:
    """Return an attribute if a script may read it. Scripts call this as `getattr`.

    Raises `AttributeError` if the script may not read the attribute, or if the object
    lacks it and there is no `default`.
    """
    if type(name) is not str:
        # A subclass of `str` could give a different name to each of the checks below.
        name = str.__str__(name)

    # 1. Permit some names that begin with an underscore. Step 3 refuses the others. The value
    #    of `__class__` may be a metaclass, by which a script could make classes: it is replaced.
    if name in READABLE or (name[:1] == "_" and _may_read(target, name)):
        return _without_metaclass(getattr(target, name, *default))

    # 2. Wrap methods that set or read attributes by their names: `__setattr__("x", 1)`, and
    #    `"{0.x}".format(a)`. The wrapper checks these names when it is called.
    if name in SETTERS:
        return _checked_setter(target, name)
    if name in FORMATTERS:
        return _checked_formatter(getattr(target, name, *default), name)

    # 3. RestrictedPython refuses names that begin with an underscore, and permits others.
    return safer_getattr_raise(target, name, *default)  # type: ignore[no-untyped-call] # it has no types


def _may_read(target: Any, name: str) -> bool:
    """Return True if a script may read an attribute that begins with an underscore."""
    if not is_own(target):
        return False
    if is_special(name):
        return name in READABLE_OF_OWN
    if name in ENUMERATION_ALIASES:
        return True  # `Enum` defines these for use in the script's own enumerations.

    # An own class may inherit from a class of the library, whose private attributes
    # stay private. So the class that defines the attribute must be an own class.
    for kind in _class_of(target).__mro__:
        if name in vars(kind):
            return is_own(kind)

    # No class defines it, so it is an attribute that was set on the object itself.
    return True


def script_hasattr(target: Any, name: str) -> bool:
    """Return True if a script can read an attribute. Scripts call this as `hasattr`."""
    try:
        guarded_getattr(target, name)
    except AttributeError:
        return False
    return True


def script_dir(target: Any) -> list[str]:
    """Return the names of the attributes that a script may read. Scripts call this as `dir`."""
    names = []
    for name in dir(target):
        if name[:1] != "_" or name in READABLE or _may_read(target, name):
            names.append(name)
    return names


def script_vars(target: Any) -> Any:
    """Return the attributes of an own object. Scripts call this as `vars`."""
    if not is_own(target):
        kind = type(target).__name__
        msg = f"vars() takes an object of your own, not a {kind}; a result is a dict already"
        raise TypeError(msg)
    return vars(target)
