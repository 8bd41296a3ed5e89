"""What a script holds: `scratchpad`, `console`, the results of calls, their exceptions; and what a scratchpad keeps.

`encode` and `decode` are inverse, deep and deterministic. JSON's own types are written unchanged; every other kept
type is an object with the key `$` for its tag: date, datetime, time (whose time zone comes back as its offset),
timedelta, Decimal, tuple, set, frozenset, a mapping with keys other than plain strings, and a dataclass (which comes
back as a dict of its fields).
"""

from __future__ import annotations

import json
import math
import posixpath
from collections.abc import Callable, MutableMapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from io import TextIOBase
from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.operations import Operation, Plain
from controlplane.sandbox.interface.records import FoundText, Record, Tree
from controlplane.sandbox.interface.tagged_values import TAG, NotKept, damaged, hashable

KEPT: Final = "str, int, float, bool, None, list, dict, tuple, set, frozenset, date, datetime, time, timedelta, Decimal"


def encode(value: Any, where: str = "scratchpad", depth: int = 0) -> Plain:
    """Return the tagged form of a value, `depth` levels deep in another. Raises `NotKept` that names the place, such as
    `scratchpad['k'][3]`."""
    kind = type(value)
    if value is None or kind is str or kind is bool:
        plain: Plain = value
        return plain
    if kind is int:
        return _encode_int(value, where)
    if kind is float:
        return value if math.isfinite(value) else {TAG: "float", "v": repr(value)}
    if depth >= bounds.MOST_SCRATCHPAD_LEVELS:
        msg = (
            f"{where} is nested deeper than {bounds.MOST_SCRATCHPAD_LEVELS} levels, or holds itself"
        )
        raise NotKept(msg)
    if issubclass(kind, dict):
        return _encode_dict(value, where, depth)
    if issubclass(kind, list):
        return _encode_items(value, where, depth + 1)
    for kept_type, write in _WRITERS:
        if issubclass(kind, kept_type):
            return write(value, where, depth + 1)
    if is_dataclass(value) and not isinstance(value, type):
        return _encode_dict(
            {field.name: getattr(value, field.name) for field in fields(kind)}, where, depth
        )
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return _encode_int(int.__int__(value), where)
    if issubclass(kind, float):
        return encode(float.__float__(value), where, depth)
    msg = f"{where} is of type {kind.__name__}, which cannot be kept; keep {KEPT} or a dataclass of these"
    raise NotKept(msg)


def _encode_int(value: int, where: str) -> Plain:
    if value.bit_length() > bounds.MOST_KEPT_BITS:
        msg = f"{where} is an integer of {value.bit_length()} bits; at most {bounds.MOST_KEPT_BITS} are kept"
        raise NotKept(msg)
    return value


def _encode_items(items: Any, where: str, depth: int) -> Plain:
    return [encode(item, f"{where}[{index}]", depth) for index, item in enumerate(items)]


def _encode_dict(value: dict[Any, Any], where: str, depth: int) -> Plain:
    if TAG not in value and all(type(key) is str for key in value):
        return {
            key: encode(item, f"{where}[{key!r}]", depth + 1) for key, item in dict.items(value)
        }
    pairs: list[Plain] = [
        [
            _encode_hashable(key, f"a key of {where}", depth + 1),
            encode(item, f"{where}[{key!r}]", depth + 1),
        ]
        for key, item in dict.items(value)
    ]
    return {TAG: "dict", "v": pairs}


def _encode_hashable(value: Any, where: str, depth: int) -> Plain:
    return hashable(encode(value, where, depth), where)


_Writer = Callable[[Any, str, int], Plain]


def _write_set(value: Any, where: str, depth: int) -> Plain:
    parts = [_encode_hashable(element, f"an element of {where}", depth) for element in value]
    parts.sort(
        key=lambda part: (
            (0, part, "") if type(part) in (int, float) else (1, 0, f"{type(part)} {part!r}")
        )
    )
    return {TAG: "set" if isinstance(value, set) else "frozenset", "v": parts}


_WRITERS: Final[tuple[tuple[Any, _Writer], ...]] = (
    (tuple, lambda value, where, depth: {TAG: "tuple", "v": _encode_items(value, where, depth)}),
    ((set, frozenset), _write_set),
    (datetime, lambda value, where, depth: {TAG: "datetime", "v": value.isoformat()}),
    (date, lambda value, where, depth: {TAG: "date", "v": value.isoformat()}),
    (time, lambda value, where, depth: {TAG: "time", "v": value.isoformat()}),
    (
        timedelta,
        lambda value, where, depth: {
            TAG: "timedelta",
            "v": [value.days, value.seconds, value.microseconds],
        },
    ),
    (Decimal, lambda value, where, depth: {TAG: "decimal", "v": str(value)}),
)


