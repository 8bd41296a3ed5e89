"""Texts that may state a value but are not files: the question, the clock, names of files."""

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
"""The kinds of values that the name of a file may state. Numbers in a name are not amounts.

`/reports/2026-03.csv` supports `March 2026`, but not `3 items` or `20.26 EUR`.
"""


class GivenTexts:
    """Looks up values in the texts of a trial that are not files."""

    def __init__(self, question: str, texts: Sequence[str], names: str) -> None:
        self._question = question
        self._texts = texts
        """The clock and rules, for example."""
        self._names = names
        """The paths and names of files and folders, one a line."""

    @cached_property
    def question_sources(self) -> list[Source]:
        """The question. It is kept apart from the other texts, because it is searched first."""
        return [Source("", self._question)]

    @cached_property
    def _text_sources(self) -> list[Source]:
        """The texts other than the question, such as the clock."""
        return [Source("", text) for text in self._texts]

    @cached_property
    def _name_sources(self) -> list[Source]:
        """The names of files, as one text."""
        return [Source("", self._names)]

    def sources_for(self, value: WrittenValue) -> list[Source]:
        """Return the texts besides the question that may give a value.

        The names of files count only for `_KINDS_IN_FILE_NAMES` and for years.
        """
        if value.kind in _KINDS_IN_FILE_NAMES or is_year(value):
            return self._text_sources + self._name_sources
        return self._text_sources
