"""Finds the units and scales that the labels of numbers name: EUR for a cell below `fee_eur`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from controlplane.gates.support.sources.number_labels import (
    NumberLabels,
    label_of,
    powers_named,
    units_named,
)
from controlplane.gates.support.sources.table_rows import Rows
from controlplane.gates.values.value_kinds import WrittenValue
from controlplane.sandbox.interface import bounds

NOTE_LINES: Final = 3
"""First lines of a text that may state a scale for all its numbers: `in thousands of EUR`."""


@dataclass(eq=False)
class LineLabels:
    """The labels of the numbers of one text. Each is read when it is first needed."""

    rows: Rows
    _labels: dict[tuple[int, int], NumberLabels] = field(default_factory=dict)
    """What was read already, by the line of a number and its offset in the line."""

    def of(self, line: int, value: WrittenValue) -> NumberLabels:
        """Return the units and scales that the labels of a number name.

        A label is a heading or key. `fee_eur` names EUR, and `fee in thousands` the power
        of ten 3.
        """
        position = (line, value.start)
        if position not in self._labels:
            label = label_of(self.rows, line, value.start)
            powers = powers_named(label) | self._powers_for_all_numbers
            self._labels[position] = NumberLabels(units_named(label), powers)
        return self._labels[position]

    @cached_property
    def _powers_for_all_numbers(self) -> frozenset[int]:
        """The powers of ten that hold for all numbers: 3 for `Revenue in thousands`.

        Only the first lines may state them. Long lines are skipped, because they are data.
        """
        powers: frozenset[int] = frozenset()
        for line in self.rows.lines[:NOTE_LINES]:
            if len(line) < bounds.MOST_LINE_CHARS:
                powers |= powers_named(line)
        return powers
