"""The `scratchpad` of a script, and how its content is kept from one step to the next."""

from __future__ import annotations

import json
import math
import posixpath
from collections.abc import Callable, MutableMapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, TypeAlias

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.json_documents import is_larger
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.tagged_values import (
    CONTENT,
    TAG,
    NotKept,
    check_hashable,
    damaged,
)

# The arguments with which scripts cite: paths, lists of paths, and results of calls.


def _path_of_result(result: dict[Any, Any]) -> Any:
    """Return the path of a read's result, its item `path`; any other dict as it is."""
    path = result.get("path")
    return path if isinstance(path, str) else result


def _reasons_of_results(result: Any) -> dict[Any, Any]:
    """Return the references of one or several results of `harness.tools` functions.

    A result has them as `refs`: `[{"path": "/a.md", "reason": "states the limit"}]`
    becomes `{"/a.md": "states the limit"}`. Raises `TypeError` or `KeyError` for
    anything else.
    """
    results = result if isinstance(result, (list, tuple)) else [result]
    reasons = {}
    for function_result in results:
        for reference in function_result["refs"]:
            reasons[reference["path"]] = reference["reason"]
    return reasons


def _paths_with_reasons(paths: Any, reason: Any) -> list[tuple[str, str]]:
    """Return pairs of a path and a reason for all forms of arguments of `cite`.

    `["/a.md", "/b.md"], "rules"` -> `[("/a.md", "rules"), ("/b.md", "rules")]`, and a
    mapping of paths to reasons becomes its items. Raises `TypeError` for anything else.
    """
    if isinstance(paths, dict) and reason is None:
        # Not `paths.items()`: a result may have a key `items`, which would be returned.
        citations = list(dict.items(paths))
    elif isinstance(paths, (list, tuple)):
        citations = [(path, reason) for path in paths]
    else:
        citations = [(paths, reason)]

    for path, path_reason in citations:
        if not isinstance(path, str) or not isinstance(path_reason, str):
            msg = (
                "cite(path, reason) takes two strings; "
                "several paths are a list of strings, or a map to their reasons"
            )
            raise TypeError(msg)
    return citations


def _cited_spelling(path: Any, refs: dict[str, Any]) -> str | None:
    """Return the spelling in which a path is cited: for `Docs/a.md`, perhaps `/docs/a.md`.

    None if it is not cited, or if it could stand for several cited paths.
    """
    if not isinstance(path, str):
        msg = "uncite(path) takes strings"
        raise TypeError(msg)
    if path in refs:
        return path

    similar_refs = []
    for ref in refs:
        if isinstance(ref, str) and _folded_path(ref) == _folded_path(path):
            similar_refs.append(ref)
    return similar_refs[0] if len(similar_refs) == 1 else None


def _folded_path(path: str) -> str:
    """Return a path for comparison: ` Docs//a.md` -> `/docs/a.md`."""
    return posixpath.normpath("/" + path.strip().lstrip("/")).casefold()


# Encodes the values of a scratchpad as JSON, to keep them from one step to the next.
#
# JSON's own types are written as they are. Every other kept type becomes an object with a
# tag `$` and a value `v`:
#
#     date(2026, 1, 1)   -> {"$": "date", "v": "2026-01-01"}
#     (1, 2)             -> {"$": "tuple", "v": [1, 2]}
#     {1: "a"}           -> {"$": "dict", "v": [[1, "a"]]}      since JSON's keys are texts
#     float("inf")       -> {"$": "float", "v": "inf"}

_KEPT_TYPES: Final = (
    "str, int, float, bool, None, list, dict, tuple, set, frozenset, "
    "date, datetime, time, timedelta, Decimal"
)


_TIMES: Final[dict[str, Any]] = {"datetime": datetime, "date": date, "time": time}
"""Kinds of times by their tags. `datetime` comes before `date`: a datetime is a date, too."""

_SEQUENCES: Final[dict[str, Any]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
}
"""Kinds of collections by their tags."""


