"""What a kind of spoiling is, and the tables of wordings that it draws on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from tests.spoiled.played_trial import Pad, Play, PlayedTrial

T = TypeVar("T")
OPEN, APART = "open", "apart"


@dataclass(frozen=True, slots=True)
class Worded(Generic[T]):
    """An entry of a table: a wording, or a way of doing something."""

    table: str
    name: str
    part: str
    entry: T

    @property
    def title(self) -> str:
        """The table and the name: names repeat from table to table."""
        return f"{self.table}: {self.name}"


class Tables(Generic[T]):
    """Tables by name, of which each entry is open or kept apart."""

    def __init__(self, open_part: Mapping[str, Mapping[str, T]], apart: Mapping[str, Mapping[str, T]]) -> None:
        self._tables = {
            table: [
                *(Worded(table, name, OPEN, entry) for name, entry in open_part[table].items()),
                *(Worded(table, name, APART, entry) for name, entry in apart[table].items()),
            ]
            for table in open_part
        }

    def __getitem__(self, table: str) -> list[Worded[T]]:
        return self._tables[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)


@dataclass(frozen=True, slots=True)
class Spoil:
    """One submission, made in a play, that ought to be stopped."""

    wording: str
    part: str
    """The part of its wording; a kind that is kept apart takes all of its wordings along."""
    play: Play
    pad: Pad
    is_wrong_unseen: bool = False
    """Wrong in a way that the grader does not look at: in a reason, or in a message of free words."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of spoiling."""

    name: str
    make: Callable[[PlayedTrial], Iterator[Spoil]]
    """Yields the spoils of a trial, none if the kind does not fit its task."""
