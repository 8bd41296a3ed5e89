"""Methods of built-in types, replaced for the whole process.

The interpreter itself puts a special method into the slots of a type and of its heirs, as it does for a class of
Python, while the mark that makes the type immutable is taken off.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Mapping
from types import FunctionType
from typing import Any, Final

_FLAGS: Final = object.__basicsize__ + 19 * ctypes.sizeof(ctypes.c_void_p)
"""Where the flags of a type lie in its structure, in bytes."""
_IMMUTABLE: Final = 1 << 8


class NotReplaced(Exception):
    """This version of Python keeps its types in a way that is not known here."""

    def __init__(self, owner: type) -> None:
        super().__init__(f"methods of {owner.__name__!r} cannot be replaced in this version of Python")


def replace_methods(owner: type, methods: Mapping[str, Any]) -> None:
    """Replace methods of a type written in C. Raises `NotReplaced`, before it changes anything."""
    flags = ctypes.c_ulong.from_address(id(owner) + _FLAGS)
    if flags.value != owner.__flags__:
        raise NotReplaced(owner)
    (namespace,) = gc.get_referents(owner.__dict__)
    namespace.update(methods)  # From Python 3.12 on, the interpreter sets attributes of these types elsewhere.
    mark = flags.value & _IMMUTABLE
    flags.value -= mark
    for name, method in methods.items():
        if type(method) is FunctionType:
            method.__name__ = method.__qualname__ = name  # What messages call it.
        setattr(owner, name, method)
    flags.value |= mark  # The interpreter changed others meanwhile.
