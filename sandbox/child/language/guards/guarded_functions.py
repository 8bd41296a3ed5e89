"""Functions that a script gets instead of the library's functions of these names.

The language policy guards the attributes that a script reads itself. But
`operator.attrgetter("__globals__")(function)` reads an attribute inside the library, and
other functions set attributes or make classes there. The functions here do the same
with the guards of scripts.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
from collections.abc import Callable, Iterator
from functools import WRAPPER_ASSIGNMENTS, WRAPPER_UPDATES, partial
from typing import Any, get_origin

from controlplane.sandbox.child.language.guards.reading_guards import guarded_getattr
from controlplane.sandbox.child.language.guards.script_types import script_type
from controlplane.sandbox.child.language.guards.setting_guards import check_settable
from controlplane.sandbox.child.language.special_names import BINDABLE, is_special


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

    The library copies the attributes named in `assigned` from `wrapped` to `wrapper`. By
    `update_wrapper(mine, function, ["__globals__"])`, a script could get an attribute that
    it may not read. So only the usual names are accepted.
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

    The library's own is a class with an attribute `_stream = "stdout"`, and sets the attribute
    of `sys` with this name. In a subclass, a script could name any other one.
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
