"""Finds data of single trials in a proposal: ids, names and amounts.

A proposer sees trials in training worlds. A prompt that says "the fee of loan-0543 is 12.50" knows
such a world by heart, and does not help in others. So a proposal with such data is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.gates.records import parse
from controlplane.gates.surrogates import encodable
from controlplane.improving.candidates.candidate_id import Texts
from controlplane.journal.recorded_trial import RecordedTrial

MAX_VALUES: Final = 200_000
"""More values are not collected: they would take too much memory."""
MIN_ID_CHARS: Final = 3


class InstanceData:
    """The values in records that trials have read."""

    def __init__(self) -> None:
        self._values: set[str] = set()

    def add_trials(self, trials: Iterable[RecordedTrial]) -> None:
        """Collect the values of all records that these trials have read."""
        for trial in trials:
            for step in trial.steps:
                for call in step.calls:
                    result = call.result or {}
                    path = str(call.arguments.get("path", ""))
                    self.add_file(str(result.get("content", "")), path)
                    # Programs often print tables. The ending makes `parse` read their output as one.
                    self.add_file(str(result.get("stdout", "")), ".csv")

    def add_file(self, text: str, path: str) -> None:
        """Collect the values in the text of a file. Prose has no fields, and so no values."""
        if len(self._values) < MAX_VALUES:
            self._values |= record_values(text, path)

    def added_by(self, before: Texts, after: Texts) -> list[str]:
        """Return the values that a proposal added, in the order of its text."""
        return added_values(self._values, before, after)


def record_values(text: str, path: str) -> set[str]:
    """Return the ids, names and amounts in a record."""
    values = set()
    for _, value in parse(text, path):
        value = encodable(value)
        if identifies_an_instance(value):
            values.add(value)
    return values


def identifies_an_instance(value: str) -> bool:
    """Return True if a value may belong to one instance alone.

    It is a name of several words (`Anna Meyer-Schulz`), or an id or amount, which has a
    digit (`loan-0543`, `12.50`).
    """
    words = value.split(" ")
    if len(words) > 1:
        return all(_is_part_of_a_name(word) for word in words)
    has_digit = any(letter.isdecimal() for letter in value)
    return len(value) >= MIN_ID_CHARS and has_digit


def _is_part_of_a_name(word: str) -> bool:
    """Return True for `Anna` and `Meyer-Schulz`; False for `anna`, `A` and `R2`."""
    return len(word) > 1 and word[0].isupper() and word.replace("-", "").isalpha()


def added_values(values: Iterable[str], before: Texts, after: Texts) -> list[str]:
    """Return the values that are in `after` and not in `before`, in the order of the text.

    Case and separators make no difference: `Loan/0543` is found for `loan-0543`.
    """
    old = comparable("\n".join(before.values()))
    new = comparable("\n".join(after.values()))
    places = {}
    for value in values:
        place = new.find(comparable(value))
        if place >= 0 and comparable(value) not in old:
            places[value] = place
    return sorted(places, key=lambda value: places[value])


def comparable(text: str) -> str:
    """Return the words and numbers of a text in one case, each between single spaces."""
    letters = []
    for letter in encodable(text).casefold():
        letters.append(letter if letter.isalnum() else " ")
    return f" {' '.join(''.join(letters).split())} "
