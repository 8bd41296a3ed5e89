"""Addresses that scripts could see, pinned: hashes by address become a constant, and reprs show `STEP.number_of`.

It changes types of the whole process, so it belongs into the process that runs scripts and nowhere else.
"""

from __future__ import annotations

import cmath
import gc
import hashlib
import math
import types
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from sandbox.library.current_step import STEP
from sandbox.library.type_slots import NotReplaced, replace_methods

_BOUND: Final = (types.BuiltinFunctionType, types.MethodWrapperType)
"""Types whose repr shows the address of what a method belongs to."""
_HASHED: Final = (object, types.MethodType, *_BOUND)
"""Types whose hash functions read an address; most others inherit that of `object`."""
_NANS: Final[Any] = ((float, math.isnan), (complex, cmath.isnan), (Decimal, Decimal.is_qnan))
"""Types whose hash functions read an address where they hold what is not a number, and what says so."""
_NAMES: Final = frozenset({str})
_SHOWN: Final = (
    *(object, *_BOUND, types.FunctionType, memoryview),
    *(types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType, type(hashlib.sha256())),
)
"""Types whose repr functions show an address; most others inherit that of `object`."""


def install() -> None:
    """Pin hashes and reprs. What was kept in a frozenset before may not be found there again. Raises `NotReplaced`."""
    holders = [each for each in gc.get_objects() if type(each) is dict or type(each) is set]
    moved = [each for each in holders if not _NAMES.issuperset(map(type, each))]
    for hashed in _HASHED:
        replace_methods(hashed, {"__hash__": _constant})
    for kind, is_nan in _NANS:
        replace_methods(kind, {"__hash__": _settled(vars(kind)["__hash__"], is_nan)})
    for held in moved:
        kept = list(held.items() if type(held) is dict else held)
        held.clear()
        held.update(kept)
    for shown in _SHOWN:
        replace_methods(shown, {"__repr__": _numbered(vars(shown)["__repr__"], shown in _BOUND)})
    for each in (object(), iter(""), [].append, [].__len__, install, memoryview(b""), (_ for _ in "")):
        if f"{STEP.number_of(each):#x}"[:7] not in repr(each):
            raise NotReplaced(type(each))
    if any(map(hash, (int, len, [].__len__, install, STEP.forget, math.nan, complex(math.nan), Decimal("nan")))):
        raise NotReplaced(object)
    STEP.forget()


def _constant(self: Any, /) -> int:
    return 0


def _settled(read: Callable[[Any], int], is_nan: Callable[[Any], bool]) -> Callable[[Any], int]:
    def settled(self: Any, /) -> int:
        return 0 if is_nan(self) else read(self)

    return settled


def _numbered(show: Callable[[Any], str], is_bound: bool) -> Callable[[Any], str]:
    def shown(self: Any, /) -> str:
        owner = self.__self__ if is_bound else self
        return show(self).replace(f"{id(owner):#x}", f"{STEP.number_of(owner):#x}")

    return shown