def encode(value: Any, place: str = "scratchpad", depth: int = 0) -> Plain:
    """Return the encoded form of a value.

    `place` names it in errors, such as `scratchpad['orders'][3]`,
    and `depth` is the number of lists and mappings around it. Raises `NotKept`
    if the value cannot be kept.
    """
    # 1. The types of most values, with the cheapest checks.
    kind = type(value)
    if value is None or kind is str or kind is bool:
        plain: Plain = value
        return plain
    if kind is int:
        return _encode_int(value, place)
    if kind is float:
        return _encode_float(value)

    # 2. Collections, also those of a script's own classes.
    if depth >= bounds.MOST_SCRATCHPAD_LEVELS:
        levels = bounds.MOST_SCRATCHPAD_LEVELS
        msg = f"{place} is nested deeper than {levels} levels, or holds itself"
        raise NotKept(msg)
    if issubclass(kind, dict):
        return _encode_dict(value, place, depth + 1)
    if issubclass(kind, list):
        return _encode_items(value, place, depth + 1)
    if issubclass(kind, tuple):
        return _tagged("tuple", _encode_items(value, place, depth + 1))
    if issubclass(kind, set):
        return _tagged("set", _encode_elements(value, place, depth + 1))
    if issubclass(kind, frozenset):
        return _tagged("frozenset", _encode_elements(value, place, depth + 1))

    # 3. Everything else.
    return _encode_other(value, place, depth)


def _encode_other(value: Any, place: str, depth: int) -> Plain:
    """Return the encoded form of a time, a Decimal, a dataclass, or a member of an enumeration.

    `Decimal("1.50")` -> `{"$": "decimal", "v": "1.50"}`. A dataclass becomes a mapping of its
    fields. Raises `NotKept` for a value of any other type; `place` names it in the message.
    """
    kind = type(value)
    for tag, kind_of_time in _TIMES.items():
        if issubclass(kind, kind_of_time):
            return _tagged(tag, value.isoformat())
    if issubclass(kind, timedelta):
        return _tagged("timedelta", [value.days, value.seconds, value.microseconds])
    if issubclass(kind, Decimal):
        return _tagged("decimal", str(value))

    if is_dataclass(kind):
        field_values = {
            field.name: getattr(value, field.name) for field in fields(kind)
        }
        return _encode_dict(field_values, place, depth + 1)

    # Subclasses of the plain types, for example members of a `StrEnum`. They are kept
    # as a plain text or number, because the next step does not have the script's class.
    # The methods are those of the plain type, because the class may override them.
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return _encode_int(int.__int__(value), place)
    if issubclass(kind, float):
        return _encode_float(float.__float__(value))

    name = kind.__name__
    msg = f"{place} is of type {name}, which cannot be kept; keep {_KEPT_TYPES} or a dataclass of these"
    raise NotKept(msg)


def _tagged(tag: str, content: Plain) -> Plain:
    """Return a value with the name of its type: `{"$": "date", "v": "2026-01-01"}`."""
    return {TAG: tag, CONTENT: content}


def _encode_int(value: int, place: str) -> Plain:
    """Return an integer. Raises `NotKept` if it has more digits than Python writes."""
    bits = value.bit_length()
    if bits > bounds.MOST_KEPT_BITS:
        msg = f"{place} is an integer of {bits} bits; at most {bounds.MOST_KEPT_BITS} are kept"
        raise NotKept(msg)
    return value


def _encode_float(value: float) -> Plain:
    """Return a float. JSON has neither infinity nor NaN, which are tagged texts."""
    if math.isfinite(value):
        return value
    return _tagged("float", repr(value))


def _encode_items(items: Any, place: str, depth: int) -> Plain:
    """Return a list of the encoded items of a list or a tuple.

    `depth` is the number of lists and mappings around each item.
    """
    encoded: list[Plain] = []
    for index, item in enumerate(items):
        encoded.append(encode(item, f"{place}[{index}]", depth))
    return encoded