def decode(tagged: Plain) -> Any:
    """Return the value that `tagged` encodes. Raises `Damaged`."""
    if isinstance(tagged, list):
        return [decode(item) for item in tagged]
    if not isinstance(tagged, dict):
        return tagged
    tag = tagged.get(TAG)
    if tag is None:
        return {key: decode(item) for key, item in tagged.items()}
    try:
        return _READERS[str(tag)](tagged)
    except (KeyError, TypeError, ValueError, ArithmeticError, OSError) as error:
        raise damaged(tagged) from error


_Reader = Callable[[dict[str, Any]], Any]
_READERS: Final[dict[str, _Reader]] = {
    "float": lambda t: float(t["v"]),
    "dict": lambda t: {decode(key): decode(item) for key, item in t["v"]},
    "tuple": lambda t: tuple(decode(item) for item in t["v"]),
    "set": lambda t: {decode(item) for item in t["v"]},
    "frozenset": lambda t: frozenset(decode(item) for item in t["v"]),
    "datetime": lambda t: datetime.fromisoformat(t["v"]),
    "date": lambda t: date.fromisoformat(t["v"]),
    "time": lambda t: time.fromisoformat(t["v"]),
    "timedelta": lambda t: timedelta(*t["v"]),
    "decimal": lambda t: Decimal(t["v"]),
}


Ask = Callable[[str, list[Any]], Any]
"""Asks the parent: takes the kind of request and its parts, returns the parent's answer or raises its refusal."""


