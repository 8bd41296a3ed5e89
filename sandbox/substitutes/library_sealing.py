"""What keeps a step from altering the library for the next one: classes are immutable, the rest is put back.

For the process that runs scripts and nowhere else.
"""

from __future__ import annotations

import _csv
import _strptime  # type: ignore[import-not-found]
import abc
import calendar
import ctypes
import enum
import functools
import re
import struct
import sys
import typing
import urllib.parse
import zoneinfo
from collections.abc import Iterable, Sequence
from operator import is_
from typing import Any, Final

from sandbox.library.module_facades import Facade
from sandbox.library.read_only import ReadOnly

_TURNED: tuple[type, ...] = ()
"""From Python 3.14 on, a name in an annotation that is not there yet is an object whose class changes from one of these
to the other. Immutable classes do not let it; the attribute guard alone keeps a script from altering these two."""
if sys.version_info >= (3, 14):
    import annotationlib

    _TURNED = (annotationlib.ForwardRef, annotationlib._Stringifier)


def freeze_classes() -> list[type]:
    """Make every class of this process immutable, its public lists, dicts and sets included; return all of them."""
    offset = _FLAGS_WORD * ctypes.sizeof(ctypes.c_void_p)
    waiting: list[type] = [object]
    seen: dict[type, None] = {}
    while waiting:
        kind = waiting.pop()
        if kind in seen:
            continue
        seen[kind] = None
        waiting.extend(type.__subclasses__(kind))
        if kind.__flags__ & (_HEAP_TYPE | IMMUTABLE_TYPE) == _HEAP_TYPE and kind not in _TURNED:
            held = vars(kind)
            if not _FROZEN.keys().isdisjoint(map(type, held.values())):
                _freeze_public(kind, [(name, each) for name, each in held.items() if type(each) in _FROZEN])
            flags = ctypes.c_ulong.from_address(id(kind) + offset)
            if flags.value == kind.__flags__:  # An interpreter that lays types out otherwise is left alone.
                flags.value |= IMMUTABLE_TYPE
    return list(seen)


def _freeze_public(kind: type, altered: list[tuple[str, Any]]) -> None:
    for name, held in altered:
        if not name.startswith("_"):
            setattr(kind, name, _FROZEN[type(held)](held))


class Shared:
    """What of the library changes while scripts run, as it was before any script."""

    def __init__(self, handed_out: Iterable[Any], classes: Sequence[type]) -> None:
        shown: list[Any] = [each for each in handed_out if not isinstance(each, type | Facade)]
        for each in handed_out:
            shown += each.__members__.values() if isinstance(each, enum.EnumMeta) else ()
        held = [getattr(each, "__dict__", None) for each in shown]
        held += [each._value2member_map_ for each in classes if isinstance(each, enum.EnumMeta)]
        held.append(_csv._dialects)  # type: ignore[attr-defined]
        self._before = [(each, dict(each)) for each in held if type(each) is dict]
        self._abstract = [each for each in classes if isinstance(each, abc.ABCMeta)]
        kind = functools._lru_cache_wrapper
        modules = list(sys.modules.values())
        self._caches = {id(each): each for module in modules for each in vars(module).values() if type(each) is kind}

    def restore(self) -> None:
        """Undo what a library function did to one of them because a script handed it over."""
        for now, before in self._before:
            is_same = len(now) == len(before) and all(map(is_, now, before))
            if not is_same or not all(map(is_, now.values(), before.values())):
                now.clear()
                now.update(before)

    def forget(self, *, made_abstract: bool) -> None:
        """Forget what a script handed over to be remembered.

        A cache that keeps a key of the script would call its `__eq__` in a later step; an abstract class that once
        took a class for its own, because an abstract class that the script made said so, would stay with it.
        """
        for kind in self._abstract if made_abstract else ():
            abc.ABCMeta._abc_caches_clear(kind)  # type: ignore[attr-defined]
        for cache in self._caches.values():
            cache.cache_clear()
        for forget in typing._cleanups:  # type: ignore[attr-defined]
            forget()
        re.purge()
        urllib.parse.clear_cache()  # type: ignore[attr-defined]
        zoneinfo.ZoneInfo.clear_cache()
        _strptime._regex_cache.clear()
        _csv.field_size_limit(_LONGEST_FIELD)
        struct._clearcache()  # type: ignore[attr-defined]
        calendar.setfirstweekday(calendar.MONDAY)


_LONGEST_FIELD: Final = _csv.field_size_limit()
_HEAP_TYPE: Final = 1 << 9
IMMUTABLE_TYPE: Final = 1 << 8
"""Marks the classes of the library among all: no class of a script is frozen."""
_FLAGS_WORD: Final = 21
"""Where a type's flags lie in its structure, in words."""
_FROZEN: Final[dict[type, Any]] = {list: tuple, dict: ReadOnly, set: frozenset}
