"""Tells the kinds of records apart, by their folders.

A record is a file about one case. If the environment declares that `/data` and `/letters` have
records:

| record | its kind |
|---|---|
| `/data/places/Delft/s-1.json` | `/data/places`, the folder below the declared one |
| `/letters/l-1.txt` | `/letters`, as there is no folder between |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.sandbox.interface import NamedFiles, ToolSchema


@dataclass(frozen=True, slots=True)
class RecordKinds:
    """The kinds of the records below some folders."""

    roots: tuple[str, ...]
    """The declared folders with records: `/data`, `/letters`."""

    def kind_of(self, record: str) -> str:
        """Return the folder with all records of the same kind; empty for other files."""
        for root in self.roots:
            folder = root_with_slash(root)
            if record.startswith(folder):
                subfolder, slash, _ = record.removeprefix(folder).partition("/")
                return folder + subfolder if slash else root.rstrip("/")
        return ""

    def fullest_first(self, records: Iterable[str], max_kinds: int) -> list[str]:
        """Return at most `max_kinds` kinds of these records, those with the most records first."""
        counts = Counter(self.kind_of(record) for record in records)
        return [kind for kind, _ in counts.most_common(max_kinds)]

    def first_of_each(self, records: Iterable[str]) -> list[str]:
        """Return the first record of each kind, in the order of these records.

        l-4 and l-7, which are loans, and the book b7   -> l-4, b7
        """
        first: dict[str, str] = {}
        for record in records:
            first.setdefault(self.kind_of(record), record)
        return list(first.values())


def root_with_slash(root: str) -> str:
    """Return a folder with a slash at its end: `/data` -> `/data/`."""
    return root.rstrip("/") + "/"


def declared_records(schema: ToolSchema) -> NamedFiles:
    """Return the environment's declaration of where its records are, and how they are read."""
    if schema.named_files is None:
        return NamedFiles(roots=(), most=0)
    return schema.named_files
