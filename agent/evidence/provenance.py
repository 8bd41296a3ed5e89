"""Where the arguments of a changing call come from: the request, the rules, data, running text, or nowhere.

Every text that came in is kept with its place, as data or as running text. A telling value of an argument is looked up
in them and counts for the most trusted place that holds it. Nothing here reads a sentence: a text is data if its form
is, as JSON, a table or `key: value` lines are, or if it is a short field of such data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum, auto
from itertools import islice
from typing import Final, NamedTuple

from controlplane.sandbox.interface import Plain, ResultFields, bounds

MOST_WORDS: Final = 8
"""Words of a field of data that is no running text yet; docs/provenance.md has the curve by which it was chosen."""
LEAST_CHARS: Final = 3
"""Characters of a text that tells something: shorter ones stand everywhere."""


class Origin(IntEnum):
    """The places that can hold a value, the most trusted first."""

    ASKED = auto()
    """The request, its hints, and earlier questions of the user."""
    RULES = auto()
    """The workspace's rules document."""
    RECORD = auto()
    """A field of parsed data, a listing, a path, or a result that is declared trusted."""
    MADE = auto()
    """Nowhere: the script's own."""
    PROSE = auto()
    """Running text."""


PROSE: Final = "prose: "
"""Begins the origin of an argument with a value that stands in running text alone."""
MODES: Final = ("ask", "block", "approve", "off")
"""What happens to a changing call with a value of running text alone: it is held once; it is never sent; the user
decides; it is sent."""


