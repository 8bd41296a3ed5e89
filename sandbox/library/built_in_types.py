"""Methods of built-in types, replaced for the whole process, and the data of the running step that they need.

Addresses that scripts could see are pinned: hashes by address become a constant, and reprs show `STEP.number_of`. To
keep a script from stale memory that CPython's own methods let it reach, a bytearray takes its numbers before it looks
at its memory, and a `UnicodeError` shows the place of a fault only if the place is in its text. Use this module only
in the process that runs scripts.
"""

from __future__ import annotations

import cmath
import ctypes
import gc
import hashlib
import math
import operator
import types
import weakref
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from sandbox.library.attribute_guard import AttributeGuard

_FLAGS: Final = object.__basicsize__ + 19 * ctypes.sizeof(ctypes.c_void_p)
"""The offset of the flags in the structure of a type, in bytes."""
_IMMUTABLE: Final = 1 << 8
_FIRST_NUMBER: Final = 0x5AB1E_0000_0040
"""Has as many digits as most addresses."""
_BOUND: Final = (types.BuiltinFunctionType, types.MethodWrapperType)
"""Types whose repr shows the address of a method's owner."""
_HASHED: Final = (object, types.MethodType, *_BOUND)
"""Types whose hash functions read an address; most other types inherit the function of `object`."""
_NANS: Final[Any] = ((float, math.isnan), (complex, cmath.isnan), (Decimal, Decimal.is_qnan))
"""Types whose hash functions read an address for a value that is not a number, and functions that find such values."""
_SHOWN: Final = (
    *(object, *_BOUND, types.FunctionType, memoryview),
    *(types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType, type(hashlib.sha256())),
)
"""Types whose repr functions show an address; most other types inherit the function of `object`."""
_BUFFERS: Final = (bytes, bytearray, memoryview)
_Method = Callable[..., Any]


class CurrentStep:
    """The state of the running step."""

    guard: AttributeGuard
    describe: Callable[[BaseException], str]
    """Returns the description of an exception, by lines of the script alone."""
    zone_data: Callable[[str], BinaryIO]
    """Returns the data of a time zone. Raises `ZoneInfoNotFoundError`."""
    numbered: dict[int, tuple[int, object]]

    def number_of(self, target: object) -> int:
        """Return the number of the object during the step: counted, so that a replay gives the same number.

        The object stays alive until the end of the step, so that no other object gets its number.
        """
        known = self.numbered.get(id(target))
        if known is None:
            known = self.numbered[id(target)] = (_FIRST_NUMBER + 0x40 * len(self.numbered), target)
        return known[0]

    def forget(self) -> Callable[[], object]:
        """Release everything of a finished step.

        The returned function gives None once nothing else holds objects of the step: every function of a script leads
        to its guard.
        """
        guard: AttributeGuard | None = self.__dict__.get("guard")
        self.__dict__.clear()
        self.numbered = {}
        return (lambda: None) if guard is None else weakref.ref(guard)


STEP: Final = CurrentStep()
STEP.numbered = {}
"""The running step; the modules that scripts import are built once and outlive steps."""


class NotReplaced(Exception):
    """This version of Python keeps its types in an unknown way."""

    def __init__(self, owner: type) -> None:
        super().__init__(f"methods of {owner.__name__!r} cannot be replaced in this version of Python")


def replace_methods(owner: type, methods: Mapping[str, Any]) -> None:
    """Replace methods of a type written in C. Raises `NotReplaced`, before it changes anything.

    The interpreter itself puts a special method into the slots of a type and of its subclasses, as it does for a class
    written in Python, while the mark that makes the type immutable is removed.
    """
    flags = ctypes.c_ulong.from_address(id(owner) + _FLAGS)
    if flags.value != owner.__flags__:
        raise NotReplaced(owner)
    (namespace,) = gc.get_referents(owner.__dict__)
    namespace.update(methods)  # From Python 3.12 on, the interpreter sets attributes of these types elsewhere.
    mark = flags.value & _IMMUTABLE
    flags.value -= mark
    for name, method in methods.items():
        if type(method) is types.FunctionType:
            method.__name__ = method.__qualname__ = name  # What messages call it.
        setattr(owner, name, method)
    flags.value |= mark  # The interpreter has changed other flags meanwhile.


def install() -> None:
    """Replace all these methods in this process. Raises `NotReplaced`.

    Objects that were put into a frozenset before may not be found there again.
    """
    _pin_hashes()
    for shown in _SHOWN:
        replace_methods(shown, {"__repr__": _numbered(vars(shown)["__repr__"], shown in _BOUND)})
    for sample in (object(), iter(""), [].append, [].__len__, install, memoryview(b""), (_ for _ in "")):
        if f"{STEP.number_of(sample):#x}"[:7] not in repr(sample):
            raise NotReplaced(type(sample))
    if any(map(hash, (int, len, [].__len__, install, STEP.forget, math.nan, complex(math.nan), Decimal("nan")))):
        raise NotReplaced(object)
    STEP.forget()
    replace_methods(bytearray, _BYTEARRAY)
    for kind, text in ((UnicodeDecodeError, bytes), (UnicodeEncodeError, str), (UnicodeTranslateError, str)):
        replace_methods(kind, {"__str__": _describing(kind, text)})
    for name, *faulty in (("contains", ""), ("delitem", 0), ("mod", 0), ("setitem", 0, 0)):
        try:
            getattr(operator, name)(bytearray(), *faulty)
        except (IndexError, TypeError) as error:  # It comes through a line of this module.
            if error.__traceback__ is None or error.__traceback__.tb_next is None:
                raise NotReplaced(bytearray) from None


