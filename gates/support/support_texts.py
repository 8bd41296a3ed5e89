"""Says in words what supports a value of an answer: `loans.csv:2`, `= sum(fees)`, `unverified`.

A mark is a value with its support. It is found in a text, computed, given by the question,
written by the trial itself, or unverified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from controlplane.gates.support.sources import Place
from controlplane.gates.values.spans import WrittenValue

# A value of an answer with what supports it: a mark.
#
#     The fee is 300 EUR and 555 EUR.
#
# The mark of 300 says that it was found in `loans.csv`, line 2, and that of 555 that nothing
# states it. They become the footnotes of the answer.

Support: TypeAlias = Literal["found", "computed", "given", "written", "unverified"]
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
    support: Support
    place: Place | None = None
    """Where the value was found, or the value that is nearest to an unverified one.

    None if neither is known, or if several places fit equally well.
    """
    note: str = ""
    """What is shown beside the support: `rounded from 6.545`, `= sum(fees)`, `nearest: 470`."""

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
            if mark.place is None or not mark.note:
                return "unverified"
            place = _place_text(mark.place, shown_path)
            return f"unverified; {mark.note}, {place}"  # `unverified; nearest: 470, loans.csv:2`
        case "found":
            if mark.place is None:
                return "in several places"
            place = _place_text(mark.place, shown_path)
            return f"{place} ({mark.note})" if mark.note else place


def _place_text(place: Place, shown_path: Callable[[str], str]) -> str:
    """Return a path and a line: `loans.csv:2`, or `loans.csv` if the line is unknown."""
    path = shown_path(place.path)
    if place.line:
        return f"{path}:{place.line}"
    return path
