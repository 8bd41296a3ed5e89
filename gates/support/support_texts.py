"""Says in words what supports a value of an answer: `loans.csv:2`, `= sum(fees)`, `unverified`.

A mark is a value with its support. It is found in a text, computed, given by the question,
written by the trial itself, or unverified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from controlplane.gates.support.marks import Mark
from controlplane.gates.support.sources.places import Place


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