def _pin_hashes() -> None:
    holders = [held for held in gc.get_objects() if type(held) is dict or type(held) is set]
    moved = [held for held in holders if not {str}.issuperset(map(type, held))]
    for hashed in _HASHED:
        replace_methods(hashed, {"__hash__": lambda self, /: 0})
    for kind, is_nan in _NANS:
        replace_methods(kind, {"__hash__": _hash_of_numbers(vars(kind)["__hash__"], is_nan)})
    for held in moved:
        kept = list(held.items() if type(held) is dict else held)
        held.clear()
        held.update(kept)


def _hash_of_numbers(read: Callable[[Any], int], is_nan: Callable[[Any], bool]) -> Callable[[Any], int]:
    return lambda self, /: 0 if is_nan(self) else read(self)


def _numbered(show: Callable[[Any], str], is_bound: bool) -> Callable[[Any], str]:
    def shown(self: Any, /) -> str:
        owner = self.__self__ if is_bound else self
        return show(self).replace(f"{id(owner):#x}", f"{STEP.number_of(owner):#x}")

    return shown


def _describing(kind: type[Exception], text: type) -> _Method:
    """Return the `__str__` of a kind of `UnicodeError` whose fault is in `text`."""
    describe, fields = kind.__str__, {name: vars(kind)[name].__get__ for name in ("object", "start", "reason")}
    encoding = vars(kind)["encoding"].__get__ if "encoding" in vars(kind) else lambda error: None

    def shown(self: Any, /) -> str:
        held, start, reason = (read(self) for read in fields.values())
        is_sound = (
            issubclass(type(held), text)
            and start >= 0
            and {type(reason), type(encoding(self))} <= {str, types.NoneType}
        )
        return describe(self) if is_sound else BaseException.__str__(self)

    return shown


def _number(value: Any) -> Any:
    """Return the plain number of an index or a bound; None stays."""
    return None if value is None else operator.index(value)


def _place(index: Any) -> Any:
    """Return an index or a slice of plain numbers."""
    if type(index) is slice:
        return slice(_number(index.start), _number(index.stop), _number(index.step))
    return operator.index(index)


def _settled(value: Any) -> Any:
    """Return an argument that runs no code when it is asked for its number or its bytes."""
    kind = type(value)
    if kind is tuple:
        return tuple(map(_settled, value))
    if issubclass(kind, _BUFFERS):
        return value
    if hasattr(kind, "__buffer__"):  # From Python 3.12 on, a class may define this method.
        return bytes(memoryview(value))
    return operator.index(value) if hasattr(kind, "__index__") else value


def _searching(method: _Method) -> _Method:
    def search(self: Any, sub: Any, start: Any = None, end: Any = None, /) -> Any:
        bounds = _number(start), _number(end)
        return method(self, _settled(sub), *bounds)

    return search


def _taking(method: _Method) -> _Method:
    def take(self: Any, /, *arguments: Any, **named: Any) -> Any:
        return method(self, *map(_settled, arguments), **{name: _settled(value) for name, value in named.items()})

    return take


_SET: Final[_Method] = bytearray.__setitem__
_DELETE: Final[_Method] = bytearray.__delitem__


def _set_item(self: Any, index: Any, value: Any, /) -> None:
    place = _place(index)  # Bytes for a slice are copied before anything is written.
    _SET(self, place, value if type(place) is slice else operator.index(value))


def _delete_item(self: Any, index: Any, /) -> None:
    _DELETE(self, _place(index))


def _format(self: Any, values: Any, /) -> Any:
    return bytearray(bytes(self) % values)


def _format_other(self: Any, form: Any, /) -> Any:
    return bytearray(bytes(form) % self) if issubclass(type(form), bytearray) else NotImplemented


_SEARCHES: Final = ("find", "rfind", "index", "rindex", "count", "startswith", "endswith")
_TAKERS: Final = (
    *("split", "rsplit", "partition", "rpartition", "replace", "translate", "strip", "lstrip", "rstrip"),
    *("removeprefix", "removesuffix", "__contains__"),
)
_BYTEARRAY: Final[dict[str, _Method]] = {
    **{name: _searching(getattr(bytearray, name)) for name in _SEARCHES},
    **{name: _taking(getattr(bytearray, name)) for name in _TAKERS},
    "__setitem__": _set_item,
    "__delitem__": _delete_item,
    "__mod__": _format,
    "__rmod__": _format_other,
}
