"""Guards of data classes and named tuples, which the library makes from names of a script.

`@dataclass` writes source text with the names of fields, runs it, and sets attributes of a
class. Without the guards, a script could attack in two ways:

- It puts code into that text. A field with the name `x=print("...")` gives
  `def __init__(self, x=print("...")): ...`, and the library runs the call without guards.
- It changes a class of the library: `dataclass(decimal.Decimal)` sets methods of `Decimal`.

The functions here replace functions of the library for the whole process.
"""

from __future__ import annotations

import collections
import dataclasses
import sys
from collections.abc import Callable
from typing import Any

from controlplane.sandbox.child.language.guards.annotation_guards import (
    evaluate_annotation,
)
from controlplane.sandbox.child.language.guards.setting_guards import check_settable
from controlplane.sandbox.child.language.script_compiler import compile_annotation
from controlplane.sandbox.child.language.special_names import needs_no_guard


def guard_dataclasses() -> None:
    """Make `@dataclass` change only classes of the script, and evaluate annotations with guards.

    A class is the script's own if its `__module__` is `__main__` (`own_objects.is_own`).
    """
    # `dataclass` and `make_dataclass` both call this private function.
    process_class = vars(dataclasses)["_process_class"]
    make_class: Any = dataclasses.make_dataclass

    def process_own_class(cls: Any, *arguments: Any, **options: Any) -> Any:
        """Do as `dataclasses._process_class`, which adds the methods to a class."""
        _check_fields(cls)
        _require_own(cls)
        made_class = process_class(cls, *arguments, **options)
        return _without_guarded_patterns(made_class)

    def make_own_class(*arguments: Any, **options: Any) -> Any:
        """Do as `dataclasses.make_dataclass`, but make a class that is the script's own."""
        options.setdefault("module", "__main__")
        return make_class(*arguments, **options)

    vars(dataclasses)["_process_class"] = process_own_class
    vars(dataclasses)["_is_type"] = _is_type
    if sys.version_info >= (3, 12):  # Earlier versions have no option `module`.
        vars(dataclasses)["make_dataclass"] = make_own_class


def _require_own(cls: Any) -> None:
    """Raise `AttributeError` unless a class is the script's own: `decimal.Decimal` is refused."""
    # The library sets several attributes of the class, such as `__doc__`. A script
    # may set that one in its own classes, but not in those of the library.
    check_settable(cls, "__doc__")


def _is_type(
    annotation: str,
    cls: Any,
    module: Any,
    kind: Any,
    predicate: Callable[[Any, Any], bool],
) -> bool:
    """Do the same as `dataclasses._is_type`, but evaluate the annotation with guards.

    The library asks if an annotation in quotes stands for a type that `predicate`
    accepts: for `ClassVar` or `InitVar`, as in `x: "ClassVar[int]"`. It passes five
    arguments; `cls` and `kind` are not needed here.
    """
    names_of_script = vars(sys.modules["__main__"])
    try:
        value = evaluate_annotation(compile_annotation(annotation), names_of_script)
        return predicate(value, module)
    except Exception:  # noqa: BLE001 - it may have any fault, such as a name that is defined later
        return False  # Like the library, take it for an ordinary type.


def _check_fields(cls: Any) -> None:
    """Raise `TypeError` if the fields of a class would put code into its `__init__`.

    For the fields `x` and `y`, the library writes and runs the source text
    `def __init__(self, x, y): ...`. A script could put any text in place of a name in
    `__annotations__`, such as `x=print("...")`. It could also put an object of its own in
    place of a field, whose `name` is such a text.
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


def guard_named_tuples() -> None:
    """Make the classes of `namedtuple` the script's own, by the module name `__main__`."""
    make_tuple: Any = collections.namedtuple

    def make_own_tuple(*arguments: Any, **options: Any) -> Any:
        options.setdefault("module", "__main__")
        return _without_guarded_patterns(make_tuple(*arguments, **options))

    vars(collections)["namedtuple"] = make_own_tuple


def _without_guarded_patterns(kind: Any) -> Any:
    """Empty the `__match_args__` of a class if one of its names needs a guard. Returns the class.

    `case Point(a, b)` reads the attributes that `Point.__match_args__` names, by position,
    without calling a guard. With the name `tb_frame` there, for example, a script would get an
    attribute that it may not read. Without names, such a pattern fails.
    """
    names = vars(kind).get("__match_args__", ())
    if not all(needs_no_guard(name) for name in names):
        type.__setattr__(kind, "__match_args__", ())
    return kind
