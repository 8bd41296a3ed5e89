"""Marks: the values of an answer with what supports each, in words and as footnotes of the answer.

    The fee is 300 [1] and 555 [unverified; nearest: 470, loans.csv:3].

      [1] loans.csv:2
    unverified: 555

The 300 is in line 2 of the file; 555 is in no text, and 470 is the value most like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from controlplane.gates.support.sources import Place
from controlplane.gates.values.spans import WrittenValue

# A value of an answer with what supports it: a mark.
#
#     The fee is 300 EUR and 555 EUR.
#
# The mark of 300 says that it was found in `loans.csv`, line 2, and that of 555 that nothing
# states it. They become the footnotes of the answer.

_Support: TypeAlias = Literal["found", "computed", "given", "written", "unverified"]
"""What supports a value.

- `found`: a text that was read states it
- `computed`: a script computed it, or the answer shows how, from supported values
- `given`: the question states it
- `written`: the trial's own script wrote it into a file
- `unverified`: nothing
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """One value of an answer, with what supports it."""

    value: WrittenValue
    support: _Support
    place: Place | None = None
    """Where the value was found, or the value that is nearest to an unverified one.

    None if neither is known, or if several places fit equally well.
    """
    note: str = ""
    """What is shown beside the support: `rounded from 6.545`, `= sum(fees)`, `nearest: 470`."""

    name: str = ""
    """The name under which a found value stands, and which the answer writes beside it: `Mei Tan`."""

    @property
    def is_supported(self) -> bool:
        """True if something supports the value."""
        return self.support != "unverified"


def unverified_in(marks: Iterable[Mark]) -> list[str]:
    """Return the values that nothing supports, as they are written, each once."""
    texts = [mark.value.text for mark in marks if mark.support == "unverified"]
    return list(dict.fromkeys(texts))


def support_text(mark: Mark, shown_path: Callable[[str], str] = str) -> str:
    """Return what supports a value: `loans.csv:2 (rounded from 6.545)`, `= sum(fees)`.

    A mark is a value with its support. The text is empty for a value that the question
    gives. `shown_path` turns a path of the trial into the path to display.
    """
    match mark.support:
        case "given":
            return ""
        case "computed":
            if mark.note.startswith("="):  # the note shows an expression: `= sum(fees)`
                return mark.note
            return f"computed {mark.note}"  # `computed by a function`
        case "written":
            if mark.place is None:
                return "written by this trial"
            return f"written to {_place_text(mark.place, shown_path)}"
        case "unverified":
            if not mark.note:
                return "unverified"
            if mark.place is None:
                return f"unverified; {mark.note}"
            place = _place_text(mark.place, shown_path)
            return f"unverified; {mark.note}, {place}"  # `unverified; nearest: 470, loans.csv:2`
        case "found":
            if mark.place is None:
                return "in several places"
            place = _place_text(mark.place, shown_path)
            if mark.name:
                place += f", under {mark.name}"
            return f"{place} ({mark.note})" if mark.note else place


def _place_text(place: Place, shown_path: Callable[[str], str]) -> str:
    """Return a path and a line: `loans.csv:2`, or `loans.csv` if the line is unknown."""
    path = shown_path(place.path)
    if place.line:
        return f"{path}:{place.line}"
    return path


_UNIT_SIGNS: Final = ("%", "€", "$", "£", "¥", "°")
"""Signs of units that are written after the number."""
_CLOSING_QUOTES: Final = ('"', "”", "“", "»", "`", "」")
"""What may stand between a quotation and its footnote number."""


class _FootnotedAnswer(NamedTuple):
    """An answer with footnote numbers after its values, and the lines below it."""

    text: str
    """The answer: `The fee is 300 [1].`"""
    notes: str
    """The footnotes and the unverified values, one a line; may be empty."""


class TextFormat(NamedTuple):
    """How the parts of a footnoted answer are displayed, such as in colours of a terminal.

    Each function returns a text for display; by default, as it is.
    """

    escape: Callable[[str], str] = str
    """For every text from outside, such as the answer and names of files."""
    dim: Callable[[str], str] = str
    """For footnotes."""
    stress: Callable[[str], str] = str
    """For unverified values."""


_UNFORMATTED: Final = TextFormat()
"""Every text is displayed as it is."""


def footnoted(
    answer: str,
    marks: Sequence[Mark],
    shown_path: Callable[[str], str] = str,
    text_format: TextFormat = _UNFORMATTED,
) -> _FootnotedAnswer:
    """Return an answer with footnote numbers after its values, and the footnotes.

        The fee is 300.    The fee is 300 [1].    with the footnote `[1] loans.csv:2`
        The fee is 555.    The fee is 555 [unverified; nearest: 470, loans.csv:3].

    `marks` are the values of the answer with their support. `shown_path` turns a path into the
    one to display; by default, paths are displayed as they are.
    """
    escape, dim, stress = text_format
    # The number of each footnote by its text, counted from 1. Values with the same support share one.
    numbers: dict[str, int] = {}
    parts: list[str] = []
    end = 0
    for mark in marks:
        parts.append(escape(answer[end : mark.value.start]))
        end = _end_of_value(answer, mark)
        value = escape(answer[mark.value.start : end])
        note = support_text(mark, shown_path)  # `loans.csv:2`
        if mark.support == "unverified":
            parts.append(stress(f"{value} [{escape(note)}]"))
            continue
        parts.append(value)
        if note:
            number = numbers.setdefault(note, len(numbers) + 1)
            parts.append(dim(f" [{number}]"))
    parts.append(escape(answer[end:]))

    lines: list[str] = []
    for note, number in numbers.items():
        lines.append(dim(escape(f"  [{number}] {note}")))
    unverified = unverified_in(marks)
    if unverified:
        lines.append(stress(escape(f"unverified: {', '.join(unverified)}")))
    return _FootnotedAnswer("".join(parts).strip(), "\n".join(lines))


def _end_of_value(answer: str, mark: Mark) -> int:
    """Return the offset after a value and the sign of its unit or its closing quotation mark.

    The value itself is only the number or the quoted words. The footnote number goes behind
    the sign: `12 % [1]`, `"paid" [1]`.
    """
    end = mark.value.end
    # At the end of the answer, these slices are empty, and in none of the tuples.
    if answer[end : end + 1] in _CLOSING_QUOTES:
        end += 1
    start_of_unit = end
    if answer[end : end + 1] in (" ", "\u00a0"):
        start_of_unit += 1
    if answer[start_of_unit : start_of_unit + 1] in _UNIT_SIGNS:
        return start_of_unit + 1
    return end