@dataclass(frozen=True, slots=True)
class ProvenancePolicy:
    """What happens to a changing call with a value that is in running text alone."""

    modes: Mapping[str, str] = field(default_factory=dict)
    """One of `MODES` by operation, that of all others under an empty name; none: `off`."""
    trusted: frozenset[str] = frozenset()
    """Operations whose results are data, whatever their form."""
    telling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By operation, the only arguments that matter."""
    approve: Callable[[str], bool] | None = None
    """Asks the user about a call, by the message; None if nobody can be asked."""

    @classmethod
    def parse(cls, text: str, approve: Callable[[str], bool] | None = None) -> ProvenancePolicy:
        """Return the policy in a setting such as `ask,send_money=block,get_iban=trusted,send_money=only:recipient`.
        Raises `ValueError`."""
        modes, telling, trusted = {"": "ask"}, dict[str, tuple[str, ...]](), set[str]()
        for part in filter(None, map(str.strip, text.split(","))):
            name, equals, value = part.rpartition("=")
            kind, _, arguments = value.partition(":")
            if value in MODES and bool(name) == bool(equals):
                modes[name] = value
            elif name and value == "trusted":
                trusted.add(name)
            elif name and kind == "only" and arguments:
                telling[name] = tuple(arguments.split("+"))
            else:
                forms = ", ".join(
                    (*MODES, "OPERATION=MODE", "OPERATION=trusted", "OPERATION=only:ARG+ARG")
                )
                msg = f"{part!r} is none of {forms}"
                raise ValueError(msg)
        return cls(modes, frozenset(trusted), telling, approve)

    def mode_of(self, operation: str) -> str:
        """Return the mode for calls of an operation."""
        return self.modes.get(operation, self.modes.get("", "off"))


class _Texts(NamedTuple):
    """The texts of one origin that came in at one place."""

    place: str
    origin: Origin
    written: str
    """The texts one after the other; a line with a NUL is between two."""
    folded: str
    """The form in which values are looked up."""

    def find(self, forms: Iterable[str]) -> int:
        """Return where one of the forms stands; -1 if nowhere. A short form is a whole field of a record."""
        for form in forms:
            is_field = self.origin is Origin.RECORD and len(form) < LEAST_CHARS
            if (at := find_whole(self.folded, f"\n{form}\n" if is_field else form)) >= 0:
                return at
        return -1

    def describe(self, at: int) -> str:
        """Return the place of a line, with its number if its text has several, and the line."""
        number = self.folded.count("\n", self.folded.rfind("\0", 0, at) + 1, at + 1)
        _, *lines, _ = self.written.split("\0")[self.folded.count("\0", 0, at)].split("\n")
        place = f"{self.place}, line {number}" if len(lines) > 1 else self.place
        # Characters of the line around a value that are shown.
        return f"{place}, not in the request: “{lines[number - 1].strip()[:160]}”"


class Provenance:
    """The texts of one trial by their trust."""

    def __init__(self) -> None:
        self.policy = ProvenancePolicy()
        self._texts: list[_Texts] = []
        self._kept = 0
        self._new: list[tuple[str, object, Origin | None]] = []
        """What came in since an origin was looked up. Most trials look up few, and taking results apart costs time."""
        self._new_chars = 0

    def add(self, place: str, value: object, origin: Origin | None = None) -> None:
        """Keep a text, or what a call returned; without a known origin, each of its texts as data or as prose."""
        self._new.append((place, value, origin))
        self._new_chars += len(value.body if isinstance(value, ResultFields) else str(value))
        if self._new_chars > 160_000 - self._kept // 8:  # so that a look-up takes less than 2 ms
            self._take_in()

    def _take_in(self) -> None:
        for place, value, origin in self._new:
            texts, fields = _texts_and_fields(value)
            data = dict.fromkeys(text for text in texts if origin or is_data(text, is_field=False))
            for text in fields:  # A short one has no room for more words.
                if origin or len(text) < 2 * MOST_WORDS or is_data(text, is_field=True):
                    data[text] = None
            prose = [text for text in (*texts, *fields) if text not in data]
            for own, several in ((origin or Origin.RECORD, data), (Origin.PROSE, prose)):
                written = "\n\0\n".join(text.replace("\0", " ") for text in several)
                self._kept += len(written)
                if several and self._kept <= bounds.MOST_TRACED_CHARS:
                    self._texts.append(
                        _Texts(place, own, f"\n{written}\n", f"\n{written.casefold()}\n")
                    )
        self._new.clear()
        self._new_chars = 0

    def origins(
        self, arguments: Mapping[str, Plain], *, telling: Sequence[str] = (), own: str = ""
    ) -> dict[str, str]:
        """Return the origin of each argument of a call, of those named in `telling` if any are: the name of that of its
        least trusted telling value, which is told with its place after `PROSE`.

        `own` is the place of a file that the call changes: what was in the file may be there again.
        """
        self._take_in()
        by_trust = [
            (min(texts.origin, Origin.RECORD) if texts.place == own else texts.origin, texts)
            for texts in self._texts
        ]
        by_trust.sort(key=lambda pair: pair[0])
        found = {}
        for name in telling or arguments:
            values = dict.fromkeys(telling_values(arguments.get(name)))
            origins = [
                self._origin_of(one, by_trust) for one in islice(values, bounds.MOST_TRACED_VALUES)
            ]
            if origins:
                origin, where = max(origins)
                found[name] = where or origin.name.lower()
        return found

    def _origin_of(
        self, value: str, by_trust: Iterable[tuple[Origin, _Texts]]
    ) -> tuple[Origin, str]:
        forms, begin = forms_of(value), f"{PROSE}{value!r} stands only in the text of "
        for origin, texts in by_trust:
            if (at := texts.find(forms)) >= 0:
                return origin, begin + texts.describe(at) if origin is Origin.PROSE else ""
        if self._kept > bounds.MOST_TRACED_CHARS:
            return Origin.PROSE, f"{begin}what was read beyond {bounds.MOST_TRACED_CHARS >> 20} MB"
        return Origin.MADE, ""


def _texts_and_fields(value: object) -> tuple[list[str], list[str]]:
    """Return the texts in a result, and the texts and numbers in its data, also in that of JSON in a text."""
    texts, data = list[str](), list[object]()
    for one in (list(value), *value.values()) if isinstance(value, Mapping) else (value,):
        parsed: object = None
        if isinstance(one, str) and one.lstrip().startswith(("{", "[", '"', "-", *"0123456789")):
            with suppress(ValueError, RecursionError):
                parsed = json.loads(one)
        if isinstance(parsed, str) and "\n" in parsed:
            texts.append(parsed)
        elif isinstance(one, str) and parsed is None:
            texts.append(one)
        else:
            data.append(one if parsed is None else parsed)
    return texts, [*_fields_of(data)]


def _fields_of(data: object) -> Iterable[str]:
    """Return the texts, numbers and names in data, each once."""
    fields, waiting = dict[str, None](), [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            fields[one] = None
        elif isinstance(one, dict):
            fields |= dict.fromkeys(one)
            waiting.extend(one.values())
        elif isinstance(one, list | tuple):
            waiting.extend(reversed(one))
        elif one is not None and not isinstance(one, bool):
            fields[str(one)] = None
    return fields


def is_data(text: str, *, is_field: bool) -> bool:
    """Say whether a text is data by its form: a short field; lines of a table, with as many separators and few words
    between two, or of `key: value` or a list, with few words on both sides. Empty lines do not count."""
    lines = list(filter(str.strip, text.splitlines()))
    if is_field or len(lines) < 2:
        return is_field and len(lines) < 2 and len(text.split()) <= MOST_WORDS
    few = MOST_WORDS // 2

    def is_entry(line: str) -> bool:
        key, _, value = line.strip().removeprefix("- ").partition(":")
        return len(key.split()) <= few and len(value.split()) <= MOST_WORDS

    return all(map(is_entry, lines)) or any(
        separator in lines[0]
        and len({line.count(separator) for line in lines}) == 1
        and all(len(cell.split()) <= few for line in lines for cell in line.split(separator))
        for separator in ",;\t|"
    )


def telling_values(value: object) -> Iterator[str]:
    """Yield the values of an argument that tell something: numbers, short texts as a whole, but for a single word in
    small letters, and of all texts the words with other signs than letters: ids, addresses, dates, amounts."""
    for text in _fields_of(value):
        stripped = text.strip()
        if "\n" not in stripped and len(stripped.split()) <= MOST_WORDS:
            is_plain_word = stripped.isalpha() and stripped.islower()  # such as `restart`
            least = 1 if stripped.isdigit() else LEAST_CHARS  # an id, or a number
            if len(stripped) >= least and any(map(str.isalnum, stripped)) and not is_plain_word:
                yield stripped
        for word in stripped.split():
            bare = word.strip(".,;:!?()[]{}<>\"'`*_")
            letters = bare.replace("-", "").replace("'", "")
            if len(bare) > LEAST_CHARS and letters and not letters.isalpha():
                yield bare


def forms_of(value: str) -> tuple[str, ...]:
    """Return the ways in which a value may be written, folded: a number also with separators and without decimals that
    are zero, which `find_whole` passes over."""
    folded = value.casefold().replace("\0", " ")
    with suppress(ValueError):
        if abs(number := float(value)) < 1e15:
            written = (f"{number:f}", f"{number:,f}")
            return tuple(dict.fromkeys((folded, *(one.rstrip("0").rstrip(".") for one in written))))
    return (folded,)


def find_whole(text: str, part: str) -> int:
    """Return where a part stands in a text with no letter or digit next to it, but zeros behind decimals; -1 if
    nowhere."""
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        has_decimals = part.count(".") == 1 and part.replace(".", "").replace(",", "").isdigit()
        while has_decimals and text[end : end + 1] == "0":
            end += 1
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() and part[0].isalnum()) and not (
            after.isalnum() and part[-1].isalnum()
        ):
            return at
        at = text.find(part, at + 1)
    return -1