def _encode_dict(value: dict[Any, Any], place: str, depth: int) -> Plain:
    """Return a mapping as a JSON object if all its keys are texts, and otherwise as tagged pairs.

    `{1: "a"}` -> `{"$": "dict", "v": [[1, "a"]]}`. A key `$` would look like a tag, so a
    mapping with that key becomes pairs, too. `depth` is that of the keys and items.
    """
    has_plain_keys = TAG not in value and all(type(key) is str for key in value)
    if has_plain_keys:
        encoded: dict[str, Plain] = {}
        # `dict.items(value)`, because a script's own kind of dict may override `items`.
        for key, item in dict.items(value):
            encoded[key] = encode(item, f"{place}[{key!r}]", depth)
        return encoded

    pairs: list[Plain] = []
    for key, item in dict.items(value):
        encoded_key = _encode_hashable(key, f"a key of {place}", depth)
        encoded_item = encode(item, f"{place}[{key!r}]", depth)
        pairs.append([encoded_key, encoded_item])
    return _tagged("dict", pairs)


def _encode_hashable(value: Any, place: str, depth: int) -> Plain:
    """Return the encoded form of a key or of an element of a set.

    Raises `NotKept` if the decoded value could not be one, such as a dataclass, which
    becomes a dict.
    """
    encoded = encode(value, place, depth)
    check_hashable(encoded, place)
    return encoded


def _encode_elements(elements: Any, place: str, depth: int) -> Plain:
    """Return a list of the encoded elements of a set, always in the same order.

    Numbers come first, by size. All others follow by type, and within a type by
    their encoded form as a text, because values such as `None` and tagged objects
    cannot be compared otherwise.
    """
    numbers: list[Any] = []
    others: list[Plain] = []
    for element in elements:
        encoded = _encode_hashable(element, f"an element of {place}", depth)
        if type(encoded) in (int, float):
            numbers.append(encoded)
        else:
            others.append(encoded)
    numbers.sort()
    others.sort(key=lambda encoded: f"{type(encoded)} {encoded!r}")
    return [*numbers, *others]


# Decodes the values of a scratchpad that an earlier step has kept.
#
# The result equals what was encoded, with three exceptions: a dataclass comes back as a
# dict of its fields, the time zone of a time as its offset, and an object of a subclass
# (such as a member of a `StrEnum`) as one of the plain type.


