"""How the marks of an answer's values are shown: numbers of footnotes behind them, and the
footnotes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from controlplane.gates.support.sources import Place
from controlplane.gates.support.value_support import Mark

_UNIT_SIGNS: Final = ("%", "€", "$", "£", "¥", "°")
"""Signs of units, behind which a mark stands."""
_CLOSING_QUOTES: Final = '"”“»`」'


def unverified_in(marks: Iterable[Mark]) -> list[str]:
    """Return the texts of the values that nothing supports, each once."""
    texts = [mark.value.text for mark in marks if mark.support == "unverified"]
    return list(dict.fromkeys(texts))


def support_text(mark: Mark, shown_path: Callable[[str], str] = str) -> str:
    """Return what supports a value, in a few words; empty for what the question gives.

    `shown_path` writes a path as the reader knows it.
    """
    match mark.support:
        case "given":
            return ""
        case "computed":
            return f"computed {mark.note}".replace("computed =", "=")
        case "written":
            if mark.place is None:
                return "written by this trial"
            return f"written to {_place_text(mark.place, shown_path)}"
        case "unverified":
            if mark.place is None or not mark.note:
                return "unverified"
            return f"unverified; {mark.note}, {_place_text(mark.place, shown_path)}"
    if mark.place is None:
        return "in several places"
    place = _place_text(mark.place, shown_path)
    return f"{place} ({mark.note})" if mark.note else place


def _place_text(place: Place, shown_path: Callable[[str], str]) -> str:
    path = shown_path(place.path)
    return f"{path}:{place.line}" if place.line else path


def footnoted(
    answer: str,
    marks: Sequence[Mark],
    shown_path: Callable[[str], str] = str,
    *,
    text: Callable[[str], str] = str,
    quiet: Callable[[str], str] = str,
    loud: Callable[[str], str] = str,
) -> tuple[str, str]:
    """Return an answer with a mark behind each value, and its footnotes.

    `text` writes a part of the answer, `quiet` a footnote's number, and `loud` what is unverified.
    """
    number_by_note: dict[str, int] = {}
    parts: list[str] = []
    end = 0
    for mark in marks:
        parts.append(text(answer[end : mark.value.start]))
        end = _end_of_value(answer, mark)
        value = text(answer[mark.value.start : end])
        note = support_text(mark, shown_path)
        if mark.support == "unverified":
            parts.append(loud(f"{value} [{note}]"))
            continue
        parts.append(value)
        if note:
            number = number_by_note.setdefault(note, len(number_by_note) + 1)
            parts.append(quiet(f" [{number}]"))
    parts.append(text(answer[end:]))
    notes = [quiet(text(f"  [{number}] {note}")) for note, number in number_by_note.items()]
    unverified = unverified_in(marks)
    if unverified:
        notes.append(loud(text(f"unverified: {', '.join(unverified)}")))
    return "".join(parts).strip(), "\n".join(notes)


def _end_of_value(answer: str, mark: Mark) -> int:
    """Return the offset behind a value with its closing quotation sign or the sign of its unit."""
    end = mark.value.end
    if answer[end : end + 1] and answer[end] in _CLOSING_QUOTES:
        end += 1
    blanks = 1 if answer[end : end + 1] in (" ", "\u00a0") else 0
    if answer[end + blanks : end + blanks + 1] in _UNIT_SIGNS:
        end += blanks + 1
    return end
