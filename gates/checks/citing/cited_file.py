"""What a cited file contains: values, and counts of lines and rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.gates.records import parse
from controlplane.gates.support.stated_values import states_value
from controlplane.gates.trial.accesses import Access
from controlplane.gates.values.value_kinds import WrittenValue


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A file that an answer cites, with what was seen of it."""

    path: str
    access: Access
    """What the trial's calls did with the file.

    Its `given_texts` are those that the environment gave, without those that the script wrote.
    """

    @property
    def is_unknown_or_empty(self) -> bool:
        """True if no text of the file was seen, or one of the texts is whole and empty."""
        if not self.access.seen:
            return True
        given = self.access.given_texts
        return any(not seen.is_cut and not seen.text.strip() for seen in given)

    def states_any(self, values: Iterable[WrittenValue]) -> bool:
        """Return True if the file states one of the values, or has as many lines or rows."""
        return any(self._has_count(value) or self._states(value) for value in values)

    def _has_count(self, value: WrittenValue) -> bool:
        """Return True if a value is how many lines or rows the file has: "lists 40 orders"."""
        count = value.canonical
        return count.isdigit() and count in self._counts()

    def _counts(self) -> set[str]:
        """Return how many lines and rows each text of the file has, as digits: {"41", "40"}."""
        counts: set[str] = set()
        for seen in self.access.given_texts:
            counts.add(str(seen.text.count("\n") + 1))
            # How many values each column has, or each key of JSON records. Of 40 records, all
            # have an `id` but only 12 a `note`, so the largest number is that of the records.
            columns = Counter(name for name, _ in parse(seen.text, self.path))
            if columns:
                counts.add(str(max(columns.values())))
        return counts

    def _states(self, value: WrittenValue) -> bool:
        """Return True if a text states a value that it does not only repeat.

        A search for `36` may print `36: not found`, which repeats a word of the call.
        """
        for seen in self.access.given_texts:
            unproven_words = seen.unproven_words
            is_repeated = unproven_words != "" and states_value(unproven_words, value)
            if not is_repeated and states_value(seen.text, value):
                return True
        return False