def decode(encoded: Plain) -> Any:
    """Return the value of an encoded form. Raises `Damaged` if it is not one."""
    if isinstance(encoded, list):
        return [decode(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    if encoded.get(TAG) is None:  # a mapping without a tag
        return {key: decode(item) for key, item in encoded.items()}
    try:
        return _decode_tagged(str(encoded[TAG]), encoded[CONTENT])
    except (KeyError, TypeError, ValueError, ArithmeticError, OSError) as error:
        raise damaged(encoded) from error


def _decode_tagged(tag: str, content: Any) -> Any:
    """Return the value of a tag with its content.

    Raises `KeyError` for an unknown tag, and the errors
    of the types for a content of another form.
    """
    if tag in _SEQUENCES:
        return _SEQUENCES[tag](decode(item) for item in content)
    if tag in _TIMES:
        return _TIMES[tag].fromisoformat(content)
    match tag:
        case "dict":
            return {decode(key): decode(item) for key, item in content}
        case "timedelta":
            days, seconds, microseconds = content
            return timedelta(days, seconds, microseconds)
        case "decimal":
            return Decimal(content)
        case "float":
            return float(content)
        case _:
            raise KeyError(tag)


# The exceptions that calls of `harness` and `scratchpad` raise in a script.


class HarnessError(Exception):
    """A call failed; `code` says how, `message` why."""

    def __init__(self, code: str = "unknown", message: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class CitationError(Exception):
    """A path that cannot be cited, or a reason that is too short."""


class GateRejection(Exception):
    """An answer that the gates, its checks, rejected; the text says what to change."""


EXCEPTIONS: Final = {
    "HarnessError": HarnessError,
    "CitationError": CitationError,
    "GateRejection": GateRejection,
}
"""The exceptions as builtins of a script."""


# `scratchpad`: the dict of a script whose content survives between the steps of a trial.
#
# It also collects the citations of the answer: `scratchpad.cite("/rules.md",
# "states the limit")` asks the parent whether the path was read, and then adds it
# to `scratchpad["refs_why"]`.

Cite: TypeAlias = Callable[[str, str, str], str]
"""Asks the parent to cite a path, with a reason and a quotation. Returns the path as the
parent spells it (`docs/a.md` -> `/docs/a.md`), or raises `CitationError`."""


class Scratchpad(dict[str, Any]):
    """The dict that survives between steps. It refuses at once what it cannot keep."""

    __slots__ = ("_request_citation", "_send_to_parent")

    def __init__(
        self, request_citation: Cite, send_to_parent: Callable[[], None]
    ) -> None:
        """`send_to_parent` sends the current content to the parent."""
        self._request_citation = request_citation
        self._send_to_parent = send_to_parent

    def __missing__(self, key: Any) -> Any:
        content = f"has {', '.join(map(repr, self))}" if self else "is empty"
        msg = f"the scratchpad has no {key!r}; it {content}"
        raise KeyError(msg)

    def __getattr__(self, name: str) -> Any:
        msg = (
            f"the scratchpad has no attribute {name!r}; "
            f"what it keeps are items: scratchpad[{name!r}]"
        )
        raise AttributeError(msg)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            msg = f"a key of the scratchpad is a string, not {type(key).__name__}"
            raise TypeError(msg)
        encode(value, f"scratchpad[{key!r}]")  # Raises if the value cannot be kept.
        super().__setitem__(str.__str__(key), value)

    # The methods of `dict` would not call `__setitem__`, and so not check the values. These do.
    update: Any = MutableMapping.update
    setdefault: Any = MutableMapping.setdefault

    def __ior__(self, other: Any) -> Scratchpad:  # type: ignore[override,misc] # of any mapping
        self.update(other)
        return self

    def copy(self) -> dict[str, Any]:
        """Return a plain dict with the same values."""
        return dict(self)

    def cite(self, path: Any, reason: Any = None, quote: Any = "") -> Any:
        """Cite one path that was read, or several, with the reason.

        The forms of a call:

            cite("/a.md", reason)               returns the path as the parent spells it
            cite("/a.md", reason, quote)        the quotation must be in the text that was read
            cite(harness.read(path), reason)    cites the path of the result
            cite(["/a.md", "/b.md"], reason)    returns a list of paths
            cite({"/a.md": reason, ...})        returns a list of paths

        White space and case of a quotation do not matter. If some of several paths
        cannot be cited, the others are, and a `CitationError` names those that cannot.
        """
        if isinstance(path, dict) and reason is not None:
            path = _path_of_result(path)
        if isinstance(path, str) and isinstance(reason, str) and isinstance(quote, str):
            return self._cite_one(path, reason, quote)
        if quote:
            msg = "cite(path, reason, quote) takes three strings; a quotation goes with one path"
            raise TypeError(msg)
        return self._cite_several(_paths_with_reasons(path, reason))

    def _cite_one(self, path: str, reason: str, quote: str = "") -> str:
        """Cite one path. Raises `CitationError`."""
        spelling = self._request_citation(path, reason, quote)
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            refs = {}
            self["refs_why"] = refs
        refs[spelling] = reason
        self._send_to_parent()
        return spelling

    def _cite_several(self, citations: list[tuple[str, str]]) -> list[str]:
        """Cite every path that can be cited. Raises `CitationError` for the others."""
        spellings: list[str] = []
        faults: list[str] = []
        for path, reason in citations:
            try:
                spellings.append(self._cite_one(path, reason))
            except CitationError as error:
                faults.append(str(error))

        if faults:
            message = "\n".join(faults)
            if spellings:
                message += f"\nThe other {len(spellings)} are cited."
            raise CitationError(message)
        return spellings

    def cite_all(self, result: Any) -> Any:
        """Cite the references of one or several results of `harness.tools` functions.

        A result has them as `refs`, such as
        `[{"path": "/a.md", "reason": "states the limit"}]`.
        """
        try:
            # Raises `TypeError`, too, if the paths and reasons are not texts.
            return self.cite(_reasons_of_results(result))
        except (TypeError, KeyError):
            msg = "cite_all(result) takes what a function of harness.tools returned"
            raise TypeError(msg) from None

    def uncite(self, *paths: str) -> bool:
        """Remove citations. Returns True if every one of `paths` was cited.

        Slashes and case need not match: `uncite("Docs/a.md")` removes `/docs/a.md`.
        """
        refs = self.get("refs_why")
        if not isinstance(refs, dict):
            return False

        # Look up all paths before removing one: after a `TypeError`, nothing has changed.
        spellings = [_cited_spelling(path, refs) for path in paths]
        for spelling in spellings:
            refs.pop(spelling, None)
        self._send_to_parent()
        return None not in spellings  # None stands for a path that was not cited.


SCRATCHPAD_METHODS: Final = ("cite", "cite_all", "uncite")
"""What a script may call as `scratchpad.NAME(...)`, beside the methods of a dict."""


# The scratchpad as it was last sent to the parent. It is sent again only if it has changed.
#
# The scratchpad is the dict in which a script keeps what later scripts need. The parent stores it,
# because this process may end at any time.

_SHOWN_KEY_CHARS: Final = 80


class SentScratchpad:
    """Compares the scratchpad of a step with its form that was sent to the parent last."""

    def __init__(self, scratchpad: dict[str, Any], max_bytes: int) -> None:
        self._scratchpad = scratchpad
        self._max_bytes = max_bytes
        self._sent: Plain = None
        """The encoded scratchpad that was sent last, or that the next message will send."""

    def fill(self, encoded: Plain) -> None:
        """Give the scratchpad the content that it had at the end of the last step.

        Raises `Damaged` if it cannot be read; then the scratchpad stays empty.
        """
        self._sent = encoded
        dict.update(self._scratchpad, decode(encoded))

    def take_changed(self) -> Plain:
        """Return the encoded scratchpad if it changed since it was last sent, otherwise None.

        From then on it counts as sent, so the caller must send it with the next message.
        Raises an error if the scratchpad cannot be kept. Methods of its values, which a script
        may have written, may raise any other.
        """
        if not self._scratchpad and self._sent == {}:
            return None  # The same as below, sooner: many scripts keep nothing.
        encoded = encode(dict(self._scratchpad))
        if encoded == self._sent:
            return None
        _check_size(encoded, self._max_bytes)
        self._sent = encoded
        return encoded

    def copy(self) -> dict[str, Any]:
        """Return a copy with the values that the parent and the next step get.

        They are encoded and decoded: a dataclass becomes a dict.
        """
        copy: dict[str, Any] = decode(encode(dict(self._scratchpad)))
        return copy


def _check_size(encoded: Any, max_bytes: int) -> None:
    """Raise `ValueError` if an encoded scratchpad is too large.

    The message names its largest key.
    """
    # The JSON of a key is a list with the key and its value: `["rows", [1, 2]]`.
    json_by_key = {
        key: json.dumps([key, value]).encode() for key, value in encoded.items()
    }
    all_json = b"".join(json_by_key.values())
    size = len(all_json)

    # `is_larger` counts lists and mappings, also the list made above for each key. The
    # scratchpad itself does not have these, so that many more are allowed.
    lists_made_here = len(json_by_key)
    has_too_many_parts = is_larger(
        all_json, bounds.MOST_SCRATCHPAD_PARTS + lists_made_here
    )

    if size > max_bytes:
        fault = f"{size} bytes, at most {max_bytes} are kept"
    elif has_too_many_parts:
        fault = f"more than {bounds.MOST_SCRATCHPAD_PARTS} lists and mappings"
    else:
        return
    largest_key = max(json_by_key, key=lambda key: len(json_by_key[key]))
    msg = f"the scratchpad has {fault}; its largest key is {largest_key[:_SHOWN_KEY_CHARS]!r}"
    raise ValueError(msg)
