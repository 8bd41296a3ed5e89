"""Texts that a trial was given and that may state a value of its answer, but are not files.

They are the question, the clock, rules, and the names of files.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from controlplane.gates.support.matching.value_equality import is_year
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_KINDS_IN_FILE_NAMES: Final = frozenset(
    {Kind.ID, Kind.QUOTATION, Kind.URL, Kind.MAIL, Kind.DATE, Kind.MONTH}
)
"""The kinds of values that the name of a file may state.

`/reports/2026-03.csv` supports `March 2026`, but not `3 items`.
"""


class GivenTexts:
    """The texts that a trial was given besides files, each as a source that can be searched."""

    def __init__(self, question: str, texts: Sequence[str], file_names: str) -> None:
        """Take the question, other texts such as the clock, and names of files, one a line."""
        self._question = question
        self._texts = texts
        self._file_names = file_names

    @cached_property
    def question_sources(self) -> list[Source]:
        """The question. It is apart from the other texts, because it is searched before them."""
        return [Source("", self._question)]

    @cached_property
    def _text_sources(self) -> list[Source]:
        """The texts other than the question, such as the clock."""
        return [Source("", text) for text in self._texts]

    @cached_property
    def _name_sources(self) -> list[Source]:
        """The names of files, as one text."""
        return [Source("", self._file_names)]

    def sources_for(self, value: WrittenValue) -> list[Source]:
        """Return the texts besides the question in which a value may be looked up.

        The names of files are among them only for years and for the kinds of values in
        `_KINDS_IN_FILE_NAMES`: their other numbers are not amounts.
        """
        if value.kind in _KINDS_IN_FILE_NAMES or is_year(value):
            return self._text_sources + self._name_sources
        return self._text_sources
