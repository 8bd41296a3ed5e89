"""What a cited file contains: values, counts of lines and rows, words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.records import parse
from controlplane.gates.support.stated_values import states_value
from controlplane.gates.text_index import index_of
from controlplane.gates.trial.accesses import Access, SeenText
from controlplane.gates.values.value_kinds import WrittenValue

LEAST_WORDS: Final = 2
"""A reason must share this many different words with the file, or all if it has fewer.

A single shared word may be a coincidence.
"""


@dataclass(frozen=True, slots=True)
class CitedFile:
    """A file that an answer cites, with what was seen of it.

    `access.given_texts` are the texts that the environment gave, without those that the
    script itself wrote.
    """

    path: str
    access: Access

    @property
    def is_unknown_or_empty(self) -> bool:
        """True if no text of the file was seen, or one of the texts is whole and empty."""
        if not self.access.seen:
            return True
        given = self.access.given_texts
        return any(seen.is_whole and not seen.text.strip() for seen in given)

    def states_any(self, values: Iterable[WrittenValue]) -> bool:
        """Return True if the file states one of the values, or has as many lines or rows."""
        return any(
            self._has_count(value) or self._has_new_value(value) for value in values
        )

    def _has_count(self, value: WrittenValue) -> bool:
        count = value.canonical
        return count.isdigit() and count in self._counts()

    def _counts(self) -> set[str]:
        """Return how many lines and rows each text of the file has, as digits: {"41", "40"}."""
        counts: set[str] = set()
        for seen in self.access.given_texts:
            counts.add(str(seen.text.count("\n") + 1))
            # The columns, or the keys of JSON records, with how many values each has. A
            # record may leave out a key, so the key with most values counts the records.
            columns = Counter(name for name, _ in parse(seen.text, self.path))
            if columns:
                counts.add(str(max(columns.values())))
        return counts

    def _has_new_value(self, value: WrittenValue) -> bool:
        """Return True if a text has a value that it does not only repeat.

        A search for `36` may print `36: not found`, which repeats a word of the call.
        """
        for seen in self.access.given_texts:
            words_of_call = seen.tainted
            is_repeated = words_of_call != "" and states_value(words_of_call, value)
            if not is_repeated and states_value(seen.text, value):
                return True
        return False

    def shares_words(self, words: Sequence[str]) -> bool:
        """Return True if the file contains enough of the words.

        Enough are `LEAST_WORDS`, or all if there are fewer, or a single one in a heading.
        """
        texts = self._comparable_texts
        shared = [word for word in words if any(seen.holds(word) for seen in texts)]
        if not shared:
            return False
        if len(shared) >= LEAST_WORDS or len(shared) == len(words):
            return True
        headings = [_headings_of(seen.text, self.path) for seen in texts]
        index = index_of("\n".join(headings))
        return any(index.holds(word) for word in shared)

    @property
    def _comparable_texts(self) -> tuple[SeenText, ...]:
        """The texts with which words are compared.

        Text that the script wrote counts only if the file existed before: the reason
        may then describe the change. In a new file, all words are the script's own.
        """
        if self.access.had_text_before_writing:
            return self.access.seen
        return self.access.given_texts


def _headings_of(text: str, path: str) -> str:
    """Return the headings of a text, one per line.

    These are its first line, its Markdown headings, and its names of fields or columns.
    """
    first_line, *lines = text.split("\n")
    markdown = [line for line in lines if line.startswith("#")]
    names = [name for name, _ in parse(text, path)]
    return "\n".join([first_line, *markdown, *names])