class HarnessError(Exception):
    """A call failed; `code` says how, `message` why."""

    def __init__(self, code: str = "unknown", message: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class CitationError(Exception):
    """A path that cannot be cited, or a reason that is too short."""


class GateRejection(Exception):
    """An answer that the gates rejected; the text says what to mend."""


EXCEPTIONS: Final = {kind.__name__: kind for kind in (HarnessError, CitationError, GateRejection)}


def result_type(operation: Operation, ask: Ask) -> type[Record]:
    """Return the type of an operation's results: a tree, a result whose `.json()` parses a field, or a plain result.

    `.json()` asks for the rest of a file whose beginning was read, where the operation declares how.
    """
    field = operation.json_field
    if operation.drawn_as_tree or not field:
        return Tree if operation.drawn_as_tree else FoundText if operation.finds else Record

    class Result(Record):
        """A result one of whose fields may hold JSON."""

        __slots__ = ()

        def json(self) -> Any:
            """Return the parsed content. Raises `ValueError` that names the path if it is not JSON."""
            text, part = self.get(field, ""), self
            while (
                operation.from_line and part.get("truncated") and part.get(field, "").endswith("\n")
            ):
                part = ask(
                    "call",
                    [operation.name, [self["path"]], {operation.from_line: text.count("\n") + 1}],
                )
                text += part[field]
            try:
                return json.loads(text)
            except ValueError as error:
                where = self.get("path", "the result")
                cut = " (it was truncated)" if self.get("truncated") else ""
                msg = f"{where} is no JSON{cut}: {error}"
                raise ValueError(msg) from None

    Result.__name__ = Result.__qualname__ = "Result"
    return Result


def wrapped(value: Any, kind: type[Record] = Record) -> Any:
    """Return a call's plain result with attribute access at every level."""
    if type(value) is dict:
        below = Tree if kind is Tree else Record
        return kind({key: wrapped(item, below) for key, item in value.items()})
    if type(value) is list:
        return [wrapped(item, kind if kind is Tree else Record) for item in value]
    return value


def parsed(result: dict[str, Any], operation: Operation) -> Any:
    """Return a call's plain result with its JSON field parsed, and with an object's keys beside the other keys; where
    it is the only field, its value alone."""
    field = operation.parsed_field
    if not field:
        return result
    data = json.loads(result[field]) if result.get(field) else None
    if len(operation.fields) == 1:
        return data
    return {**(data if type(data) is dict else {}), **result, field: data}


class Scratchpad(dict[str, Any]):
    """The dict that survives between steps. It refuses at once what it cannot keep, and names the key."""

    __slots__ = ("_ask", "_keep")

    def __init__(self, ask: Ask, keep: Callable[[], None]) -> None:
        """Cite by `ask`; `keep` sends the content to the parent."""
        self._ask, self._keep = ask, keep

    def __missing__(self, key: Any) -> Any:
        held = f"has {', '.join(map(repr, self))}" if self else "is empty"
        msg = f"the scratchpad has no {key!r}; it {held}"
        raise KeyError(msg)

    def __getattr__(self, name: str) -> Any:
        msg = f"the scratchpad has no attribute {name!r}; what it keeps are items: scratchpad[{name!r}]"
        raise AttributeError(msg)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            msg = f"a key of the scratchpad is a string, not {type(key).__name__}"
            raise TypeError(msg)
        encode(value, f"scratchpad[{key!r}]")
        super().__setitem__(str.__str__(key), value)

    update: Any = MutableMapping.update  # By assignments, each of which is judged.
    setdefault: Any = MutableMapping.setdefault

    def __ior__(self, other: Any) -> Scratchpad:  # type: ignore[override,misc] # as a dictionary's, of any mapping
        self.update(other)
        return self

    def copy(self) -> dict[str, Any]:
        """Return a plain dict with the same values."""
        return dict(self)

    def cite(self, path: Any, reason: Any = None, quote: Any = "") -> Any:
        """Cite a path that was read, with the reason: `cite(path, reason)`; return the spelling that is cited.

        A `quote` must be in what was read there, blanks and case aside. `cite([path, ...], reason)` and
        `cite({path: reason, ...})` cite several and return a list; a `CitationError` then names every path that cannot
        be cited, and the others are cited.
        """
        if isinstance(path, str) and isinstance(reason, str) and isinstance(quote, str):
            return self._cite(path, reason, quote)
        if quote:
            msg = "cite(path, reason, quote) takes three strings; a quotation goes with one path"
            raise TypeError(msg)
        if isinstance(path, dict) and reason is None:
            pairs = list(dict.items(path))
        else:
            pairs = [(one, reason) for one in (path if isinstance(path, (list, tuple)) else [path])]
        if not all(isinstance(one, str) and isinstance(why, str) for one, why in pairs):
            msg = "cite(path, reason) takes two strings; several paths are a list of strings, or a map to their reasons"
            raise TypeError(msg)
        spellings, faults = [], []
        for one, why in pairs:
            try:
                spellings.append(self._cite(one, why))
            except CitationError as error:
                faults.append(str(error))
        if faults:
            cited = f"\nThe other {len(spellings)} are cited." if spellings else ""
            raise CitationError("\n".join(faults) + cited)
        return spellings

    def _cite(self, path: str, reason: str, quote: str = "") -> str:
        spelling: str = self._ask("cite", [path, [reason, quote] if quote else reason])
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            refs = {}
            self["refs_why"] = refs
        refs[spelling] = reason
        self._keep()
        return spelling

    def cite_all(self, result: Any) -> Any:
        """Cite the references of a function result, or of several: what `harness.tools` returned."""
        several = result if isinstance(result, (list, tuple)) else [result]
        try:
            return self.cite({ref["path"]: ref["reason"] for one in several for ref in one["refs"]})
        except (TypeError, KeyError):
            msg = "cite_all(result) takes what a function of harness.tools returned"
            raise TypeError(msg) from None

    def uncite(self, *paths: str) -> bool:
        """Take citations back; return whether each of `paths`, in any spelling of its slashes and case, was cited."""
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            return False
        spellings = [_cited_as(path, refs) for path in paths]
        for spelling in spellings:
            refs.pop(spelling, None)
        self._keep()
        return all(spelling is not None for spelling in spellings)


def _cited_as(path: Any, refs: dict[str, Any]) -> str | None:
    """Return the spelling under which `refs` holds `path`, if it holds the path."""
    if not isinstance(path, str):
        msg = "uncite(path) takes strings"
        raise TypeError(msg)
    alike = [ref for ref in refs if isinstance(ref, str) and _folded(ref) == _folded(path)]
    return path if path in refs else alike[0] if len(alike) == 1 else None


def _folded(path: str) -> str:
    return posixpath.normpath("/" + path.strip().lstrip("/")).casefold()


class Console(TextIOBase):
    """Output in order, which is a step's `sys.stdout` and `sys.stderr`; `log` and its kin are `print`."""

    encoding = "utf-8"

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def write(self, text: str) -> int:
        """Print a text as it is."""
        if not isinstance(text, str):
            msg = f"write() argument must be str, not {type(text).__name__}"
            raise TypeError(msg)
        self._write(str.__str__(text))
        return len(text)

    def reconfigure(self, **options: Any) -> None:
        """Do nothing: the output is text, without an encoding to choose."""

    log = info = warn = warning = error = debug = staticmethod(print)
